//! Tests the clock of a run that starts from a state of an earlier run.

#[path = "support/place.rs"]
mod place;

use place::Place;

/// The speed is 1 until time 0.1, and 0 afterwards.
const SPEED: &str = "normal_speed = \"if(t < 0.1, 1, 0)\"";

fn case(initial: &str, evolve: &str) -> String {
    format!(
        "version = 1\ndevice.threads = 1\n{initial}\n[evolve]\n{SPEED}\n{evolve}\n\
         [output]\ninterval = 0.05\n"
    )
}

const FIRST: &str = "domain.mesh.generate.square = { cells = [24, 24] }\n\
                     initial.ball = { center = [0.5, 0.5, 0], radius = 0.2 }";

fn report(place: &Place, folder: &str) -> serde_json::Value {
    let text = std::fs::read(place.path(&format!("{folder}/report.json"))).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// Returns the times and the enclosed areas of a run.
fn measures(place: &Place, folder: &str) -> Vec<(f64, f64)> {
    let text = std::fs::read_to_string(place.path(&format!("{folder}/measures.csv"))).unwrap();
    let rows = text.lines().skip(1).map(|line| {
        let words: Vec<f64> = line.split(',').map(|word| word.parse().unwrap()).collect();
        (words[1], words[4])
    });
    rows.collect()
}

/// A run that starts from the state at time 0.05 continues like the run that wrote the state.
#[test]
fn the_clock_continues_and_so_do_coefficients_and_outputs() {
    let place = Place::new();
    place.put("first.toml", &case(FIRST, "end_time = 0.2"));
    place.good("run first.toml -o first");
    let whole = measures(&place, "first");
    assert_eq!(report(&place, "first")["start_time"], 0.0);
    place.good("convert first/first.pvd state.vtp --time 0.05");
    for (name, initial) in [
        (
            "list",
            "domain.mesh = { path = \"first/first.pvd\", time = 0.05 }\ninitial.data = \"phi\"",
        ),
        ("state", "domain.mesh.path = \"state.vtp\"\ninitial.data = \"phi\""),
        ("formula", "domain.mesh.path = \"state.vtp\"\ninitial.expression = \"phi + 0*x\""),
        (
            "data",
            "domain.mesh = { generate.square = { cells = [24, 24] }, data = [{ path = \
             \"first/first.pvd\", time = 0.05 }] }\ninitial.data = \"phi\"",
        ),
        (
            "curve",
            "domain.mesh.generate.square = { cells = [24, 24] }\n\
             initial.curve = { path = \"first/interface.pvd\", time = 0.05 }",
        ),
    ] {
        place.put("next.toml", &case(initial, "end_time = 0.2"));
        place.good(&format!("run next.toml -o {name}"));
        let found = measures(&place, name);
        let times: Vec<f64> = found.iter().map(|row| row.0).collect();
        assert_eq!(times, [0.05, 0.1, 0.15000000000000002, 0.2], "{name}");
        for (row, expected) in found.iter().zip(&whole[1..]) {
            assert!((row.1 / expected.1 - 1.0).abs() < 5e-3, "{name}: {row:?} {expected:?}");
        }
        let report = report(&place, name);
        assert_eq!(report["start_time"], 0.05, "{name}");
        let warnings = report["warnings"].as_array().unwrap();
        let said = "the clock begins at time 0.05, that of";
        assert!(
            warnings.iter().any(|w| w.as_str().unwrap().contains(said)),
            "{name}: {warnings:?}"
        );
    }
}

#[test]
fn a_key_and_the_old_defaults_set_the_clock() {
    let place = Place::new();
    place.put("first.toml", &case(FIRST, "end_time = 0.05"));
    place.good("run first.toml -o first");
    let initial = "domain.mesh.path = \"first/first.pvd\"\ninitial.data = \"phi\"";
    for (name, options, start) in [
        ("given", "--set evolve.start_time=0", 0.0),
        ("later", "--set evolve.start_time=0.1", 0.1),
        ("old", "--set defaults=\"0.1\"", 0.0),
    ] {
        place.put("next.toml", &case(initial, "end_time = 0.15"));
        place.good(&format!("run next.toml -o {name} {options}"));
        let found = measures(&place, name);
        assert_eq!(found[0].0, start, "{name}");
        let moves = found.last().unwrap().1 > 1.05 * found[0].1;
        assert_eq!(moves, start < 0.1, "{name}: {found:?}");
        assert_eq!(report(&place, name)["start_time"], start);
    }
    // A shape has no time, even if the mesh file has one.
    let shape = "domain.mesh.path = \"first/first.pvd\"\n\
                 initial.ball = { center = [0.5, 0.5, 0], radius = 0.2 }";
    place.put("shape.toml", &case(shape, "end_time = 0.05"));
    place.good("run shape.toml -o shape");
    assert_eq!(measures(&place, "shape")[0].0, 0.0);
}

#[test]
fn an_end_before_the_start_is_refused() {
    let place = Place::new();
    place.put("first.toml", &case(FIRST, "end_time = 0.05"));
    place.good("run first.toml -o first");
    let initial = "domain.mesh.path = \"first/first.pvd\"\ninitial.data = \"phi\"";
    place.put("next.toml", &case(initial, "end_time = 0.05"));
    for line in ["run next.toml -o next", "check next.toml"] {
        let (code, text) = place.outcome(line);
        assert_eq!(code, 2, "{text}");
        let said =
            "evolve.end_time is 0.05, but the run begins at time 0.05, that of first/first.pvd";
        assert!(text.contains(said) && text.contains("times are absolute"), "{text}");
    }
    place.put("given.toml", &case(FIRST, "end_time = 0.05\nstart_time = 0.5"));
    let (code, text) = place.outcome("check given.toml");
    assert!(code == 2 && text.contains("must be later than start_time = 0.5"), "{text}");
}

/// On tiles, the interface and the dense volume of a run state its time.
#[test]
fn the_clock_continues_on_tiles() {
    let place = Place::new();
    let tiles = "domain.tiled.dx = 0.05\n";
    let volume = "volume = { min = [-0.6, -0.6, -0.6], max = [0.6, 0.6, 0.6] }\n";
    let ball = format!("{tiles}initial.ball = {{ center = [0, 0, 0], radius = 0.3 }}");
    place.put("first.toml", &(case(&ball, "end_time = 0.05") + volume));
    place.good("run first.toml -o first");
    for (name, initial) in [
        (
            "volume",
            "initial.volume = { path = \"first/first_volume.pvd\", level = 0, inside = \"below\" }",
        ),
        ("mesh", "initial.mesh.path = \"first/first.pvd\""),
    ] {
        let initial = format!("{tiles}{initial}");
        place.put("next.toml", &case(&initial, "end_time = 0.15"));
        place.good(&format!("run next.toml -o {name}"));
        let found = measures(&place, name);
        assert_eq!(found[0].0, 0.05, "{name}");
        // The speed drops to zero at time 0.1, at a radius of 0.4.
        let radius = (found.last().unwrap().1 / (4.0 / 3.0 * std::f64::consts::PI)).cbrt();
        assert!((radius - 0.4).abs() < 0.01, "{name}: {radius}");
        assert_eq!(report(&place, name)["start_time"], 0.05);
    }
}
