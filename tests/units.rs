//! Tests that the units of `[units]` reach reports, files and pictures, that a run that starts from
//! a state has the units of this state, and that a warning names files in other units.

#[path = "support/place.rs"]
mod place;
use place::Place;

use serde_json::Value;

const CIRCLE: &str = "version = 1\nunits = { length = \"mm\", time = \"ms\" }\n\
                      domain.mesh.generate.square = { cells = [16, 16], min = [-1, -1] }\n\
                      initial.ball = { center = [0, 0, 0], radius = 0.6 }\n\
                      evolve = { curvature = 1, end_time = 0.01 }\n";
const RESTART: &str = "version = 1\ndomain.mesh.path = \"out/circle.pvd\"\ninitial.data = \"phi\"\n\
                       evolve = { curvature = 1, end_time = 0.02 }\n";
const TILES: &str = "version = 1\nunits = { length = \"mm\", time = \"ms\" }\ndomain.tiled.dx = 0.1\n\
                     initial.ball = { center = [0, 0, 0], radius = 0.5 }\n\
                     evolve = { normal_speed = 1, max_steps = 2 }\noutput.volume = {}\n";

impl Place {
    fn text(&self, name: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.path(name)).unwrap()).into_owned()
    }

    fn report(&self, folder: &str) -> Value {
        serde_json::from_str(&self.text(&format!("{folder}/report.json"))).unwrap()
    }

    /// Runs a command without `-q`, which must succeed. Returns the text of both streams.
    fn said(&self, line: &str) -> String {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_zeroset"));
        let output = command.current_dir(self.0.path()).args(line.split(' ')).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(output.status.success(), "{line}: {text:?}");
        text.concat()
    }

    /// Returns the units that `zeroset info` finds in a file.
    fn unit(&self, file: &str) -> Value {
        let (code, text) = self.outcome(&format!("info {file} --json"));
        assert_eq!(code, 0, "{text}");
        serde_json::from_str::<Value>(&text).unwrap()["units"].clone()
    }
}

