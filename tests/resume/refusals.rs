//! Tests that a checkpoint of a different run is refused and that the message names the difference.

use std::path::Path;

use crate::folder::files;
use crate::runs::{Folders, config, run};

/// A case that uses two arrays of its mesh file.
const CASE: &str = "\
version = 1
domain.mesh.path = \"mesh.vtk\"
[initial]
data = \"start\"
[evolve]
max_steps = 9
curvature = { data = \"beta\" }
[reinitialize]
half_width = 2.5
[output]
every = 4
";

/// Writes a strip of 10 by 4 squares as a legacy VTK file. `moved` is added to the x coordinate of
/// one vertex, and `beta` and `start` are added to one value of the array with that name.
fn mesh(path: &Path, moved: f64, beta: f64, start: f64) {
    let points: Vec<[f64; 2]> = (0..55).map(|k| [f64::from(k % 11), f64::from(k / 11)]).collect();
    let mut text = "# vtk DataFile Version 3.0\nstrip\nASCII\nDATASET POLYDATA\n".to_string();
    text += "POINTS 55 double\n";
    for (k, [x, y]) in points.iter().enumerate() {
        text += &format!("{} {y} 0\n", if k == 17 { x + moved } else { *x });
    }
    text += "POLYGONS 80 320\n";
    for k in (0..44).filter(|k| k % 11 != 10) {
        text += &format!("3 {k} {} {}\n3 {k} {} {}\n", k + 1, k + 12, k + 12, k + 11);
    }
    text += "POINT_DATA 55\n";
    for (name, value) in [("beta", beta), ("start", start)] {
        text += &format!("SCALARS {name} double 1\nLOOKUP_TABLE default\n");
        for (k, [x, _]) in points.iter().enumerate() {
            let number = if name == "beta" { 0.1 } else { x - 4.3 };
            text += &format!("{}\n", if k == 30 { number + value } else { number });
        }
    }
    std::fs::write(path, text).unwrap();
}

#[test]
fn another_run_is_refused_by_name() {
    let folders = Folders::new();
    let (out, file) = (folders.named("out"), folders.named("mesh.vtk"));
    let path = format!("domain.mesh.path={}", file.display());
    let with = |set: &[&str]| config(CASE, &[&[path.as_str()], set].concat());
    mesh(&file, 0.0, 0.0, 0.0);
    run(&with(&[]), &out, false, Some(5)).unwrap();
    let before = files(&out);
    let refused = |config: &zeroset::config::Config, code: u8, message: &str| {
        let error = run(config, &out, true, None).expect_err(message);
        assert!(error.to_string().contains(message), "`{message}` is not in: {error}");
        assert!(error.to_string().contains("begin again with --overwrite"), "{error}");
        assert_eq!(error.exit_code(), code, "{error}");
        assert!(files(&out) == before, "{message}: a refusal must not change files");
    };
    for (set, message) in [
        ("evolve.cfl=0.5", "evolve.cfl is 0.5, but the interrupted run was started with 1.0"),
        (
            "evolve.curvature=1",
            "evolve.curvature is 1.0, but the interrupted run was started without it",
        ),
        (
            "evolve.end_time=9",
            "evolve.end_time is 9.0, but the interrupted run was started without it",
        ),
        ("output.every=5", "output.every is 5, but the interrupted run was started with 4"),
        ("precision=f32", "precision is \"f32\", but the interrupted run was started with \"f64\""),
    ] {
        refused(&with(&[set]), 2, message);
    }
    let fewer = CASE.replace("every = 4", "");
    let message = "output.every is not given, but the interrupted run was started with 4";
    refused(&config(&fewer, &[&path]), 2, message);
    let other =
        zeroset::config::Config::parse(CASE, Path::new("b.toml"), std::slice::from_ref(&path));
    refused(&other.unwrap(), 2, "name is \"b\", but the interrupted run was started with \"case\"");

    mesh(&file, 1e-15, 0.0, 0.0);
    let message = "mesh.vtk: differs from the mesh of the interrupted run: it also has 55 vertices \
                   and 80 cells";
    refused(&with(&[]), 3, message);
    mesh(&file, 0.0, 1e-15, 0.0);
    refused(&with(&[]), 3, "vertex array \"beta\": has other values than in the interrupted");
    mesh(&file, 0.0, 0.0, 1e-15);
    refused(&with(&[]), 3, "vertex array \"start\": has other values");
    mesh(&file, 0.0, 0.0, 0.0);
    let text = std::fs::read_to_string(&file).unwrap();
    let cut = text.replace("POLYGONS 80 320", "POLYGONS 79 316").replace("3 42 54 53\n", "");
    std::fs::write(&file, cut).unwrap();
    refused(&with(&[]), 3, "55 vertices and 79 cells, not 55 vertices and 80 cells");
    mesh(&file, 0.0, 0.0, 0.0);

    // Settings that do not change results may differ.
    let free = [
        "device.threads=1",
        "output.checkpoint={ every = 2 }",
        "output.picture={ width = 64, height = 64 }",
        "expect.steps=9",
    ];
    let end = run(&with(&free), &out, true, None).unwrap().report;
    assert_eq!((end.steps, end.expect.met), (9, Some(true)));
    let error = run(&with(&[]), &out, true, None).unwrap_err().to_string();
    assert!(error.contains("nothing to resume: the run in it has finished"), "{error}");
    let error = run(&with(&[]), &folders.named("none"), true, None).unwrap_err().to_string();
    assert!(error.contains("nothing to resume: no such folder; run without --resume"), "{error}");
    assert!(!folders.named("none").exists());
}

#[test]
fn files_of_the_run_that_were_changed_are_refused() {
    let folders = Folders::new();
    let (out, file) = (folders.named("out"), folders.named("mesh.vtk"));
    mesh(&file, 0.0, 0.0, 0.0);
    let config = config(CASE, &[&format!("domain.mesh.path={}", file.display())]);
    run(&config, &out, false, Some(5)).unwrap();
    for name in ["checkpoint.zeroset", "measures.csv"] {
        let path = out.join(name);
        let good = std::fs::read(&path).unwrap();
        let mut bad = good.clone();
        bad[30] ^= 1;
        for bytes in [&bad[..], &good[..30]] {
            std::fs::write(&path, bytes).unwrap();
            let error = run(&config, &out, true, None).unwrap_err();
            assert_eq!(error.exit_code(), 3);
            assert!(error.to_string().contains(name), "{error}");
            assert!(error.to_string().contains("--overwrite"), "{error}");
        }
        std::fs::write(&path, &good).unwrap();
    }
    run(&config, &out, true, None).unwrap();
}
