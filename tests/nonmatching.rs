//! Tests meshes of two cubes that are divided differently on the two sides of their common face:
//! fronts cross this face, it does not belong to the boundary, and a warning counts its facets.

use std::path::Path;
use std::process::Command;

use zeroset::io::{WriteOptions, read_mesh, write_mesh};
use zeroset::mesh::generate::{Cube, Generate, generate};
use zeroset::mesh::{Kind, Mesh};
use zeroset_testing::cell_geometry::measures;

/// Writes two unit cubes with n^3 and m^3 cells, side by side, each with its own vertices. The
/// second cube is mirrored, so that the diagonals on the common face differ.
fn cubes(path: &Path, n: u32, m: u32) {
    let [first, second] = [n, m].map(|n| {
        let cube = Cube { cells: [n; 3], ..Cube::default() };
        generate(&Generate::Cube(cube)).unwrap()
    });
    let n = first.n_vertices() as u32;
    let mirrored = second.vertices.iter().map(|x| [1.0 + x[0], 1.0 - x[1], x[2]]);
    let vertices = first.vertices.into_iter().chain(mirrored).collect();
    let cells = first.cells.into_iter().chain(second.cells.iter().map(|v| v + n)).collect();
    let mesh = Mesh::new(Kind::Volume, vertices, cells);
    write_mesh(path, &mesh, &WriteOptions::default()).unwrap();
}

/// Runs the program in a folder. Returns everything that it printed.
#[track_caller]
fn zeroset(folder: &Path, line: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.current_dir(folder).args(line.split_whitespace()).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(output.status.success(), "{said}");
    said
}

const DOUBT: &str = "inside the mesh lie along others but do not match them";

#[test]
fn a_front_crosses_faces_that_do_not_match() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (n, m) in [(6, 6), (4, 8), (8, 4), (6, 9)] {
        cubes(&folder.join("two.vtu"), n, m);
        let case = "version = 1\ndomain.mesh.path = \"two.vtu\"\ninitial.expression = \"x - 0.3\"\n\
                    evolve = { velocity = [1, 0, 0], end_time = 0.9 }\n";
        std::fs::write(folder.join("c.toml"), case).unwrap();
        let out = format!("r{n}_{m}");
        for said in [
            zeroset(folder, "info two.vtu"),
            zeroset(folder, "check c.toml"),
            zeroset(folder, &format!("run c.toml -o {out} --device cpu")),
        ] {
            assert!(said.contains(DOUBT), "{said}");
        }
        let report = std::fs::read_to_string(folder.join(&out).join("report.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        assert!(report["warnings"].to_string().contains(DOUBT), "{}", report["warnings"]);
        let measures = std::fs::read_to_string(folder.join(&out).join("measures.csv")).unwrap();
        let rows: Vec<Vec<&str>> = measures.lines().map(|row| row.split(',').collect()).collect();
        let column = rows[0].iter().position(|name| *name == "enclosed_volume").unwrap();
        let volume: f64 = rows[rows.len() - 1][column].parse().unwrap();
        assert!((volume - 1.2).abs() < 0.03, "{n} {m}: {volume}");
    }
}

#[test]
fn the_boundary_leaves_out_faces_that_do_not_match() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for (n, m, option) in [(2, 2, ""), (2, 4, ""), (3, 2, ""), (2, 4, "--repair")] {
        cubes(&folder.join("two.vtu"), n, m);
        let said = zeroset(folder, &format!("convert two.vtu b.vtp --boundary {option}"));
        assert!(said.contains("left out of the boundary"), "{said}");
        let surface = read_mesh(&folder.join("b.vtp")).unwrap().mesh;
        let area: f64 = measures(&surface).iter().sum();
        assert!((area - 10.0).abs() < 1e-6, "{n} {m} {option}: {area}");
    }
}
