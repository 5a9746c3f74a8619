//! Tests that arrays with values that are not finite are refused before the first step, for every
//! key of a case that takes an array. The message names the key, the array, and the vertex or cell.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Writes a strip of squares with valid arrays and with arrays that are invalid at vertex 5 or cell
/// 3.
fn mesh(path: &Path) {
    let n = 12;
    let mut text = "# vtk DataFile Version 3.0\nstrip\nASCII\nDATASET POLYDATA\n".to_string();
    writeln!(text, "POINTS {} double", 2 * n).unwrap();
    (0..2 * n).for_each(|k| writeln!(text, "{} {} 0", k % n, k / n).unwrap());
    writeln!(text, "POLYGONS {} {}", 2 * (n - 1), 8 * (n - 1)).unwrap();
    for k in 0..n - 1 {
        writeln!(text, "3 {k} {} {}\n3 {k} {} {}", k + 1, k + 1 + n, k + 1 + n, k + n).unwrap();
    }
    let mut arrays = |of: &str, rows: usize, at: usize, list: &[(&str, &str, &str)]| {
        writeln!(text, "{of} {rows}\nFIELD f {}", list.len()).unwrap();
        for (name, good, wrong) in list {
            let components = good.split(' ').count();
            writeln!(text, "{name} {components} {rows} double").unwrap();
            (0..rows)
                .for_each(|k| writeln!(text, "{}", if k == at { wrong } else { good }).unwrap());
        }
    };
    let point = [
        ("none", "0.5", "nan"),
        ("endless", "0.5", "inf"),
        ("below", "0.5", "-1"),
        ("flow", "1 0 0", "1 nan 0"),
        ("sound", "0.5", "0.25"),
    ];
    arrays("POINT_DATA", 2 * n, 5, &point);
    let cell = [("cell_none", "1", "nan"), ("cell_zero", "1", "0"), ("cell_below", "1", "-2")];
    arrays("CELL_DATA", 2 * (n - 1), 3, &cell);
    std::fs::write(path, text).unwrap();
}

const EVOLVE: &str = "\
version = 1
domain.mesh.path = \"strip.vtk\"
[initial]
ball = { center = [3, 0.5, 0], radius = 2 }
[evolve]
max_steps = 2
curvature = 0.1
";

const DISTANCE: &str = "\
version = 1
domain.mesh.path = \"strip.vtk\"
[distance]
from = [\"vertex:0\"]
";

#[test]
fn arrays_with_numbers_that_are_none_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    mesh(&folder.path().join("strip.vtk"));
    std::fs::write(folder.path().join("evolve.toml"), EVOLVE).unwrap();
    let initial = EVOLVE.replace("ball = { center = [3, 0.5, 0], radius = 2 }", "data = \"none\"");
    std::fs::write(folder.path().join("initial.toml"), initial).unwrap();
    std::fs::write(folder.path().join("distance.toml"), DISTANCE).unwrap();
    let mut failures = Vec::new();
    for (case, set, found) in [
        ("initial", "evolve.cfl=0.5", &["\"none\"", "NaN", "vertex 5"][..]),
        ("initial", "initial.data=endless", &["\"endless\"", "inf", "vertex 5"]),
        ("evolve", "evolve.curvature={ data = \"none\" }", &["\"none\"", "NaN", "vertex 5"]),
        ("evolve", "evolve.curvature={ data = \"below\" }", &["curvature", "-1", "vertex 5"]),
        ("evolve", "evolve.curvature=\"none\"", &["\"none\"", "NaN", "vertex 5"]),
        (
            "evolve",
            "evolve.normal_speed={ data = \"endless\" }",
            &["\"endless\"", "inf", "vertex 5"],
        ),
        ("evolve", "evolve.velocity={ data = \"flow\" }", &["\"flow\"", "NaN", "vertex 5"]),
        ("evolve", "evolve.velocity=[\"none\", 0, 0]", &["\"none\"", "NaN", "vertex 5"]),
        (
            "distance",
            "distance.speed={ cell_data = \"cell_none\" }",
            &["\"cell_none\"", "NaN", "cell 3"],
        ),
        ("distance", "distance.speed={ cell_data = \"cell_zero\" }", &["speed", "0", "cell 3"]),
        ("distance", "distance.speed={ cell_data = \"cell_below\" }", &["speed", "-2", "cell 3"]),
        ("distance", "distance.speed=\"none\"", &["\"none\"", "NaN"]),
        ("distance", "distance.from=[\"levelset:none\"]", &["NaN", "vertex 5"]),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.current_dir(folder.path());
        let output =
            command.args(["check", &format!("{case}.toml"), "--set", set]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        let code = output.status.code();
        let missing = found.iter().find(|word| !said.contains(**word));
        if !matches!(code, Some(2 | 3)) || missing.is_some() || !said.contains("; ") {
            failures.push(format!("{set}: code {code:?}, without {missing:?}: {said}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Invalid arrays are harmless if nothing uses them.
#[test]
fn arrays_that_nothing_uses_may_hold_anything() {
    let folder = tempfile::tempdir().unwrap();
    mesh(&folder.path().join("strip.vtk"));
    std::fs::write(folder.path().join("evolve.toml"), EVOLVE).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    command.current_dir(folder.path()).args(["run", "evolve.toml", "-q", "-o", "out"]);
    let output =
        command.args(["--set", "evolve.normal_speed={ data = \"sound\" }"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}
