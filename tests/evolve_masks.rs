//! Tests masks and groups in cases that move an interface.

use std::path::{Path, PathBuf};
use std::process::Command;

use zeroset::io::read_mesh;
use zeroset::mesh::Mesh;

/// A folder with a square of 20 x 20 squares as `m.msh`. The group `left` holds the cells with x <
/// 0.5. `lh.speed.label` has the value 0.25 at the vertices with x <= 0.5.
struct Place(tempfile::TempDir);

/// The number of squares along an axis.
const N: usize = 20;

impl Place {
    fn new() -> Self {
        let at = |i: usize| i as f64 / N as f64;
        let grid = || (0..=N).flat_map(|j| (0..=N).map(move |i| (i, j)));
        let rows = grid().enumerate();
        let nodes: String =
            rows.clone().map(|(k, (i, j))| format!("{} {} {} 0\n", k + 1, at(i), at(j))).collect();
        let mut elements = Vec::new();
        for (i, j) in grid().filter(|&(i, j)| i < N && j < N) {
            let [a, b] = [j * (N + 1) + i + 1, (j + 1) * (N + 1) + i + 1];
            let tag = if i < N / 2 { 1 } else { 2 };
            elements.push(format!("2 2 {tag} {tag} {a} {} {}", a + 1, b + 1));
            elements.push(format!("2 2 {tag} {tag} {a} {} {b}", b + 1));
        }
        let listed = elements.iter().enumerate();
        let elements: String = listed.map(|(k, text)| format!("{} {text}\n", k + 1)).collect();
        let msh = format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 \"left\"\n2 2 \"right\"\n\
             $EndPhysicalNames\n$Nodes\n{}\n{nodes}$EndNodes\n$Elements\n{}\n{elements}$EndElements\n",
            (N + 1) * (N + 1),
            2 * N * N,
        );
        let members = rows.filter(|(_, (i, _))| *i <= N / 2);
        let members: Vec<String> = members.map(|(k, _)| format!("{k} 0 0 0 0.25\n")).collect();
        let label = format!("#!ascii label\n{}\n{}", members.len(), members.concat());
        let place = Place(tempfile::tempdir().unwrap());
        std::fs::write(place.path("m.msh"), msh).unwrap();
        std::fs::write(place.path("lh.speed.label"), label).unwrap();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a case with the given tables. Returns whether it succeeded, and everything it printed.
    fn run(&self, tables: &str) -> (bool, String) {
        let case = format!(
            "version = 1\n[domain.mesh]\npath = \"m.msh\"\ndata = [{{ path = \"lh.speed.label\" }}]\n\
             {tables}"
        );
        std::fs::write(self.path("c.toml"), case).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        command.current_dir(self.0.path()).args(["run", "c.toml", "-o", "r", "--overwrite"]);
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    }

    /// Runs a case that must succeed. Returns the last state, and what the program printed.
    #[track_caller]
    fn done(&self, tables: &str) -> (Mesh, String) {
        let (success, said) = self.run(tables);
        assert!(success, "{said}");
        let files = std::fs::read_dir(self.path("r")).unwrap();
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.retain(|file| file.file_name().unwrap().to_string_lossy().starts_with("c_0"));
        files.sort();
        (read_mesh(files.last().unwrap()).unwrap().mesh, said)
    }

    /// Returns the value in a column of the first line of the measures.
    fn first_measure(&self, name: &str) -> f64 {
        let text = std::fs::read_to_string(self.path("r/measures.csv")).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let column = lines[0].iter().position(|&column| column == name).unwrap();
        lines[1][column].parse().unwrap()
    }
}

fn phi(mesh: &Mesh) -> Vec<f64> {
    mesh.vertex_array("phi").unwrap().values.to_f64()
}

const BALL: &str =
    "[initial]\nball = { center = [0.25, 0.5, 0], radius = 0.1 }\n[evolve]\nend_time = 0.2\n";

