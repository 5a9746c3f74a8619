//! Tests initial level sets and signed distances with inputs from the field (`ZEROSET_FIELD`). The
//! correct values are volumes and areas of unions of boxes, and distances to all triangles.

use std::path::{Path, PathBuf};
use std::process::Command;

use zeroset::geometry::{Vec3, simplex};
use zeroset::io::{VolumeOptions, read_mesh, read_volume};
use zeroset::mesh::Mesh;
use zeroset_testing::field;

/// Runs the program in a folder. Returns its exit code and everything that it printed.
fn zeroset(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.current_dir(folder).args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&said).into_owned())
}

/// A finished run: its report, and everything that it printed.
struct Run {
    report: serde_json::Value,
    said: String,
}

/// Copies the folder of a case, and runs the case with additional options.
#[track_caller]
fn run(case: &Path, more: &[&str]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(case.parent().unwrap()).unwrap() {
        let file = file.unwrap().path();
        std::fs::copy(&file, folder.path().join(file.file_name().unwrap())).unwrap();
    }
    let name = case.file_name().unwrap().to_str().unwrap();
    let (code, said) = zeroset(folder.path(), &[&["run", name, "-o", "out"], more].concat());
    assert_eq!(code, 0, "{said}");
    let report: PathBuf = folder.path().join("out/report.json");
    let report = serde_json::from_str(&std::fs::read_to_string(report).unwrap()).unwrap();
    Run { report, said }
}

impl Run {
    fn number(&self, path: &str) -> f64 {
        let found = self.report.pointer(path).and_then(serde_json::Value::as_f64);
        found.unwrap_or_else(|| panic!("{path} in {:#}", self.report))
    }

    fn warns(&self, text: &str) -> bool {
        let all = self.report["warnings"].as_array().unwrap();
        self.said.contains(text) && all.iter().any(|w| w.as_str().unwrap().contains(text))
    }
}

#[test]
fn overlapping_parts_are_their_union() {
    let Some(case) = field("clouds/overlapping_parts/overlap.toml") else { return };
    let done = run(&case, &[]);
    assert!(
        done.warns("9 of 24 triangles lie partly inside other parts: ignored there"),
        "{}",
        done.said
    );
    assert_eq!(done.report.pointer("/first/components").unwrap(), 1, "{:#}", done.report);
    assert_eq!(done.report.pointer("/last/components").unwrap(), 1);
    assert!((done.number("/first/enclosed") - 1.875).abs() < 6e-3, "{:#}", done.report);
    // The grid cuts off the edges of the boxes.
    assert!((done.number("/first/interface") - 10.3).abs() < 0.1, "{:#}", done.report);
    // The true union erodes in the same way.
    assert!((done.number("/last/enclosed") - 1.394).abs() < 4e-3, "{:#}", done.report);
    let shapes = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(&case).unwrap().replace(
        "mesh = { path = \"overlap.stl\" }",
        "union = [ { box = { min = [-0.5, -0.5, -0.5], max = [0.5, 0.5, 0.5] } }, \
         { box = { min = [0, 0, 0], max = [1, 1, 1] } } ]",
    );
    let other = shapes.path().join("union.toml");
    std::fs::write(&other, text).unwrap();
    let right = run(&other, &["--set", "reinitialize.rule={ every = 1 }"]);
    let (found, right) = (done.number("/last/enclosed"), right.number("/last/enclosed"));
    assert!((found - right).abs() < 2e-3, "{found} {right}");
}

#[test]
fn meshes_are_combined_with_shapes() {
    let Some(case) = field("clouds/sdf_from_mesh/boolean.toml") else { return };
    let done = run(&case, &["--set", "evolve.max_steps=1"]);
    let one_step = ["--set", "evolve.max_steps=1", "--set", "evolve.normal_speed=1"];
    let cup = run(&case.with_file_name("grid.toml"), &one_step);
    // In a closed cube, the ball is removed exactly, up to the error of the grid.
    let folder = tempfile::tempdir().unwrap();
    let corners = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n";
    let faces = "4 0 3 2 1\n4 4 5 6 7\n4 0 1 5 4\n4 1 2 6 5\n4 2 3 7 6\n4 3 0 4 7\n";
    std::fs::write(folder.path().join("cube.off"), format!("OFF\n8 6 0\n{corners}{faces}"))
        .unwrap();
    let cube = folder.path().join("cube.toml");
    let of_cube = |name: &str, initial: &str| {
        let text = std::fs::read_to_string(case.with_file_name(name)).unwrap();
        let (before, after) = text.split_once("[initial]\n").unwrap();
        let rest = after.split_once('\n').unwrap().1;
        std::fs::write(&cube, format!("{before}[initial]\n{initial}\n{rest}")).unwrap();
        run(&cube, &["--set", "evolve.max_steps=1"]).number("/first/enclosed")
    };
    let with_ball = of_cube(
        "boolean.toml",
        "difference = [ { mesh = { path = \"cube.off\" } }, \
         { ball = { center = [0.5, 0.5, 0.5], radius = 0.3 } } ]",
    );
    let without = of_cube("boolean.toml", "mesh = { path = \"cube.off\" }");
    let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.027;
    assert!(((without - with_ball) / exact - 1.0).abs() < 0.01, "{without} {with_ball}");
    // The ball lies inside the cup, whose opening is closed. The reinitialization of the combined
    // region moves this closure, where the side is uncertain, by a fraction of a voxel.
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.027;
    let removed = cup.number("/first/enclosed") - done.number("/first/enclosed");
    assert!((removed / ball - 1.0).abs() < 0.08, "{removed} {ball}");
    let nested = "initial={ intersection = [ { mesh = { path = \"cup.stl\" } }, { union = [ \
                  { ball = { center = [0, 0, 0], radius = 0.3 } }, \
                  { expression = \"x - 10\" } ] } ] }";
    let whole = run(&case, &["--set", "evolve.max_steps=1", "--set", nested]);
    let (whole, cup) = (whole.number("/first/enclosed"), cup.number("/first/enclosed"));
    assert!((whole / cup - 1.0).abs() < 0.01, "{whole} {cup}");
}

