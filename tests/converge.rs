//! Tests `zeroset converge`: orders, files, and cases that it refuses.

#[path = "support/place.rs"]
mod place;
use place::Place;
use serde_json::Value;

/// A circle that grows at unit speed from radius 0.3 to 0.5.
const GROWING: &str = "\
version = 1
domain.mesh.generate.square = { cells = [12, 12], min = [-1, -1], max = [1, 1] }
initial.ball = { center = [0, 0, 0], radius = 0.3 }
evolve = { end_time = 0.2, normal_speed = 1.0 }
reinitialize.rule = \"never\"
reinitialize.half_width = \"whole\"
expect.exact.ball = { center = [0, 0, 0], radius = 0.5 }
expect.enclosed_area = { value = 0.7853981633974483, tolerance = 0.1 }
";

impl Place {
    #[track_caller]
    fn refused(&self, line: &str, expected: i32, part: &str) {
        let (code, text) = self.outcome(&format!("converge {line}"));
        assert!(code == expected && text.contains(part), "{line}: {code}: {text}");
    }

    fn results(&self, folder: &str) -> Value {
        let text = std::fs::read(self.path(folder).join("converge.json")).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

fn quantity<'a>(results: &'a Value, name: &str) -> &'a Value {
    let list = results["quantities"].as_array().unwrap();
    list.iter().find(|found| found["name"] == name).unwrap_or_else(|| panic!("{name}: {list:?}"))
}

#[test]
fn the_area_of_a_circle_converges_and_all_files_are_there() {
    let place = Place::new();
    place.put("circle.toml", GROWING);
    let (code, text) = place.outcome("converge circle.toml --levels 3 -o out");
    assert_eq!(code, 0, "{text}");
    for part in ["enclosed_area", "interface_error_mean", "extrapolated", "order"] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    let results = place.results("out");
    let levels = results["levels"].as_array().unwrap();
    let cells: Vec<u64> = levels.iter().map(|level| level["cells"].as_u64().unwrap()).collect();
    assert_eq!(cells, [288, 1152, 4608]);
    for name in ["enclosed_area", "interface_error_mean"] {
        let area = quantity(&results, name);
        let order = area["rows"][2]["error_order"].as_f64().unwrap();
        assert!(order >= 1.5, "{name}: {order}: {text}");
        assert!(area["rows"][0]["error_order"].is_null());
    }
    let area = quantity(&results, "enclosed_area");
    assert!(
        (area["extrapolated"].as_f64().unwrap() - std::f64::consts::FRAC_PI_4).abs() < 2e-3,
        "{area}"
    );
    let table = std::fs::read_to_string(place.path("out/converge.csv")).unwrap();
    assert!(table.starts_with("measure,level,h,cells,steps,seconds,value,"), "{table}");
    let plot = std::fs::read_to_string(place.path("out/converge.svg")).unwrap();
    assert!(plot.contains("slope 2") && plot.contains("enclosed area"));
    // Each level is an ordinary run, which can be repeated with its overrides.
    let set = levels[1]["overrides"][0].as_str().unwrap();
    assert_eq!(set, "domain.mesh.generate.square.cells=[24, 24]");
    let command = place.command("run circle.toml -o again --set").arg(set).output().unwrap();
    assert!(command.status.success());
    place.good("compare out/level1/circle.pvd again/circle.pvd");

    // Earlier results are replaced only on request.
    place.refused("circle.toml --levels 2 -o out", 6, "--overwrite");
    place.good("converge circle.toml --levels 2 -o out --overwrite");
    assert_eq!(place.results("out")["levels"].as_array().unwrap().len(), 2);
}

#[test]
fn files_of_the_user_are_never_replaced() {
    let place = Place::new();
    place.put("circle.toml", GROWING);
    for name in ["converge.csv", "converge.json", "converge.svg"] {
        std::fs::create_dir_all(place.path("mine")).unwrap();
        place.put(&format!("mine/{name}"), "{}");
        place.refused("circle.toml --levels 2 -o mine --overwrite", 6, "no study of this folder");
        assert_eq!(std::fs::read(place.path("mine").join(name)).unwrap(), b"{}");
        assert!(!place.path("mine/level0").exists());
        std::fs::remove_dir_all(place.path("mine")).unwrap();
    }
    place.good("converge circle.toml --levels 2 -o own");
    place.put("own/converge.csv", "changed by the user");
    place.refused("circle.toml --levels 2 -o own --overwrite", 6, "converge.csv");
    assert_eq!(std::fs::read(place.path("own/converge.csv")).unwrap(), b"changed by the user");
}

#[test]
fn distances_and_tiles_converge_too() {
    let place = Place::new();
    place.put(
        "distance.toml",
        "version = 1\ndomain.mesh.generate.sphere.subdivisions = 2\n\
         distance.from = [\"vertex:0\"]\n",
    );
    place.good("converge distance.toml --levels 3");
    let results = place.results("results/distance-converge");
    let farthest = quantity(&results, "distance_max");
    // Half a great circle. The sphere stays a sphere.
    let value = farthest["rows"][2]["value"].as_f64().unwrap();
    assert!((value - std::f64::consts::PI).abs() < 0.05, "{farthest}");
    place.put(
        "tiles.toml",
        "version = 1\ndomain.tiled.dx = 0.1\ninitial.ball = { center = [0, 0, 0], radius = 0.6 }\n\
         evolve = { end_time = 0.1, normal_speed = 1.0 }\n\
         expect.enclosed_volume = { value = 1.4367550402417319, tolerance = 0.05 }\n",
    );
    place.good("converge tiles.toml --levels 2 -o tiles");
    let results = place.results("tiles");
    assert_eq!(results["levels"][1]["overrides"][0], "domain.tiled.dx=0.05");
    let volume = quantity(&results, "enclosed_volume");
    assert!(volume["rows"][1]["error_order"].as_f64().unwrap() > 0.8, "{volume}");
}

#[test]
fn cases_that_cannot_converge_are_refused_before_the_first_run() {
    let place = Place::new();
    place.put("steps.toml", &GROWING.replace("end_time = 0.2", "max_steps = 3"));
    place.refused("steps.toml", 2, "evolve.end_time");
    place.refused("none.toml", 2, "none.toml");
    place.put("circle.toml", GROWING);
    place.refused("circle.toml --levels 1", 2, "");
    place.refused("circle.toml --levels 10", 2, "");
    place.put(
        "torus.toml",
        "version = 1\ndomain.mesh.generate.torus = {}\ndistance.from = [\"vertex:0\"]\n",
    );
    place.refused("torus.toml", 2, "by number");
    place.put("large.toml", &GROWING.replace("[12, 12]", "[2000, 2000]"));
    place.refused("large.toml --levels 9", 2, "32-bit");
    // About 1e9 triangles, which need more than 80 GiB.
    let free = zeroset::primitives::memory::available();
    if free.is_some_and(|free| free < 80 << 30) {
        place.put("large.toml", &GROWING.replace("[12, 12]", "[700, 700]"));
        place.refused("large.toml --levels 6", 5, "the finest of 6 levels has 1003520000 cells");
    }
    assert!(!place.path("results").exists());
}