#[test]
fn a_mask_leaves_out_vertices_without_values() {
    let place = Place::new();
    for mask in ["!isnan(speed)", "{left}", "x < 0.51"] {
        let tables = format!("{BALL}normal_speed = \"speed\"\nmask = \"{mask}\"\n");
        let (mesh, _) = place.done(&tables);
        assert_eq!(mesh.n_cells(), 2 * N * N, "the output holds the whole mesh");
        for (x, phi) in mesh.vertices.iter().zip(phi(&mesh)) {
            assert_eq!(phi.is_nan(), x[0] > 0.5 + 1e-9, "{mask}: {x:?} {phi}");
            let exact = (x[0] - 0.25).hypot(x[1] - 0.5) - 0.15;
            assert!(
                phi.is_nan() || exact.abs() > 0.06 || (phi - exact).abs() < 0.02,
                "{x:?} {phi}"
            );
        }
    }
    let (success, said) = place.run(&format!("{BALL}normal_speed = {{ data = \"speed\" }}\n"));
    assert!(!success && said.contains("vertex 11: array \"speed\" is NaN"), "{said}");
    let (success, said) = place.run(&format!("{BALL}normal_speed = \"2*speed\"\n"));
    assert!(
        !success && said.contains("c.toml:9: evolve.normal_speed is NaN at vertex 11"),
        "{said}"
    );
    assert!(said.contains("the array \"speed\" has no value there"), "{said}");
    // A missing value that is needed only at a later time ends the run with the same message.
    let late = format!("{BALL}normal_speed = \"if(t < 0.05, 0.1, speed)\"\n");
    let (success, said) = place.run(&late.replace("0.25, 0.5", "0.75, 0.5"));
    assert!(!success && said.contains("the array \"speed\" has no value there"), "{said}");
    let (success, said) = place.run(&format!("{BALL}normal_speed = 1\nmask = \"x > 2\"\n"));
    assert!(!success && said.contains("evolve.mask leaves no cell"), "{said}");
    let (success, said) = place.run(&format!("{BALL}normal_speed = 1\nmask = \"x > t\"\n"));
    assert!(!success && said.contains("evolve.mask must not depend on the time"), "{said}");
}

#[test]
fn a_group_is_an_initial_region() {
    let place = Place::new();
    let evolve = "[evolve]\nnormal_speed = 0.5\nend_time = 0.2\n";
    let (mesh, _) = place.done(&format!("[initial]\ngroup = \"left\"\n{evolve}"));
    assert!((place.first_measure("enclosed_area") - 0.5).abs() < 1e-12);
    for (x, phi) in mesh.vertices.iter().zip(phi(&mesh)) {
        assert!((x[0] - 0.6).abs() > 0.1 || (phi - (x[0] - 0.6)).abs() < 1e-3, "{x:?} {phi}");
    }
    // The label has values up to x = 0.5, so its interface lies half an edge beyond this line.
    place.done(&format!("[initial]\ngroup = \"speed\"\n{evolve}"));
    assert!((place.first_measure("enclosed_area") - 0.525).abs() < 1e-12);
    let (success, said) = place.run(&format!("[initial]\ngroup = \"lft\"\n{evolve}"));
    assert!(!success && said.contains("initial.group: there is no group \"lft\""), "{said}");
}

#[test]
fn cell_arrays_serve_as_coefficients() {
    let place = Place::new();
    // The whole ball lies inside the group, so its radius grows from 0.1 to 0.15.
    let tables = format!("{BALL}normal_speed = \"if(left && t >= 0, 0.25, 0)\"\n");
    let (mesh, _) = place.done(&tables);
    let v = mesh.vertices.iter().position(|x| (x[0] - 0.25).hypot(x[1] - 0.6) < 1e-9).unwrap();
    assert!((phi(&mesh)[v] + 0.05).abs() < 0.01, "{}", phi(&mesh)[v]);
}

/// Writes a text file into the folder of a test.
fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

#[test]
fn means_of_labels_are_doubted() {
    let folder = tempfile::tempdir().unwrap();
    let vtk = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n\
               0 0 0 1 0 0 1 1 0 0 1 0\nCELLS 2 8\n3 0 1 2 3 0 2 3\nCELL_TYPES 2\n5 5\n\
               CELL_DATA 2\nSCALARS tag int\nLOOKUP_TABLE default\n1 3\n";
    write(folder.path(), "two.vtk", vtk);
    let case = "version = 1\n[domain.mesh]\npath = \"two.vtk\"\n[initial]\nexpression = \"x + y - 0.7\"\n\
                [evolve]\nnormal_speed = \"0.1*tag\"\nmax_steps = 1\n";
    write(folder.path(), "c.toml", case);
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.current_dir(folder.path()).args(["run", "c.toml", "-o", "r"]).output();
    let said = String::from_utf8(output.unwrap().stderr).unwrap();
    let doubt = "\"tag\" holds whole numbers, and at 2 vertices the mean of the different numbers";
    assert!(said.contains(doubt), "{said}");
    let report = std::fs::read_to_string(folder.path().join("r/report.json")).unwrap();
    assert!(report.contains("holds whole numbers"), "{report}");
}