#[test]
fn every_output_states_the_units() {
    let place = Place::new();
    place.put("circle.toml", CIRCLE);
    let said = place.said("run circle.toml -o out --picture a.png");
    for part in ["to time 0.01000000 ms", " mm\ninside area ", " mm^2 (-"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let units = serde_json::json!({ "length": "mm", "time": "ms" });
    assert_eq!(place.report("out")["units"], units);
    for name in ["out/circle_000000.vtp", "out/interface_000000.vtp"] {
        let file = place.text(name);
        // The codes of "mm" and "ms" with a final 0.
        for part in ["length_unit", ">109 109 0<", "time_unit", ">109 115 0<"] {
            assert!(file.contains(part), "{name}: {part}");
        }
        assert_eq!(place.unit(name), "mm");
    }
    let label =
        "<InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">mm</InformationKey>";
    assert!(place.text("out/circle_000000.vtp").contains(label));
    assert!(place.text("out/measures.csv").starts_with("step,time,dt,interface_length,"));
    place.good("render out -o plot.svg");
    let plot = place.text("plot.svg");
    for part in ["time (ms)", "dt (ms)", "interface length (mm)", "enclosed area (mm^2)"] {
        assert!(plot.contains(part), "{part}");
    }
    assert!(!plot.contains("components ("));
    let page = place.text("out/report.html");
    assert!(page.contains("enclosed area (mm^2)") && page.contains(" mm^2 (-"), "plot and results");
    place.good("view out -o all.html");
    place.good("view out/circle_000000.vtp -o one.html");
    for (name, has_times) in [("out/report.html", true), ("all.html", true), ("one.html", false)] {
        let page = place.text(name);
        assert!(page.contains(r#""unit":"mm""#), "{name}");
        assert_eq!(page.contains(r#""t = 0.01 ms""#), has_times, "{name}");
    }
    // The pictures differ only by the units.
    place.good("run circle.toml -o out --overwrite --picture b.png --unit mm");
    let [a, b] = ["a.png", "b.png"].map(|name| std::fs::read(place.path(name)).unwrap());
    assert_eq!(a, b, "the unit of the case is the default");
    place.good("run circle.toml -o out --overwrite --picture b.png --set units.time=s");
    assert_ne!(a, std::fs::read(place.path("b.png")).unwrap(), "the caption states the time unit");
    place.good("run circle.toml -o out --overwrite --picture b.png --unit cm");
    assert_ne!(a, std::fs::read(place.path("b.png")).unwrap());
}

#[test]
fn a_case_without_units_states_none() {
    let place = Place::new();
    place.put("circle.toml", &CIRCLE.replace("units = { length = \"mm\", time = \"ms\" }\n", ""));
    let said = place.said("run circle.toml -o out");
    assert!(said.contains("to time 0.01000000, "), "{said}");
    let report = place.report("out");
    assert!(report["units"].is_null() && report["config"]["units"].is_null());
    let file = place.text("out/circle_000000.vtp");
    assert!(!file.contains("_unit") && !file.contains("UNITS_LABEL"));
    assert!(place.unit("out/circle_000000.vtp").is_null());
}

#[test]
fn a_run_that_begins_with_a_state_has_its_units() {
    for format in ["pvd", "vtkhdf"] {
        let place = Place::new();
        place.put("circle.toml", CIRCLE);
        place.put("next.toml", &RESTART.replace("circle.pvd", &format!("circle.{format}")));
        place.good(&format!("run circle.toml -o out --set output.format={format}"));
        let said = place.said("run next.toml -o next");
        assert!(said.contains("to time 0.02000000 ms"), "{said}");
        assert!(!said.contains("not converted"), "{said}");
        let units = serde_json::json!({ "length": "mm", "time": "ms" });
        assert_eq!(place.report("next")["units"], units, "{format}");
        let other = "next.toml -o other --set units.length=m --set units.time=ms";
        let expected =
            "states its length in mm, but units.length is \"m\"; values are not converted";
        for command in ["run", "check"] {
            let said = place.said(&format!("{command} {other}"));
            assert!(said.contains(expected) && !said.contains("units.time is"), "{said}");
        }
        let report = place.report("other");
        assert_eq!(report["units"], serde_json::json!({ "length": "m", "time": "ms" }));
        assert!(report["warnings"].to_string().contains("units.length is"), "{report}");
    }
}

#[test]
fn one_file_of_all_states_keeps_its_units_when_a_run_is_resumed() {
    let place = Place::new();
    place.put("circle.toml", CIRCLE);
    let settings =
        "--set output.format=vtkhdf --set output.every=1 --set output.checkpoint.every=1";
    place.good(&format!("run circle.toml -o whole {settings}"));
    let steps = place.report("whole")["steps"].as_u64().unwrap();
    assert!(steps > 2, "{steps}");
    let whole = std::fs::read(place.path("whole/circle.vtkhdf")).unwrap();
    // A folder in the place of the next state's interface makes the run fail there.
    place.good("generate square --cells 2,2 -o unused.vtp");
    std::fs::create_dir_all(place.path("part/interface_000002.vtp")).unwrap();
    let (code, said) = place.outcome(&format!("run circle.toml -o part {settings}"));
    assert_eq!(code, 6, "{said}");
    std::fs::remove_dir(place.path("part/interface_000002.vtp")).unwrap();
    place.good(&format!("run circle.toml -o part {settings} --resume"));
    assert_eq!(std::fs::read(place.path("part/circle.vtkhdf")).unwrap(), whole);
    assert_eq!(place.unit("part/circle.vtkhdf"), "mm");
}

#[test]
fn tiles_and_their_volumes_state_the_units() {
    let place = Place::new();
    place.put("tiles.toml", TILES);
    let said = place.said("run tiles.toml -o out");
    for part in ["dx 0.1000000 mm, ", " mm^2\n", " mm^3 ("] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(place.unit("out/tiles_000000.vtp"), "mm");
    assert_eq!(place.unit("out/tiles_volume_000000.vti"), "mm");
    let next = TILES
        .replace("units = { length = \"mm\", time = \"ms\" }\n", "")
        .replace("initial.ball = { center = [0, 0, 0], radius = 0.5 }", "INITIAL")
        .replace("[0, 0, 0]", "");
    for initial in [
        "initial.mesh.path = \"out/tiles.pvd\"",
        "initial.volume = { path = \"out/tiles_volume.pvd\", level = 0, inside = \"below\" }",
    ] {
        place.put("next.toml", &next.replace("INITIAL", initial));
        let said = place.said("run next.toml -o next --overwrite");
        assert!(said.contains(" mm^3 (") && !said.contains("not converted"), "{said}");
        let said = place.said("check next.toml --set units.time=s");
        assert!(said.contains("states its time in ms, but units.time is \"s\""), "{said}");
    }
}

#[test]
fn arrival_times_are_in_units_of_time() {
    let place = Place::new();
    let case = "version = 1\nunits = { length = \"mm\", time = \"ms\" }\n\
                domain.mesh.generate.square = { cells = [8, 8] }\n\
                distance = { from = [\"vertex:0\"], paths_from = [\"vertex:80\"], speed = 2 }\n";
    place.put("d.toml", case);
    let said = place.said("run d.toml -o out");
    assert!(said.contains(" ms, mean ") && said.contains(" mm long"), "{said}");
    let label = "location=\"vtkDataArray\">ms</InformationKey>";
    assert!(place.text("out/d_000000.vtp").contains(label));
    place.good("run d.toml -o out --overwrite --set distance.speed=1");
    let said = place.said("distance out/d.pvd --from vertex:3 -o near.vtp");
    assert!(said.contains(" mm, mean "), "{said}");
    assert_eq!(place.unit("near.vtp"), "mm");
}

#[test]
fn files_in_other_units_are_named() {
    let place = Place::new();
    let mesh = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes/fsaverage5_pial_left.gii.gz");
    let case =
        format!("version = 1\ndomain.mesh.path = '{mesh}'\ndistance.from = [\"vertex:0\"]\n");
    place.put("d.toml", &case);
    let said = place.said("check d.toml --set units.length=cm");
    assert!(said.contains("states its length in mm, but units.length is \"cm\""), "{said}");
    for set in ["units.length=mm", "units.length=millimeter", "units.time=s"] {
        let said = place.said(&format!("check d.toml --set {set}"));
        assert!(!said.contains("not converted"), "{set}: {said}");
    }
    let surface = format!("[initial.mesh]\npath = '{mesh}'\n");
    let tiles = "version = 1\ndomain.tiled.dx = 9\nevolve = { normal_speed = 1, max_steps = 1 }\n";
    place.put("t.toml", &(tiles.to_string() + &surface));
    let said = place.said("check t.toml --set units.length=cm");
    assert!(said.contains("states its length in mm, but units.length is \"cm\""), "{said}");
    // A scale may convert the units, so there is no warning.
    let said = place.said(
        "check t.toml --set units.length=cm --set initial.mesh.scale=0.1 --set domain.tiled.dx=0.9",
    );
    assert!(!said.contains("not converted"), "{said}");
}

#[test]
fn names_of_units_are_short_and_printable() {
    let place = Place::new();
    for (unit, what) in [
        ("\"\"", "units.length is empty"),
        ("\"a\\nb\"", "units.length has a control character"),
        ("\"12345678901234567\"", "units.length has more than 16 characters"),
        ("\" mm\"", "units.length begins or ends with a blank"),
    ] {
        place.put("c.toml", &CIRCLE.replace("\"mm\"", unit));
        let (code, said) = place.outcome("check c.toml");
        assert!(code == 2 && said.contains(what), "{said}");
        assert!(said.contains("c.toml:2"), "{said}");
    }
    place.put("c.toml", &CIRCLE.replace("time = ", "tim = "));
    let (code, said) = place.outcome("check c.toml");
    assert!(code == 2 && said.contains("did you mean `time`"), "{said}");
}
