//! Tests the options of the distance task with the program.

use std::path::PathBuf;
use std::process::Command;

use zeroset::io::read_mesh;
use zeroset::mesh::{Members, Mesh};

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// Creates a folder with a square of 20 x 20 cells as square.vtp.
    fn new() -> Self {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        place.run(&["generate", "square", "--cells", "20,20", "-o", "square.vtp"]);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a case with a domain and a motion of the level set 0.5 of the array `d`.
    fn put_case(&self, domain: &str) {
        let text = format!(
            "version = 1\n{domain}[initial]\nexpression = \"d - 0.5\"\n[evolve]\nnormal_speed = 1\n\
             max_steps = 1\n"
        );
        std::fs::write(self.path("case.toml"), text).unwrap();
    }

    fn try_run(&self, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
        let output = command.current_dir(self.folder.path()).args(arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> String {
        let (success, said) = self.try_run(arguments);
        assert!(success, "{arguments:?}: {said}");
        said
    }

    #[track_caller]
    fn fails(&self, arguments: &[&str], message: &str) {
        let (success, said) = self.try_run(arguments);
        assert!(!success && said.contains(message), "`{message}` is not in: {said}");
    }

    fn read(&self, name: &str) -> Mesh {
        read_mesh(&self.path(name)).unwrap().mesh
    }
}

fn array(mesh: &Mesh, name: &str) -> Vec<f64> {
    mesh.vertex_array(name).unwrap().values.to_f64()
}

/// Returns the largest difference between the array `distance` of a file and a function of the
/// vertex position.
fn largest_error(place: &Place, name: &str, exact: impl Fn(&[f64; 3]) -> f64) -> f64 {
    let mesh = place.read(name);
    let found = array(&mesh, "distance");
    found.iter().zip(&mesh.vertices).map(|(u, x)| (u - exact(x)).abs()).fold(0.0, f64::max)
}

#[test]
fn fronts_are_circular_where_they_can_be() {
    let place = Place::new();
    let from_two = [
        "distance",
        "square.vtp",
        "--from",
        "vertex:0@1",
        "--from",
        "point:1,1,0@1",
        "-o",
        "d.vtp",
    ];
    assert!(place.run(&from_two).contains("circular fronts"));
    let exact = |x: &[f64; 3]| 1.0 + x[0].hypot(x[1]).min((1.0 - x[0]).hypot(1.0 - x[1]));
    assert!(largest_error(&place, "d.vtp", exact) < 1e-12);
    // Doubling the speed halves the arrival times. Plane fronts are not exact.
    let faster = [&from_two[..], &["--speed", "2"]].concat();
    place.run(&faster);
    assert!(largest_error(&place, "d.vtp", |x| 1.0 + 0.5 * (exact(x) - 1.0)) < 1e-12);
    assert!(place.run(&[&from_two[..], &["--front", "plane"]].concat()).contains("plane fronts"));
    let error = largest_error(&place, "d.vtp", exact);
    assert!(error > 1e-3 && error < 0.05, "{error}");
    for (more, reason) in [
        (&["--from", "vertex:7"][..], "the seeds have different start values"),
        (&["--speed", "1+x"], "the speed differs between cells"),
        (&["--from", "levelset:x-0.5@1"], "levelset:x-0.5@1 is neither a vertex nor a point"),
    ] {
        let arguments = [&from_two[..], more].concat();
        assert!(
            place.run(&arguments).contains("plane fronts"),
            "auto must fall back to plane fronts: {reason}"
        );
        let arguments = [&arguments[..], &["--front", "circular"]].concat();
        place.fails(&arguments, &format!("--front circular: cannot be circular: {reason}"));
    }
    place.run(&["generate", "cube", "--cells", "4,4,4", "-o", "cube.vtu"]);
    let cube = ["distance", "cube.vtu", "--from", "vertex:0", "-o", "d.vtu", "--front", "circular"];
    place.fails(&cube, "the mesh has tetrahedra");
}

#[test]
fn zero_sets_and_curves_are_sources() {
    let place = Place::new();
    let out = ["-o", "d.vtp"];
    let distance =
        |from: &str| place.run(&[&["distance", "square.vtp", "--from", from], &out[..]].concat());
    distance("levelset:\"x - 0.3\"");
    assert!(largest_error(&place, "d.vtp", |x| (x[0] - 0.3).abs()) < 1e-12);
    std::fs::write(place.path("line.txt"), "0.3 0 0\n0.3 1 0\n").unwrap();
    distance("curve:line.txt@0.5");
    assert!(largest_error(&place, "d.vtp", |x| 0.5 + (x[0] - 0.3).abs()) < 1e-12);
    // The interface that a run writes can also be used as a curve.
    let case = "version = 1\ndomain.mesh.path = \"square.vtp\"\ninitial.plane = { point = [0.33, 0, 0], \
                normal = [1, 0, 0] }\n[evolve]\nend_time = 1e-9\nnormal_speed = 1\n";
    std::fs::write(place.path("case.toml"), case).unwrap();
    place.run(&["run", "case.toml", "-o", "r"]);
    distance("curve:r/interface_000000.vtp");
    assert!(largest_error(&place, "d.vtp", |x| (x[0] - 0.33).abs()) < 1e-9);

    std::fs::write(place.path("far.txt"), "0.3 0 1\n0.3 1 1\n").unwrap();
    place.fails(
        &["distance", "square.vtp", "--from", "curve:far.txt", "-o", "d.vtp"],
        "1.000e0 off the mesh",
    );
    place.fails(
        &["distance", "square.vtp", "--from", "curve:none.vtp", "-o", "d.vtp"],
        "cannot be read",
    );
    let none = ["distance", "square.vtp", "--from", "levelset:x+1", "-o", "d.vtp"];
    place.fails(&none, "it is nowhere negative on the mesh, so it has no zero set");
    place.fails(&["distance", "square.vtp", "--from", "levelset:x+", "-o", "d.vtp"], "    | x+");
}

#[test]
fn labels_and_gradients_are_arrays() {
    let place = Place::new();
    let two = ["distance", "square.vtp", "--from", "vertex:0", "--from", "vertex:20"];
    place.run(&[&two[..], &["--labels", "--gradient", "-o", "d.vtp"]].concat());
    let mesh = place.read("d.vtp");
    for (label, x) in array(&mesh, "label").iter().zip(&mesh.vertices) {
        assert_eq!(*label, if x[0] > 0.5 + 1e-9 { 1.0 } else { 0.0 }, "{x:?}");
    }
    let gradient = mesh.cell_array("gradient").unwrap();
    assert_eq!((gradient.components, gradient.rows()), (3, mesh.n_cells()));
    let lengths: Vec<f64> = gradient
        .values
        .to_f64()
        .chunks(3)
        .map(|g| g.iter().map(|x| x * x).sum::<f64>().sqrt())
        .collect();
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    assert!((mean - 1.0).abs() < 0.02, "{mean}");
    // This vertex lies between the first corner and the kink, but not close to the kink.
    let vertices = mesh.vertex_array("gradient").unwrap().values.to_f64();
    let at = mesh.vertices.iter().position(|x| (x[0] - 0.3).hypot(x[1] - 0.4) < 1e-9).unwrap();
    assert!((vertices[3 * at] - 0.6).abs() < 0.01 && (vertices[3 * at + 1] - 0.8).abs() < 0.01);
    place.fails(&[&two[..], &["--labels", "-o", "d.shape.gii"]].concat(), "one array only");
    place.fails(&[&two[..], &["--labels", "-o", "d.label"]].concat(), "one array only");
    place.fails(&[&two[..], &["-o", "d.label.gii"]].concat(), "add --labels");
    let both = ["--labels", "--gradient", "-o", "d.label.gii"];
    place.fails(&[&two[..], &both].concat(), "such a file holds labels only");
}

#[test]
fn labels_go_into_files_for_cortex_software() {
    let place = Place::new();
    let two = ["distance", "square.vtp", "--from", "vertex:0", "--from", "vertex:20"];
    place.run(&[&two[..], &["--labels", "-o", "d.label.gii"]].concat());
    let data = zeroset::io::read_data(&place.path("d.label.gii")).unwrap();
    let names: Vec<&str> = data.groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["source 1", "source 2"], "every vertex must have a source");
    let labels = data.arrays[0].values.to_f64();
    let mesh = place.read("square.vtp");
    for (label, x) in labels.iter().zip(&mesh.vertices) {
        assert_eq!(*label, if x[0] > 0.5 + 1e-9 { 2.0 } else { 1.0 }, "{x:?}");
    }
    // Labels in a data file define groups, which can be seeds.
    let from = ["--data", "d.label.gii", "--from", "group:source 2", "-o", "back.vtp"];
    place.run(&[&["distance", "square.vtp"][..], &from].concat());
    let back = array(&place.read("back.vtp"), "distance");
    for (label, distance) in labels.iter().zip(back) {
        assert_eq!(*label == 2.0, distance == 0.0);
    }
    // The label lists the vertices near the first corner with their distances.
    place.run(&["distance", "square.vtp", "--from", "vertex:0", "--width", "0.3", "-o", "a.label"]);
    let text = std::fs::read_to_string(place.path("a.label")).unwrap();
    let mut lines = text.lines().skip(1);
    let n: usize = lines.next().unwrap().parse().unwrap();
    let rows: Vec<Vec<f64>> =
        lines.map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect()).collect();
    assert_eq!(rows.len(), n);
    let inside = mesh.vertices.iter().filter(|x| x[0].hypot(x[1]) < 0.28).count();
    assert!(n >= inside && n < mesh.n_vertices() / 8, "{n} of at least {inside}");
    for row in rows {
        assert_eq!(mesh.vertices[row[0] as usize], [row[1], row[2], row[3]]);
        assert!((row[4] - row[1].hypot(row[2])).abs() < 0.02 && row[4] < 0.3, "{row:?}");
    }
    // A label in a data file defines a group, which can be a seed, and an array with its values.
    let from = ["--data", "a.label", "--from", "group:a", "-o", "near.vtp"];
    place.run(&[&["distance", "square.vtp"][..], &from].concat());
    let near = array(&place.read("near.vtp"), "distance");
    assert_eq!(near.iter().filter(|&&u| u == 0.0).count(), n);
    let far = "#!ascii label\n1\n99999 0 0 0 1\n";
    std::fs::write(place.path("far.label"), far).unwrap();
    let from = ["distance", "square.vtp", "--data", "far.label", "--from", "group:far"];
    place.fails(&[&from[..], &["-o", "x.vtp"]].concat(), "label \"far\": names vertex 99999, but");
}