#[test]
fn open_sheets_become_shells() {
    let Some(case) = field("clouds/sdf_from_mesh/grid.toml") else { return };
    let shell = "initial.mesh={ path = \"t1205.off\", thickness = 1.0 }";
    let step = ["--set", "evolve.max_steps=1", "--set", "evolve.normal_speed=1"];
    let options = [&step[..], &["--set", "domain.tiled.dx=0.25", "--set"]].concat();
    let done = run(&case, &[&options[..], &[shell]].concat());
    // Three right triangles with legs of 10 and rounded edges.
    let volume = done.number("/first/enclosed");
    assert!(volume > 140.0 && volume < 250.0, "{volume}");
    assert_eq!(done.report.pointer("/first/components").unwrap(), 1);
    let plane = "initial.mesh={ path = \"plane.off\", thickness = 1.0 }";
    let plate = tempfile::tempdir().unwrap();
    let flat = plate.path().join("plate.toml");
    std::fs::copy(&case, &flat).unwrap();
    let square = "OFF\n4 2 0\n0 0 0\n4 0 0\n4 4 0\n0 4 0\n3 0 1 2\n3 0 2 3\n";
    std::fs::write(plate.path().join("plane.off"), square).unwrap();
    let done = run(&flat, &[&options[..], &[plane]].concat());
    // A plate with half cylinders along its edges and quarter balls at its corners.
    let exact = 16.0 + 4.0 * 4.0 * std::f64::consts::PI / 8.0 + std::f64::consts::PI / 6.0;
    assert!((done.number("/first/enclosed") / exact - 1.0).abs() < 0.03, "{:#}", done.report);
    let wall = "initial.mesh={ path = \"t1205.off\", thickness = 0.3 }";
    let done = run(&case, &[&options[..], &[wall]].concat());
    assert!(done.warns("a wall of the initial shape near"), "{}", done.said);
    assert!(done.warns("is 3e-1 thick, 1.20 voxels") || done.warns("is 0.3 thick, 1.20 voxels"));
}

