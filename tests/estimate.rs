//! Tests that `zeroset check --estimate` measures the first part of a run, extrapolates the rest,
//! and leaves nothing behind.

#[path = "support/place.rs"]
mod place;
use place::Place;

use serde_json::Value;

fn config(name: &str) -> String {
    format!("{}/configs/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

impl Place {
    /// Returns the estimate of a case, which must be the only output.
    #[track_caller]
    fn estimate(&self, line: &str) -> Value {
        let before = self.names();
        let (code, text) = self.outcome(&format!("check --estimate --json {line}"));
        assert_eq!(code, 0, "{text}");
        assert_eq!(self.names(), before, "nothing is left behind");
        let end: Value = serde_json::from_str(&text).unwrap();
        assert!(end["plan"].as_array().unwrap().len() > 2, "{end}");
        end["estimate"].clone()
    }

    /// Returns the sorted names of all files and folders.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Returns the bytes of the files in a folder.
    fn bytes(&self, folder: &str) -> f64 {
        let entries = std::fs::read_dir(self.path(folder)).unwrap();
        entries.map(|entry| entry.unwrap().metadata().unwrap().len() as f64).sum()
    }

    fn report(&self, folder: &str) -> Value {
        let text = std::fs::read_to_string(self.path(&format!("{folder}/report.json"))).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

/// Checks that the middle of a range is within a factor of a number.
#[track_caller]
fn near(range: &Value, found: f64, factor: f64) {
    let [low, high] = ["low", "high"].map(|end| range[end].as_f64().unwrap());
    let middle = 0.5 * (low + high);
    let close = found / factor <= middle && middle <= found * factor;
    assert!(low <= high && close, "{range} instead of {found}");
}

/// Checks that a range contains a number, and that its ends differ by at most a factor.
#[track_caller]
fn contains(range: &Value, found: f64, factor: f64) {
    let [low, high] = ["low", "high"].map(|end| range[end].as_f64().unwrap());
    // The lines of the report have different lengths in each run.
    let is_within = 0.98 * low <= found && found <= 1.02 * high;
    assert!(is_within && high <= factor * low, "{range} instead of {found}");
}

#[test]
fn estimates_are_close_to_what_is_measured() {
    for (case, seconds) in [("shrinking_circle", 0.3), ("cortex_curvature_flow", 1.0)] {
        let place = Place::new();
        let case = config(case);
        let estimate = place.estimate(&format!("{case} -o out --seconds {seconds}"));
        place.good(&format!("run {case} -o out"));
        let report = place.report("out");
        // A fast machine may finish the whole run within the sample.
        if estimate["is_complete"] == false {
            assert!(estimate["sample"]["steps"].as_u64() < report["steps"].as_u64());
        }
        near(&estimate["seconds"], report["seconds"]["total"].as_f64().unwrap(), 2.0);
        near(&estimate["steps"], report["steps"].as_f64().unwrap(), 1.5);
        near(&estimate["states"], report["states"].as_f64().unwrap(), 1.01);
        near(&estimate["disk"], place.bytes("out"), 1.3);
        assert!(estimate["peak_memory"].as_u64().unwrap() > 1 << 20, "{estimate}");
        assert!(estimate["free_disk"].as_u64().unwrap() > 1 << 20, "{estimate}");
        assert!(estimate["warnings"].as_array().unwrap().is_empty(), "{estimate}");
    }
}

#[test]
fn a_short_run_is_measured_completely() {
    let place = Place::new();
    let short = "--set evolve.end_time=0.002 --set output.interval=0.001 --set expect={}";
    let line = format!("{} {short} -o deep/out", config("shrinking_circle"));
    let estimate = place.estimate(&line);
    place.good(&format!("run {line}"));
    let report = place.report("deep/out");
    assert_eq!(estimate["is_complete"], true);
    for key in ["steps", "states"] {
        near(&estimate[key], report[key].as_f64().unwrap(), 1.0);
    }
    near(&estimate["disk"], place.bytes("deep/out"), 1.02);
    let (code, text) = place.outcome(&format!("check --estimate {line} --overwrite"));
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("sample  the whole run: "), "{text}");
    assert!(text.ends_with(" is ready to run\n"), "{text}");
}

#[test]
fn one_file_of_all_states_grows_by_states() {
    let place = Place::new();
    let line = format!("{} --set output.format=vtkhdf -o out", config("shrinking_circle"));
    let estimate = place.estimate(&format!("{line} --seconds 0.3"));
    place.good(&format!("run {line}"));
    near(&estimate["disk"], place.bytes("out"), 1.3);
}

#[test]
fn tiles_are_estimated_too() {
    let place = Place::new();
    place.put(
        "t.toml",
        "version = 1\ndomain.tiled.dx = 0.02\ninitial.ball = { center = [0, 0, 0], radius = 0.5 }\n\
         evolve = { normal_speed = 0.1, max_steps = 40 }\noutput.every = 4\n",
    );
    let estimate = place.estimate("t.toml -o out --seconds 0.2");
    place.good("run t.toml -o out");
    let report = place.report("out");
    near(&estimate["seconds"], report["seconds"]["total"].as_f64().unwrap(), 2.5);
    near(&estimate["steps"], 40.0, 1.0);
    near(&estimate["states"], 11.0, 1.0);
    // A slow machine measures a few steps only, from which no trend can be seen. The range then
    // extends from no trend to the steepest one.
    contains(&estimate["disk"], place.bytes("out"), 4.0);
}

#[test]
fn a_distance_is_computed_up_to_a_width() {
    let place = Place::new();
    place.put(
        "d.toml",
        "version = 1\ndomain.mesh.generate.square = { cells = [300, 300] }\n\
         distance.from = [\"vertex:0\"]\n",
    );
    let part = place.estimate("d.toml -o out --seconds 0.001");
    assert_eq!(part["is_complete"], false, "{part}");
    let sample = &part["sample"]["part"];
    assert!(sample["done"].as_u64() < sample["whole"].as_u64(), "{part}");
    let whole = place.estimate("d.toml -o out --seconds 600");
    assert_eq!(whole["is_complete"], true, "{whole}");
    place.good("run d.toml -o out");
    near(&whole["disk"], place.bytes("out"), 1.02);
    let [low, high] = ["low", "high"].map(|end| part["disk"][end].as_f64().unwrap());
    assert!((low..=high * 1.02).contains(&place.bytes("out")), "{low} {high}");
}

#[test]
fn a_reconstruction_is_computed_for_a_part_of_the_samples() {
    let place = Place::new();
    place.good("generate sphere --subdivisions 5 -o sphere.ply");
    place.good("sample sphere.ply -n 60000 --normals -o cloud.ply");
    place.put("r.toml", "version = 1\ndomain.cloud.path = \"cloud.ply\"\n[reconstruct]\n");
    let part = place.estimate("r.toml -o out --seconds 0.001");
    assert_eq!(part["is_complete"], false, "{part}");
    assert_eq!(part["sample"]["part"]["whole"], 60000, "{part}");
    place.good("run r.toml -o out");
    near(&part["disk"], place.bytes("out"), 1.6);
    let whole = place.estimate("r.toml -o out --seconds 600 --overwrite");
    assert_eq!(whole["is_complete"], true, "{whole}");
    near(&whole["disk"], place.bytes("out"), 1.02);
}

#[test]
fn bad_cases_have_the_errors_of_check() {
    let place = Place::new();
    let bad = |line: &str| {
        let (code, said) = place.outcome(&format!("check {line}"));
        assert!(code != 0, "{said}");
        assert_eq!(place.outcome(&format!("check --estimate {line}")), (code, said));
    };
    let case = config("shrinking_circle");
    bad(&format!("{case} --set evolve.cfl=-1"));
    bad(&format!("{case} --set evolve.cfl=-1 --set evolve.end_time=-1"));
    bad(&format!("{case} --set evolve.curvature=nothing"));
    bad("missing.toml");
    // A step that breaks down in the measured part is the error of the run.
    let breaks = format!("{case} --set evolve.curvature=1/(0.05-t)^2 --set evolve.max_step=0.01");
    let (code, said) = place.outcome(&format!("run {breaks} -o out"));
    if code == 4 {
        assert_eq!(place.outcome(&format!("check --estimate {breaks} -o other")).0, 4, "{said}");
    }
    let (code, said) = place.outcome(&format!("check {case} --seconds 3"));
    assert!(code == 2 && said.contains("--estimate"), "{said}");
    let (code, said) = place.outcome(&format!("check {case} --estimate --seconds 0"));
    assert!(code == 2 && said.contains("must be > 0"), "{said}");
    assert!(place.names().iter().all(|name| name == "out"), "{:?}", place.names());
}

#[test]
fn check_without_an_estimate_prints_its_plan_as_json_too() {
    let place = Place::new();
    let (code, text) =
        place.outcome(&format!("check --json {} -o out", config("shrinking_circle")));
    let end: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &end["exit_code"], &end["estimate"]), (0, &Value::from(0), &Value::Null));
    assert_eq!(end["plan"][0], "task    evolve");
}

#[cfg(unix)]
#[test]
fn an_interrupted_estimate_leaves_nothing_behind() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let place = Place::new();
    let line = format!("check --estimate --seconds 60 {} -o out", config("cortex_curvature_flow"));
    let longer = format!("{line} --set evolve.end_time=1e6 --set output.interval=1");
    let mut command = place.command(&longer);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    // The folder holds states once the steps have begun.
    let states = || {
        let folder = place.names().into_iter().find(|name| name.starts_with(".zeroset-"))?;
        std::fs::read_dir(place.path(&folder)).ok().map(Iterator::count).filter(|&n| n > 4)
    };
    while states().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", place.names());
        assert!(child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(place.names().is_empty(), "{:?}", place.names());
}