#[test]
fn paths_lead_back_to_the_source() {
    let place = Place::new();
    let from = ["distance", "square.vtp", "--from", "vertex:0", "-o", "d.vtp"];
    let said = place.run(
        &[&from[..], &["--path-from", "vertex:440", "--path-from", "point:0.9,0.33,0"]].concat(),
    );
    assert!(said.contains("paths     2, 2.372806"), "{said}");
    let (points, segments) =
        zeroset::io::read_curves(&place.path("d_paths.vtp")).unwrap().segments();
    let length = |[a, b]: [u32; 2]| {
        let [a, b] = [a, b].map(|v| points[v as usize]);
        (a[0] - b[0]).hypot(a[1] - b[1])
    };
    let total: f64 = segments.iter().map(|&s| length(s)).sum();
    assert!((total - 2f64.sqrt() - 0.9f64.hypot(0.33)).abs() < 1e-9, "{total}");
    place.run(&[&from[..], &["--path-from", "vertex:7,8", "--paths", "ways.vtp"]].concat());
    let ways = place.read("ways.vtp");
    assert!(
        ways.groups.iter().any(|g| matches!(g.members, Members::Simplices { dimension: 1, .. }))
    );
    place.fails(
        &[&from[..], &["--path-from", "group:a"]].concat(),
        "must be vertex:N or point:x,y,z",
    );
    place.fails(&[&from[..], &["--path-from", "vertex:7", "--paths", "a.csv"]].concat(), ".vtp");
    place.fails(&[&from[..], &["--path-from", "vertex:441"]].concat(), "there is no vertex 441");
    place.fails(&[&from[..], &["--path-from", "point:9,0.5,0"]].concat(), "off the mesh");
    let twice = ["--path-from", "vertex:7", "--paths", "d.vtp"];
    place.fails(&[&from[..], &twice].concat(), "is the path of two results");
    let itself = ["distance", "square.vtp", "--from", "vertex:0", "-o", "./square.vtp"];
    place.fails(&itself, "is an input file, and the result would overwrite it");
}

