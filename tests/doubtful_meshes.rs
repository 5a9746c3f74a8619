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

    /// Adds a sheet of 5 x 5 squares at height z(x, y), with vertices of its own. Each square is
    /// cut along one of its diagonals, and its triangles face up or down.
    fn sheet(mut self, z: impl Fn(f64, f64) -> f64, diagonal: usize, faces_up: bool) -> Self {
        let first = self.n + 1;
        for k in 0..36 {
            let [x, y] = [k % 6, k / 6].map(|i| i as f64 / 5.0);
            writeln!(self.vertices, "v {x} {y} {}", z(x, y)).unwrap();
            self.n += 1;
        }
        for k in 0..25 {
            let a = first + k / 5 * 6 + k % 5;
            let corners = [a, a + 1, a + 7, a + 6];
            for turn in [0, 2] {
                let [p, q, r] = [0, 1, 2].map(|i| corners[(i + turn + diagonal) % 4]);
                let [q, r] = if faces_up { [q, r] } else { [r, q] };
                writeln!(self.faces, "f {p} {q} {r}").unwrap();
            }
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
fn sheets_with_different_diagonals_are_named() {
    let text = "triangles overlap with other parts of the mesh";
    let (flat, bent) = (|_: f64, _: f64| 0.0, |x: f64, y: f64| 0.2 * x * x - 0.1 * y);
    for faces_up in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        Obj::default().sheet(flat, 0, true).sheet(flat, 1, faces_up).write(folder.path());
        assert_is_named(folder.path(), text);
        let folder = tempfile::tempdir().unwrap();
        let above = |x: f64, y: f64| bent(x, y) + 1e-9;
        Obj::default().sheet(bent, 0, true).sheet(above, 1, faces_up).write(folder.path());
        assert_is_named(folder.path(), text);
    }
    // Sheets that only touch at their boundary do not overlap.
    for other in [|x: f64, y: f64| x * (1.0 - x) * y * (1.0 - y), |_: f64, _: f64| 0.3] {
        let folder = tempfile::tempdir().unwrap();
        Obj::default().sheet(flat, 0, true).sheet(other, 1, false).write(folder.path());
        let (code, said) = zeroset(folder.path(), &["info", "m.obj"]);
        assert!(code == 0 && !said.contains("overlap"), "{said}");
    }
}

#[test]
fn a_folded_sheet_is_named() {
    // The second sheet has the left side of the first one.
    let sheets = Obj::default().sheet(|_, _| 0.0, 0, true).sheet(|_, _| 0.0, 1, false);
    let own = |word: &str| match word.parse::<usize>() {
        Ok(v) if v > 36 && (v - 37) % 6 == 0 => (v - 36).to_string(),
        _ => word.to_string(),
    };
    let line = |line: &str| line.split(' ').map(own).collect::<Vec<_>>().join(" ") + "\n";
    let faces = sheets.faces.lines().map(line).collect();
    let folder = tempfile::tempdir().unwrap();
    Obj { faces, ..sheets }.write(folder.path());
    assert_is_named(folder.path(), "triangles overlap with other parts of the mesh");
}

#[test]
fn tetrahedra_that_fill_a_cube_twice_are_named() {
    let mut text =
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 16 double\n"
            .to_string();
    for k in 0..16 {
        writeln!(text, "{} {} {}", k & 1, k >> 1 & 1, k >> 2 & 1).unwrap();
    }
    writeln!(text, "CELLS 12 60").unwrap();
    // The second cube is cut along the diagonal from corner 1 to corner 6.
    for turn in [0, 9] {
        for path in [[1, 3], [1, 5], [2, 3], [2, 6], [4, 5], [4, 6]] {
            let corners = [0, path[0], path[1], 7].map(|v: usize| v ^ turn);
            writeln!(text, "4 {} {} {} {}", corners[0], corners[1], corners[2], corners[3])
                .unwrap();
        }
    }
    text += &format!("CELL_TYPES 12\n{}", "10\n".repeat(12));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("m.vtk"), text).unwrap();
    let (code, said) = zeroset(folder.path(), &["info", "m.vtk"]);
    assert!(code == 0 && said.contains("tetrahedra overlap with other parts"), "{said}");
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

/// Runs a case with these seeds on a mesh. Returns everything that it printed, and the warnings in
/// its report.
fn run_from(mesh: &str, seeds: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("m.obj"), mesh).unwrap();
    let case =
        format!("version = 1\n[domain.mesh]\npath = \"m.obj\"\n[distance]\nfrom = [{seeds}]\n");
    std::fs::write(folder.join("case.toml"), case).unwrap();
    let (code, said) = zeroset(folder, &["run", "case.toml", "-o", "results"]);
    assert_eq!(code, 0, "{said}");
    let report = std::fs::read_to_string(folder.join("results/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    (said, report["warnings"].to_string())
}

#[test]
fn every_warning_appears_once() {
    let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 5 0\nf 1 2 3\nf 1 3 4\n";
    let fin = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 1 2 4\nf 2 1 5\n";
    let off = "\"point:0.1,0.1,0.1\", \"point:0.5,0.2,0.3\", \"point:0.5,0.3,-0.2\"";
    for (mesh, seeds, text) in [
        (square, "\"vertex:0\"", "1 unreferenced vertex left out"),
        (fin, "\"vertex:0\"", "1 edge is shared by three or more cells"),
        (square, off, "3 seeds are not on the mesh; the farthest: point:0.5,0.2,0.3 is 3.000e-1"),
    ] {
        let (said, warnings) = run_from(mesh, seeds);
        assert_eq!(said.matches(text).count(), 1, "{said}");
        assert_eq!(warnings.matches(text).count(), 1, "{warnings}");
    }
}
