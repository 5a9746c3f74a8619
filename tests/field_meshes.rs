//! Tests the repair of meshes with inputs from the field (`ZEROSET_FIELD`): coincident vertices and
//! degenerate cells. The correct values are Euclidean distances and areas.

use std::path::{Path, PathBuf};
use std::process::Command;

use zeroset::io::{WriteOptions, read_mesh, write_mesh};
use zeroset::mesh::{Group, Members, Mesh};
use zeroset_testing::field;

/// Runs the program in a folder. Returns whether it succeeded, and everything that it printed.
fn zeroset(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}

/// The result of `zeroset distance`.
struct Distances {
    mesh: Mesh,
    values: Vec<f64>,
    said: String,
}

impl Distances {
    /// Computes the distances from a vertex with plane fronts.
    #[track_caller]
    fn new(file: &Path, from: u32, more: &[&str]) -> Self {
        Self::of_fronts("plane", file, from, more)
    }

    /// Computes the distances from a vertex with fronts of the given shape.
    #[track_caller]
    fn of_fronts(front: &str, file: &Path, from: u32, more: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let from = format!("vertex:{from}");
        let arguments = ["distance", file.to_str().unwrap(), "--from", &from, "--front", front];
        let output = ["-o", "d.vtu"];
        let (success, said) = zeroset(folder.path(), &[&arguments[..], &output, more].concat());
        assert!(success, "{said}");
        let mesh = read_mesh(&folder.path().join("d.vtu")).unwrap().mesh;
        let values = mesh.vertex_array("distance").unwrap().values.to_f64();
        Distances { mesh, values, said }
    }

    /// Returns the largest difference between the distances and the Euclidean distances from a
    /// vertex.
    fn error(&self, from: usize) -> f64 {
        let y = self.mesh.vertices[from];
        let exact = |x: &[f64; 3]| {
            let squared: f64 = (0..3).map(|k| (x[k] - y[k]).powi(2)).sum();
            squared.sqrt()
        };
        let pairs = self.values.iter().zip(&self.mesh.vertices);
        pairs.map(|(u, x)| (u - exact(x)).abs()).fold(0.0, f64::max)
    }
}

#[test]
fn a_cap_is_a_hanging_node_of_its_neighbor() {
    let Some(file) = field("meshes/cap/cap.obj") else { return };
    let found = Distances::new(&file, 0, &[]);
    let right = [0.0, 2.0_f64.sqrt(), 2.0_f64.sqrt(), 1.0, 2.0];
    for (found, right) in found.values.iter().zip(right) {
        assert!((found - right).abs() < 1e-12, "{found} {right}");
    }
    assert!(found.said.contains("mesh repaired: 1 degenerate cell removed"), "{}", found.said);
    let never = Distances::new(&file, 0, &["--repair", "never"]);
    assert!((never.values[3] - (1.0 + 2.0_f64.sqrt())).abs() < 1e-12, "{:?}", never.values);
    assert!(never.said.contains("1 degenerate cell dropped"), "{}", never.said);
}

#[test]
fn caps_on_caps_and_seams_of_caps_disappear() {
    let Some(nested) = field("meshes/cap/deg2.off") else { return };
    // The front from vertex 0 along the line 0 - 3 - 2 - 1 is exact.
    let found = Distances::new(&nested, 0, &[]);
    assert!((found.values[1] - 3.0).abs() < 1e-12, "{:?}", found.values);
    assert!((found.values[2] - 2.0).abs() < 1e-12 && (found.values[3] - 1.0).abs() < 1e-12);
    let seam = field("meshes/cap/seam_of_caps.obj").unwrap();
    let found = Distances::new(&seam, 0, &[]);
    assert!(found.said.contains("39 degenerate cells removed"), "{}", found.said);
    // Next to the seam, the cells are 40 times as long as they are high, so this error comes from
    // the scheme itself.
    assert!(found.error(0) < 0.05, "{}", found.error(0));
}