#[test]
fn thin_stop_layers_are_named() {
    let Some(case) = field("clouds/etch_thin_stop/stop.toml") else { return };
    let folder = tempfile::tempdir().unwrap();
    let stop = folder.path().join("stop.toml");
    std::fs::copy(&case, &stop).unwrap();
    let (code, said) = zeroset(folder.path(), &["check", "stop.toml"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("evolve.normal_speed vanishes or changes sign in a layer"), "{said}");
    assert!(said.contains("domain.tiled.dx = 0.0"), "{said}");
    let done = run(&stop, &["--set", "evolve.max_steps=1"]);
    assert!(done.warns("in a layer near"), "{}", done.said);
    // The suggested spacing resolves the layer, and so does a thicker layer.
    let thick = "evolve.normal_speed=if(z > 0, 0, if(z < -0.3 && z > -0.36, 0, 1))";
    for set in ["domain.tiled.dx=0.009", thick] {
        let (code, said) = zeroset(folder.path(), &["check", "stop.toml", "--set", set]);
        assert!(code == 0 && !said.contains("warning"), "{set}: {said}");
    }
}

/// Returns the signed distance of a point to triangles by comparing all of them.
fn brute_force(x: [f64; 3], mesh: &Mesh) -> f64 {
    let (mut nearest, mut angle) = (f64::INFINITY, 0.0);
    for cell in mesh.iter_cells() {
        let corners: [Vec3; 3] =
            std::array::from_fn(|k| Vec3::from(mesh.vertices[cell[k] as usize]));
        nearest = nearest.min((simplex::closest_point(x.into(), &corners) - Vec3::from(x)).norm());
        let [a, b, c] = corners.map(|corner| corner - Vec3::from(x));
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        angle += 2.0 * a.dot(&b.cross(&c)).atan2(below);
    }
    if (angle / (4.0 * std::f64::consts::PI)).abs() > 0.5 { -nearest } else { nearest }
}

#[test]
fn signed_distances_on_a_grid_are_those_to_all_triangles() {
    for (file, size) in [("cup.stl", "12"), ("t1205.off", "11")] {
        let Some(path) = field(&format!("clouds/sdf_from_mesh/{file}")) else { return };
        let mesh = read_mesh(&path).unwrap().mesh;
        let folder = tempfile::tempdir().unwrap();
        let path = path.to_str().unwrap();
        for output in ["d.nii.gz", "d.npy", "d.vti", "d.nrrd"] {
            let arguments = ["sdf", path, "--size", size, "-o", output, "--margin", "2"];
            let (code, said) = zeroset(folder.path(), &arguments);
            assert_eq!(code, 0, "{said}");
            assert!(said.contains("not closed: ") && said.contains("is uncertain"), "{said}");
        }
        let found = read_volume(&folder.path().join("d.nrrd"), &VolumeOptions::default()).unwrap();
        let volume = found.volume;
        let [nx, ny, nz] = volume.shape();
        assert!(nx == size.parse::<usize>().unwrap() + 5, "{nx} {ny} {nz}");
        let mut inside = 0;
        for n in 0..nx * ny * nz {
            let [i, j, k] = volume.index_of(n);
            let x = volume.placement().world([i, j, k].map(|c| c as f64));
            let (found, right) = (volume.value(i, j, k), brute_force(x, &mesh));
            // On the film over the plane opening, the sign depends on rounding.
            let same = (found - right).abs() < 1e-9;
            let film = (x[2] - if file == "cup.stl" { 0.5 } else { 0.0 }).abs() < 1e-6;
            assert!(
                same || film && (found.abs() - right.abs()).abs() < 1e-9,
                "{x:?} {found} {right}"
            );
            inside += usize::from(found < 0.0);
        }
        assert!(inside > 20, "{inside}");
    }
}

#[test]
fn signed_distances_at_points_come_with_normals_and_triangles() {
    let Some(path) = field("clouds/overlapping_parts/overlap.stl") else { return };
    let folder = tempfile::tempdir().unwrap();
    let points = "x,y,z\n0.25,0.25,0.25\n0.25,0.25,2\n1,0.5,0.5\n-0.5,0,0.1\n";
    std::fs::write(folder.path().join("p.csv"), points).unwrap();
    let path = path.to_str().unwrap();
    let more = ["--at", "p.csv", "--normals", "--triangles", "--report", "r.json", "-o"];
    for output in ["d.csv", "d.npy"] {
        let (code, said) = zeroset(folder.path(), &[&["sdf", path][..], &more, &[output]].concat());
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("4 points, 1 inside"), "{said}");
    }
    let text = std::fs::read_to_string(folder.path().join("d.csv")).unwrap();
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|x| x.parse().unwrap()).collect())
        .collect();
    assert!(text.starts_with("x,y,z,distance,nx,ny,nz,triangle\n"), "{text}");
    // The point is inside both boxes, and the edges where the boxes meet are nearest.
    assert!((rows[0][3] + 0.125_f64.sqrt()).abs() < 1e-12, "{text}");
    assert_eq!(rows[1][3..7], [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(rows[2][3..7], [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(rows[3][3..7], [0.0, -1.0, 0.0, 0.0]);
    let report = std::fs::read_to_string(folder.path().join("r.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["inside"], &report["shape"][0]), (&1.into(), &4.into()));
    assert_eq!(report["warnings"].as_array().unwrap().len(), 1);
}

#[test]
fn bands_boxes_and_files_of_normals_fit_the_grid() {
    let Some(path) = field("clouds/overlapping_parts/overlap.stl") else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = path.to_str().unwrap();
    let base = ["sdf", path, "--spacing", "0.1", "--box=-1,-1,-1:1.5,1.5,1.5"];
    let go = |more: &[&str]| zeroset(folder.path(), &[&base[..], more].concat());
    let (code, said) = go(&["-o", "d.nrrd", "--normals", "--triangles", "--threads", "1"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(go(&["-o", "b.nrrd", "--band", "2", "--threads", "3"]).0, 0);
    let read = |name: &str| {
        let file = read_volume(&folder.path().join(name), &VolumeOptions::default()).unwrap();
        (file.volume.shape(), file.volume.to_f64())
    };
    let ((shape, whole), (_, band)) = (read("d.nrrd"), read("b.nrrd"));
    assert_eq!(shape, [26; 3]);
    assert!(whole.iter().zip(&band).all(|(d, b)| d.clamp(-0.2, 0.2) == *b));
    let [nx, ny, nz] = ["d_nx.nrrd", "d_ny.nrrd", "d_nz.nrrd"].map(|name| read(name).1);
    assert!((0..nx.len()).all(|n| {
        let length = nx[n].hypot(ny[n]).hypot(nz[n]);
        (length - 1.0).abs() < 1e-6
    }));
    assert!(read("d_triangle.nrrd").1.iter().all(|t| (0.0..24.0).contains(t)));
    let (code, said) = go(&["-o", "d.nrrd", "--normals"]);
    assert!(code == 6 && said.contains("d_nx.nrrd: already exists"), "{said}");
    assert_eq!(go(&["-o", "d.nrrd", "--normals", "--overwrite"]).0, 0);
}