#[test]
fn masks_take_cells_away() {
    let place = Place::new();
    // With a wall that has a gap, the path around the wall is longer than the straight line.
    let mask = "abs(x-0.5) > 0.01 || y > 0.79";
    let args = ["distance", "square.vtp", "--from", "vertex:0", "-o", "d.vtp"];
    let said = place
        .run(&[&args[..], &["--mask", mask, "--path-from", "vertex:20", "--gradient"]].concat());
    assert!(said.contains("not reached 16 (outside the mask 16)"), "{said}");
    let mesh = place.read("d.vtp");
    assert_eq!((mesh.n_vertices(), mesh.n_cells()), (441, 800), "all cells must be kept");
    let u = array(&mesh, "distance");
    assert_eq!(u.iter().filter(|u| u.is_nan()).count(), 16);
    // The path passes through the corners of the remaining cells: (0.45, 0.75), (0.5, 0.8), (0.55,
    // 0.8).
    let around = 0.45f64.hypot(0.75) + 0.05f64.hypot(0.05) + 0.05 + 0.45f64.hypot(0.8);
    assert!((u[20] - around).abs() < 0.04, "{} {around}", u[20]);
    let gradient = mesh.cell_array("gradient").unwrap().values.to_f64();
    for (g, cell) in gradient.chunks(3).zip(mesh.iter_cells()) {
        assert_eq!(g[0].is_nan(), cell.iter().any(|&v| u[v as usize].is_nan()));
    }

    place
        .fails(&[&args[..], &["--mask", "x > 0.5"]].concat(), "vertex 0 belongs to no cell inside");
    place.fails(&[&args[..], &["--mask", "x > 5"]].concat(), "--mask x > 5: leaves no cell");
    place.fails(&[&args[..], &["--mask", "t"]].concat(), "must not depend on the time");
    place.fails(&[&args[..], &["--mask", "thick > 0"]].concat(), "no vertex array \"thick\"");
}