#[test]
fn cells_with_vertices_of_their_own_are_one_mesh() {
    for (file, from, n) in
        [("elementwise.vtu", 0, 64), ("soup.obj", 0, 64), ("two_pieces.vtu", 0, 150)]
    {
        let Some(file) = field(&format!("meshes/duplicate_points/{file}")) else { return };
        let found = Distances::new(&file, from, &[]);
        let reached = found.values.iter().filter(|u| u.is_finite()).count();
        assert!(found.said.contains("coincident vertices joined"), "{}", found.said);
        assert_eq!((found.values.len(), reached), (n, n), "{}", file.display());
        assert!(found.error(0) < 0.1, "{}: {}", file.display(), found.error(0));
    }
}

#[test]
fn seams_close_and_can_be_kept_open() {
    let Some(file) = field("meshes/duplicate_points/globe_seam.vtp") else { return };
    let found = Distances::new(&file, 11, &[]);
    assert_eq!(found.values[1211], 0.0);
    assert!(found.said.contains("belong to a slit or seam without a group"), "{}", found.said);
    let open = Distances::new(&file, 11, &["--weld", "never"]);
    assert!(open.values[1211] > 1.4, "{}", open.values[1211]);
}

#[test]
fn corners_that_differ_in_their_last_digits_are_joined() {
    let Some(file) = field("meshes/duplicate_points/corners_1e-6.stl") else { return };
    let folder = tempfile::tempdir().unwrap();
    let found = Distances::new(&file, 0, &[]);
    assert!(found.values.iter().all(|u| u.is_finite()), "{:?}", found.values);
    let apart = Distances::new(&file, 0, &["--weld", "never"]);
    assert!(apart.values.iter().any(|u| u.is_nan()));
    let within = Distances::new(&file, 0, &["--weld", "0.001"]);
    assert!(within.values.iter().all(|u| u.is_finite()));
    let (success, said) = zeroset(folder.path(), &["info", file.to_str().unwrap()]);
    assert!(success && said.contains("2 coincident vertices joined along 2 edges"), "{said}");
}

