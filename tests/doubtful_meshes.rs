//! Tests that every command names coarse rounding, copies of cells and overlaps of a mesh, before
//! and after a computation.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Runs the program in a folder. Returns its exit code and everything that it printed.
fn zeroset(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8_lossy(&said).into_owned())
}

/// An OBJ file in the making.
#[derive(Default)]
struct Obj {
    vertices: String,
    faces: String,
    n: usize,
}

impl Obj {
    /// Adds a grid of squares with vertices of its own.
    fn grid(mut self, corner: [f64; 2], size: [f64; 2], n: [usize; 2]) -> Self {
        let first = self.n + 1;
        for k in 0..(n[0] + 1) * (n[1] + 1) {
            let [i, j] = [k % (n[0] + 1), k / (n[0] + 1)].map(|i| i as f64);
            let (x, y) =
                (corner[0] + size[0] * i / n[0] as f64, corner[1] + size[1] * j / n[1] as f64);
            writeln!(self.vertices, "v {x} {y} 0").unwrap();
            self.n += 1;
        }
        for k in 0..n[0] * n[1] {
            let a = first + k / n[0] * (n[0] + 1) + k % n[0];
            writeln!(self.faces, "f {a} {} {} {}", a + 1, a + n[0] + 2, a + n[0] + 1).unwrap();
        }
        self
    }

    fn write(&self, folder: &Path) {
        std::fs::write(folder.join("m.obj"), self.vertices.clone() + &self.faces).unwrap();
        let case =
            "version = 1\n[domain.mesh]\npath = \"m.obj\"\n[distance]\nfrom = [\"vertex:0\"]\n";
        std::fs::write(folder.join("case.toml"), case).unwrap();
    }
}

/// Returns a soup of 200 triangles with edges of this length, at a corner (far, far) in 32-bit
/// numbers.
fn soup(edge: f64, far: f64) -> Obj {
    let mut obj = Obj::default();
    for k in 0..100 {
        for corners in [[[0, 0], [1, 0], [1, 1]], [[0, 0], [1, 1], [0, 1]]] {
            for [i, j] in corners {
                let at = |i: usize| (far + edge * i as f64) as f32;
                writeln!(obj.vertices, "v {} {} 0", at(k % 10 + i), at(k / 10 + j)).unwrap();
            }
            writeln!(obj.faces, "f {} {} {}", obj.n + 1, obj.n + 2, obj.n + 3).unwrap();
            obj.n += 3;
        }
    }
    obj
}

/// Checks that `info`, `check`, `distance` and the report of a run contain a text.
fn assert_is_named(folder: &Path, text: &str) {
    for arguments in [
        &["info", "m.obj"][..],
        &["check", "case.toml"],
        &["distance", "m.obj", "--from", "vertex:0", "-o", "d.csv"],
        &["run", "case.toml", "-o", "results"],
    ] {
        let (code, said) = zeroset(folder, arguments);
        assert!(code == 0 && said.contains(text), "{arguments:?} {code}: {said}");
    }
    let report = std::fs::read_to_string(folder.join("results/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let warnings = report["warnings"].to_string();
    assert!(warnings.contains(text), "{warnings}");
}

/// Returns the distances that `distance` has written.
fn distances(folder: &Path) -> Vec<([f64; 2], f64)> {
    let text = std::fs::read_to_string(folder.join("d.csv")).unwrap();
    let row = |line: &str| {
        let row: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        ([row[1], row[2]], row[4])
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn a_mesh_rounded_by_a_third_of_an_edge_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    soup(0.1, 5e5).write(folder);
    let text = "32-bit numbers with steps of 0.03125";
    let (code, said) = zeroset(folder, &["info", "m.obj"]);
    assert!(code == 0 && said.contains(text), "{said}");
    let distance = ["distance", "m.obj", "--from", "vertex:0", "-o", "d.csv"];
    for arguments in [&["check", "case.toml"][..], &["run", "case.toml"], &distance] {
        let (code, said) = zeroset(folder, arguments);
        assert!(code == 3 && said.contains(text), "{arguments:?} {code}: {said}");
        assert!(said.contains("subtract an origin"), "{said}");
    }
    let (code, said) = zeroset(folder, &[&distance[..], &["--repair", "never"]].concat());
    assert!(code == 0 && said.contains("results are unreliable"), "{code}: {said}");
}

#[test]
fn coarse_rounding_is_named() {
    let folder = tempfile::tempdir().unwrap();
    // The step is 6 % of an edge.
    soup(0.53, 5e5).write(folder.path());
    assert_is_named(folder.path(), "32-bit numbers with steps of 0.03125");
}

#[test]
fn overlapping_parts_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let left = Obj::default().grid([0.0, 0.0], [1.1, 1.0], [7, 6]);
    left.grid([1.0, 0.0], [1.0, 1.0], [6, 6]).write(folder.path());
    assert_is_named(folder.path(), "triangles overlap with other parts of the mesh");
}

#[test]
fn pieces_that_are_stored_twice_do_not_hide_hanging_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let twice = Obj::default()
        .grid([0.0, 0.0], [1.0, 1.0], [4, 4])
        .grid([0.0, 0.0], [1.0, 1.0], [4, 4])
        .grid([1.0, 0.0], [1.0, 1.0], [8, 8]);
    twice.write(folder);
    let (code, said) = zeroset(folder, &["distance", "m.obj", "--from", "vertex:0", "-o", "d.csv"]);
    assert!(
        code == 0 && said.contains("32 duplicate cells with separate vertices removed"),
        "{said}"
    );
    let found = distances(folder);
    assert_eq!(found.len(), twice.n);
    for ([x, y], distance) in found {
        assert!((distance - x.hypot(y)).abs() < 1e-9, "{distance} at {x} {y}");
    }
}