#[test]
fn unreached_vertices_are_nan_for_every_front() {
    let place = Place::new();
    let two = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 1 2 3\nf 4 5 6\n";
    std::fs::write(place.path("two.obj"), two).unwrap();
    for more in [&[][..], &["--front", "plane"], &["--mask", "x < 5.5"]] {
        let arguments = ["distance", "two.obj", "--from", "vertex:0@0.5", "-o", "d.vtp"];
        place.run(&[&arguments, more].concat());
        let u = array(&place.read("d.vtp"), "distance");
        assert!(u[3..].iter().all(|u| u.is_nan()), "{more:?}: {u:?}");
        assert_eq!(u[..3], [0.5, 1.5, 1.5], "{more:?}");
    }
}

#[test]
fn data_of_other_files_serves_expressions() {
    let Some(surface) = zeroset_testing::data("cortex/fsaverage5/pial_left.gii.gz") else { return };
    let sulc = zeroset_testing::data("cortex/fsaverage5/sulc_left.gii.gz").unwrap();
    let place = Place { folder: tempfile::tempdir().unwrap() };
    let data = format!("{}=depth", sulc.display());
    let arguments = ["distance", surface.to_str().unwrap(), "--data", &data, "-o", "d.vtp"];
    let said = place.run(&[&arguments[..], &["--from", "levelset:depth"]].concat());
    assert!(said.contains("not reached 0") && said.contains("plane fronts"), "{said}");
    let masked = ["--from", "vertex:0", "--mask", "depth < 10 || 1"];
    assert!(place.run(&[&arguments[..], &masked].concat()).contains("not reached 0"));
}