/// Runs a case from the field data. Returns everything that it printed, and the last line of
/// measures.csv as column-value pairs.
fn last_measures(case: &Path, results: &Path, set: &[&str]) -> (String, Vec<(String, f64)>) {
    let folder = results.to_str().unwrap();
    let arguments = ["run", case.to_str().unwrap(), "-o", folder];
    let (success, said) = zeroset(results.parent().unwrap(), &[&arguments[..], set].concat());
    assert!(success, "{said}");
    let text = std::fs::read_to_string(results.join("measures.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let numbers = lines.last().unwrap().split(',').map(|x| x.parse().unwrap_or(f64::NAN));
    (said, lines[0].split(',').map(str::to_string).zip(numbers).collect())
}

fn measure(measures: &[(String, f64)], name: &str) -> f64 {
    measures.iter().find(|(column, _)| column == name).unwrap().1
}

#[test]
fn an_interface_crosses_the_cells_of_a_soup() {
    let Some(case) = field("meshes/duplicate_points/soup.toml") else { return };
    let results = tempfile::tempdir().unwrap();
    let (said, measures) = last_measures(&case, &results.path().join("r"), &[]);
    let area = measure(&measures, "enclosed_area");
    assert!((area / 0.2827 - 1.0).abs() < 0.01, "{area}");
    assert!(said.contains("coincident vertices joined"), "{said}");
    let old = ["--set", "defaults=\"0.1\""];
    let (_, measures) = last_measures(&case, &results.path().join("old"), &old);
    assert!(measure(&measures, "enclosed_area") < 0.2);
}

#[test]
fn five_slivers_do_not_determine_the_time_step() {
    let Some(case) = field("meshes/sliver_step/grow.toml") else { return };
    let results = tempfile::tempdir().unwrap();
    let (said, measures) = last_measures(&case, &results.path().join("r"), &[]);
    // A ball of radius 0.15 that grew by 0.2.
    let area = measure(&measures, "enclosed_area");
    assert!((area / (std::f64::consts::PI * 0.35 * 0.35) - 1.0).abs() < 0.01, "{area}");
    assert!(said.contains("5 degenerate cells removed"), "{said}");
}

/// Returns a folder with a file of this name and text.
fn folder_with(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn arrays_must_agree_where_vertices_are_joined() {
    let vtk = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 6 double\n\
               0 0 0 1 0 0 0 1 0 1 0 0 0 1 0 1 1 0\nCELLS 2 8\n3 0 1 2 3 3 5 4\nCELL_TYPES 2\n5 5\n\
               POINT_DATA 6\nSCALARS a double\nLOOKUP_TABLE default\n1 2 3 2 3.5 4\n";
    let (folder, path) = folder_with("two.vtk", vtk);
    let file = path.to_str().unwrap();
    let arguments = ["distance", file, "--from", "vertex:0", "-o", "d.vtu"];
    let (success, said) = zeroset(folder.path(), &arguments);
    assert!(success && said.contains("array \"a\" is 3 at vertex 2 and 3.5 at vertex 4"), "{said}");
    let (success, said) = zeroset(folder.path(), &[&arguments[..], &["--speed", "a"]].concat());
    assert!(!success && said.contains("which are joined"), "{said}");
    let apart = [&arguments[..], &["--speed", "a", "--weld", "never"]].concat();
    assert!(zeroset(folder.path(), &apart).0);
}

#[test]
fn fronts_cross_hanging_nodes() {
    let Some(file) = field("meshes/hanging/hang.obj") else { return };
    let found = Distances::of_fronts("auto", &file, 22, &[]);
    assert!(found.error(22) < 0.01, "{}", found.error(22));
    assert!(found.said.contains("hanging nodes"), "{}", found.said);
    let never = Distances::of_fronts("auto", &file, 22, &["--repair", "never"]);
    assert!(never.error(22) > 0.05, "the input shows the problem");
}

#[test]
fn a_corner_in_the_middle_of_an_edge_is_reached_from_both_sides() {
    for name in ["pent1.obj", "pent2.obj"] {
        let Some(file) = field(&format!("meshes/collinear_polygon/{name}")) else { return };
        let found = Distances::of_fronts("auto", &file, 0, &[]);
        assert!((found.values[2] - 1.25_f64.sqrt()).abs() < 1e-3, "{name}: {:?}", found.values);
    }
}

/// Returns the vertices and their distances from a group, or `None` if the file is missing.
fn from_group(name: &str, group: &str) -> Option<Vec<([f64; 3], f64)>> {
    let file = field(&format!("meshes/{name}"))?;
    let folder = tempfile::tempdir().unwrap();
    let from = format!("group:{group}");
    let arguments = ["distance", file.to_str().unwrap(), "--from", &from, "-o", "d.vtu"];
    let (success, said) = zeroset(folder.path(), &arguments);
    assert!(success, "{said}");
    let mesh = read_mesh(&folder.path().join("d.vtu")).unwrap().mesh;
    let values = mesh.vertex_array("distance").unwrap().values.to_f64();
    Some(mesh.vertices.iter().copied().zip(values).collect())
}

#[test]
fn a_wall_consists_of_its_own_edges() {
    let Some(found) = from_group("groups_in_expressions/wall.msh", "wall") else { return };
    for ([x, y, _], distance) in found {
        let right = x.min(1.0 - x).min(y).min(1.0 - y);
        assert!((distance - right).abs() < 1e-12, "{x} {y}: {distance}");
    }
}

#[test]
fn a_wall_of_vertices_consists_of_boundary_edges() {
    let Some(wall) = field("meshes/groups_in_expressions/wall.msh") else { return };
    let mut mesh = read_mesh(&wall).unwrap().mesh;
    let group = mesh.groups.iter_mut().find(|group| group.name == "wall").unwrap();
    let Members::Simplices { dimension, vertices } = &mut group.members else { panic!() };
    assert_eq!(*dimension, 1);
    vertices.sort_unstable();
    vertices.dedup();
    *dimension = 0;
    // A cross inside the mesh. Triangles at its center have all their vertices on it.
    let all = (0_u32..).zip(&mesh.vertices);
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let on_line = |x: &[f64; 3]| near(x[0], 0.5) || near(x[1], 0.5);
    let line: Vec<u32> = all.filter(|(_, x)| on_line(x)).map(|(v, _)| v).collect();
    let members = Members::Simplices { dimension: 0, vertices: line };
    mesh.groups.push(Group { name: "line".into(), members });
    let folder = tempfile::tempdir().unwrap();
    write_mesh(&folder.path().join("points.vtu"), &mesh, &WriteOptions::default()).unwrap();
    let of_group = |group: &str| {
        let from = format!("group:{group}");
        let name = format!("{group}.vtu");
        let arguments = ["distance", "points.vtu", "--from", &from, "-o", &name];
        let (success, said) = zeroset(folder.path(), &arguments);
        assert!(success, "{said}");
        (read_mesh(&folder.path().join(&name)).unwrap().mesh, said)
    };
    let (found, said) = of_group("wall");
    assert!(!said.contains("looks like a line"), "{said}");
    for ([x, y, _], distance) in
        found.vertices.iter().zip(found.vertex_array("distance").unwrap().values.to_f64())
    {
        let right = x.min(1.0 - x).min(*y).min(1.0 - y);
        assert!((distance - right).abs() < 1e-12, "{x} {y}: {distance}");
    }
    let (_, said) = of_group("line");
    assert!(said.contains("although it looks like a line or a wall"), "{said}");
}

#[test]
fn a_partitioned_mesh_has_its_groups() {
    let Some(parts) = from_group("partitioned_msh/parts2.msh", "inlet") else { return };
    let whole = from_group("partitioned_msh/whole.msh", "inlet").unwrap();
    let key = |x: &[f64; 3]| x.map(|c| (c * 1e6).round() as i64);
    let mut expected: Vec<_> = whole.iter().map(|(x, d)| (key(x), *d)).collect();
    expected.sort_by_key(|a| a.0);
    let mut found: Vec<_> = parts.iter().map(|(x, d)| (key(x), *d)).collect();
    found.sort_by_key(|a| a.0);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert!(found.0 == expected.0 && (found.1 - expected.1).abs() < 1e-12);
    }
}

#[test]
fn cells_that_cannot_be_cut_are_left_out_on_request() {
    let text = "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3 4\nf 3 5 2\n";
    let (folder, _) = folder_with("bow.obj", text);
    let convert = ["convert", "bow.obj", "o.vtp"];
    let (success, said) = zeroset(folder.path(), &convert);
    assert!(!success && said.contains("bow.obj: face 0: the boundary"), "{said}");
    let (success, said) = zeroset(folder.path(), &[&convert[..], &["--skip-unsupported"]].concat());
    assert!(success && said.contains("1 cell that cannot be cut is left out"), "{said}");
    assert_eq!(read_mesh(&folder.path().join("o.vtp")).unwrap().mesh.n_cells(), 1);
    let distance = ["distance", "bow.obj", "--from", "vertex:2", "-o", "d.vtp"];
    assert!(!zeroset(folder.path(), &distance).0);
    let (success, said) =
        zeroset(folder.path(), &[&distance[..], &["--skip-unsupported"]].concat());
    assert!(success, "{said}");
}

#[test]
fn vertices_that_no_front_reaches_have_no_value() {
    let Some(file) = field("meshes/unreached_inf/two_triangles.obj") else { return };
    for front in ["plane", "circular", "exact"] {
        let found = Distances::of_fronts(front, &file, 0, &[]);
        assert_eq!(found.values[..3], [0.0, 1.0, 1.0], "{front}");
        assert!(found.values[3..].iter().all(|u| u.is_nan()), "{front}: {:?}", found.values);
    }
}