#[test]
fn exact_fronts_serve_every_source() {
    let place = Place::new();
    let run = |more: &[&str]| {
        let arguments = ["distance", "square.vtp", "--front", "exact", "-o", "d.vtp"];
        place.run(&[&arguments[..], more].concat())
    };
    let said = run(&["--from", "vertex:0@1", "--from", "point:0.93,0.87,0@0.5", "--labels"]);
    assert!(said.contains("exact fronts"), "{said}");
    let near = |x: &[f64; 3]| {
        let [a, b] = [1.0 + x[0].hypot(x[1]), 0.5 + (0.93 - x[0]).hypot(0.87 - x[1])];
        (a.min(b), f64::from(u8::from(b < a)))
    };
    assert!(largest_error(&place, "d.vtp", |x| near(x).0) < 1e-14);
    let mesh = place.read("d.vtp");
    let labels = array(&mesh, "label");
    assert!(mesh.vertices.iter().zip(labels).all(|(x, label)| near(x).1 == label));
    // Zero sets and curves, with a speed and a width.
    run(&["--from", "levelset:x-0.33", "--speed", "2", "--width", "0.2"]);
    let exact = |x: &[f64; 3]| (0.5 * (x[0] - 0.33).abs()).min(0.2);
    assert!(largest_error(&place, "d.vtp", exact) < 1e-14);
    std::fs::write(place.path("line.txt"), "0.2 0.3 0\n0.7 0.4 0\n").unwrap();
    run(&["--from", "curve:line.txt"]);
    let exact = |x: &[f64; 3]| {
        let t = ((x[0] - 0.2) * 0.5 + (x[1] - 0.3) * 0.1) / 0.26;
        let t = t.clamp(0.0, 1.0);
        (x[0] - 0.2 - 0.5 * t).hypot(x[1] - 0.3 - 0.1 * t)
    };
    assert!(largest_error(&place, "d.vtp", exact) < 1e-12);
    // Around a wall. Of the cells at its end (0.5, 0.45), the left one above the diagonal remains,
    // so the path bends at (0.45, 0.45), (0.5, 0.5) and (0.55, 0.5).
    let wall = ["--from", "point:0.2,0.1,0", "--mask", "abs(x-0.5) > 0.01 || y > 0.46"];
    let said = run(&[&wall[..], &["--path-from", "point:0.8,0.1,0", "--json"]].concat());
    let end = said.lines().find(|line| line.contains("\"event\":\"end\"")).unwrap();
    let told: serde_json::Value = serde_json::from_str(end).unwrap();
    let length = told["report"]["distances"]["paths"][0]["length"].as_f64().unwrap();
    let around = 0.25f64.hypot(0.35) + 0.05f64.hypot(0.05) + 0.05 + 0.25f64.hypot(0.4);
    assert!((length - around).abs() < 1e-9, "{length} {around}");
}

#[test]
fn exact_fronts_start_from_the_edges_between_the_vertices_of_a_group() {
    let place = Place::new();
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n0 1 \"ends\"\n2 2 \"all\"\n\
                $EndPhysicalNames\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0.5 1 0\n$EndNodes\n$Elements\n3\n\
                1 15 2 1 1 1\n2 15 2 1 2 2\n3 2 2 2 3 1 2 3\n$EndElements\n";
    std::fs::write(place.path("one.msh"), text).unwrap();
    let from = |seed: &str| {
        let arguments = ["distance", "one.msh", "--front", "exact", "--from", seed, "-o", "d.vtp"];
        place.run(&arguments);
        array(&place.read("d.vtp"), "distance")[2]
    };
    assert_eq!(from("group:ends"), 1.0);
    assert_eq!(from("vertex:0,1"), 0.5f64.hypot(1.0));
}

#[test]
fn exact_fronts_are_refused_where_they_do_not_apply() {
    let place = Place::new();
    let square = ["distance", "square.vtp", "--from", "vertex:0", "-o", "d.vtp"];
    for (more, message) in [
        (
            &["--speed", "1+x"][..],
            "--front exact: cannot be exact: the speed differs between cells",
        ),
        (&["--device", "cuda"], "is computed on the CPU"),
        (&["--precision", "f32"], "is computed in f64"),
    ] {
        place.fails(&[&square[..], &["--front", "exact"], more].concat(), message);
    }
    place.run(&["generate", "cube", "--cells", "4,4,4", "-o", "cube.vtu"]);
    let cube = ["distance", "cube.vtu", "--from", "vertex:0", "-o", "d.vtu", "--front", "exact"];
    place.fails(&cube, "the mesh has tetrahedra");
}

#[test]
fn exact_fronts_on_a_cortex_agree_with_their_paths_and_with_circular_fronts() {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    let mesh = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes/fsaverage5_pial_left.gii.gz");
    let ends = [9999, 5000, 77, 2345, 10000, 4321, 8765, 31];
    let from = ends.map(|v| v.to_string()).join(",");
    let run = |front: &str| {
        let (file, ends) = (format!("{front}.vtp"), format!("vertex:{from}"));
        let arguments = ["distance", mesh, "--from", "vertex:0", "--front", front];
        let more = ["--path-from", &ends, "-o", &file, "--json"];
        let said = place.run(&[&arguments[..], &more].concat());
        let end = said.lines().find(|line| line.contains("\"event\":\"end\"")).unwrap();
        let told: serde_json::Value = serde_json::from_str(end).unwrap();
        let told = told["report"]["distances"]["paths"].as_array().unwrap().clone();
        let lengths: Vec<f64> = told.iter().map(|path| path["length"].as_f64().unwrap()).collect();
        (array(&place.read(&file), "distance"), lengths)
    };
    let (exact, paths) = run("exact");
    for (v, length) in ends.into_iter().zip(&paths) {
        assert!((length - exact[v]).abs() < 1e-9 * exact[v], "{v}: {length} {}", exact[v]);
    }
    let (circular, longer) = run("circular");
    // Every path is a curve on the surface, so none is shorter than the exact one.
    assert!(paths.iter().zip(&longer).all(|(exact, other)| *exact <= other * (1.0 + 1e-12)));
    let errors = exact.iter().zip(&circular).filter(|(u, _)| **u > 0.0);
    let errors: Vec<f64> = errors.map(|(u, circular)| (circular / u - 1.0).abs()).collect();
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(mean > 1e-3 && mean < 0.02, "{mean}");
}

#[test]
fn paths_on_a_cortex_are_as_long_as_the_distance() {
    let place = Place { folder: tempfile::tempdir().unwrap() };
    let mesh = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes/fsaverage5_pial_left.gii.gz");
    let ends = "vertex:9999,5000,77,2345,10000,4321,8765,31";
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut excesses = Vec::new();
    for front in ["circular", "plane"] {
        let file = format!("{front}.vtp");
        let said = place.run(&[
            "distance",
            mesh,
            "--from",
            "vertex:0",
            "--front",
            front,
            "--path-from",
            ends,
            "-o",
            &file,
            "--json",
        ]);
        let u = array(&place.read(&file), "distance");
        let (points, segments) =
            zeroset::io::read_curves(&place.path(&format!("{front}_paths.vtp")))
                .unwrap()
                .segments();
        let length = |[a, b]: [u32; 2]| {
            let [a, b] = [a, b].map(|v| points[v as usize]);
            (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt()
        };
        let drawn: f64 = segments.iter().map(|&segment| length(segment)).sum();
        let end = said.lines().find(|line| line.contains("\"event\":\"end\"")).unwrap();
        let told: serde_json::Value = serde_json::from_str(end).unwrap();
        let told = told["report"]["distances"]["paths"].as_array().unwrap();
        let lengths: Vec<f64> = told.iter().map(|path| path["length"].as_f64().unwrap()).collect();
        assert!((lengths.iter().sum::<f64>() - drawn).abs() < 1e-6 * drawn);
        assert_eq!(lengths.len(), 8);
        for (v, length) in [9999, 5000, 77, 2345, 10000, 4321, 8765, 31].into_iter().zip(&lengths) {
            let excess = length / u[v] - 1.0;
            println!("{front} vertex {v}: {length} long, {excess:+.4}");
            excesses.push(excess);
        }
        found.push(lengths);
    }
    // A path is a curve on the mesh, so its length is at least the exact distance. With plane
    // fronts, the error of the distance is larger than the excess length of the path.
    assert!(excesses[..8].iter().all(|e| e.abs() < 0.02), "{excesses:?}");
    assert!(excesses[8..].iter().all(|e| (-0.05..0.005).contains(e)), "{excesses:?}");
    for (circular, plane) in found[0].iter().zip(&found[1]) {
        assert!((plane / circular - 1.0).abs() < 0.01, "{found:?}");
    }
}

/// Checks circular fronts (V54) on the registered sphere of fsaverage, where exact distances are
/// known.
#[test]
fn circular_fronts_on_the_sphere_of_fsaverage() {
    let Some(sphere) = zeroset_testing::data("cortex/fsaverage_sphere_left.gii.gz") else { return };
    let place = Place { folder: tempfile::tempdir().unwrap() };
    place.run(&["distance", sphere.to_str().unwrap(), "--from", "vertex:4321", "-o", "d.vtp"]);
    let mesh = place.read("d.vtp");
    let u = array(&mesh, "distance");
    let unit = |x: [f64; 3]| {
        let r = x.iter().map(|c| c * c).sum::<f64>().sqrt();
        x.map(|c| c / r)
    };
    let source = unit(mesh.vertices[4321]);
    let (mut sum, mut early) = (0.0, 0.0f64);
    for (v, (&x, u)) in mesh.vertices.iter().zip(&u).enumerate() {
        if v == 4321 {
            continue;
        }
        let cosine: f64 = unit(x).iter().zip(source).map(|(a, b)| a * b).sum();
        let exact = 100.0 * cosine.clamp(-1.0, 1.0).acos();
        sum += (u - exact).abs() / exact;
        early = early.max((exact - u) / exact);
    }
    let mean = sum / (mesh.n_vertices() - 1) as f64;
    println!("mean {mean:.3e}, largest undershoot {early:.3e}");
    assert!(mean < 5e-4 && early < 3e-3, "mean {mean:e}, largest undershoot {early:e}");
}

#[test]
fn distances_in_an_npy_file_are_data_of_the_mesh() {
    let place = Place::new();
    place.run(&["distance", "square.vtp", "--from", "vertex:0", "-o", "dist.npy"]);
    let run = ["distance", "square.vtp", "--from", "vertex:0", "--data", "dist.npy"];
    place.run(&[&run[..], &["--speed", "1 + dist", "-o", "a.vtp"]].concat());
    let farthest = |name: &str| {
        let mesh = read_mesh(&place.path(name)).unwrap().mesh;
        mesh.vertex_array("distance").unwrap().values.to_f64().into_iter().fold(0.0, f64::max)
    };
    // A front with the speed 1 + r takes the time log(1 + r) to the distance r.
    assert!((farthest("a.vtp") - (1.0 + 2.0_f64.sqrt()).ln()).abs() < 0.02);
    place.run(&["render", "square.vtp", "--data", "dist.npy", "-o", "a.png", "--size", "64"]);
    place.put_case(
        "[domain.mesh]\npath = \"square.vtp\"\ndata = [{ path = \"dist.npy\", name = \"d\" }]\n",
    );
    place.run(&["run", "case.toml", "-o", "out"]);
}
