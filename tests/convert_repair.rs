//! Tests `zeroset convert --repair`, `--fill-holes` and `--decimate` with files. The correct values
//! are areas, volumes, Euler numbers and numbers of boundary loops.

use std::path::{Path, PathBuf};
use std::process::Command;

use zeroset::io::{WriteOptions, read_mesh, write_mesh};
use zeroset::mesh::generate::{Cube, Generate, generate};
use zeroset::mesh::statistics::{Statistics, inspect};
use zeroset::mesh::{Kind, Mesh};
use zeroset::surface::Topology;
use zeroset_testing::field;

/// Runs the program in a folder. Returns the exit code and everything that it printed.
fn zeroset(folder: &Path, line: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    let output = command.current_dir(folder).args(line.split_whitespace()).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// A converted mesh.
struct Converted {
    mesh: Mesh,
    found: Statistics,
    said: String,
}

impl Converted {
    #[track_caller]
    fn new(input: &Path, options: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let line = format!("convert {} o.vtu {options}", input.display());
        let (code, said) = zeroset(folder.path(), &line);
        assert_eq!(code, Some(0), "{said}");
        let mesh = read_mesh(&folder.path().join("o.vtu")).unwrap().mesh;
        Converted { found: inspect(&mesh), mesh, said }
    }

    fn corners(&self) -> impl Iterator<Item = [[f64; 3]; 3]> {
        self.mesh.iter_cells().map(|t| [0, 1, 2].map(|k| self.mesh.vertices[t[k] as usize]))
    }

    fn area(&self) -> f64 {
        self.corners().map(|[a, b, c]| length(cross(minus(b, a), minus(c, a))) / 2.0).sum()
    }

    fn volume(&self) -> f64 {
        let of =
            |[a, b, c]: [[f64; 3]; 3]| (0..3).map(|k| a[k] * cross(b, c)[k]).sum::<f64>() / 6.0;
        self.corners().map(of).sum()
    }
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

fn length(a: [f64; 3]) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}

#[test]
fn degenerate_cells_are_written_repaired() {
    for (file, area, cells, what) in [
        ("cap/cap.obj", 2.0, 4, "1 degenerate cell removed by splitting its neighbors"),
        ("cap/deg2.off", 3.0, 6, "2 degenerate cells removed by splitting their neighbors"),
    ] {
        let Some(file) = field(&format!("meshes/{file}")) else { return };
        let found = Converted::new(&file, "--repair");
        assert!(found.said.contains(&format!("mesh repaired: {what}")), "{}", found.said);
        assert!((found.area() - area).abs() < 1e-12, "{}", found.area());
        let counts = (found.mesh.n_cells(), found.found.degenerate, found.found.components);
        assert_eq!(counts, (cells, 0, 1), "{}", file.display());
        assert_eq!((found.found.euler, found.found.inconsistent), (1, 0), "{}", file.display());
    }
    let seam = field("meshes/cap/seam_of_caps.obj").unwrap();
    let found = Converted::new(&seam, "--repair");
    assert!(found.said.contains("39 degenerate cells removed"), "{}", found.said);
    assert_eq!((found.found.degenerate, found.found.components, found.found.euler), (0, 1, 1));
    let thin = field("meshes/sliver_step/five_slivers.obj").unwrap();
    let found = Converted::new(&thin, "--repair");
    assert!(found.said.contains("mesh repaired: ") && found.found.quality_min > Some(1e-3));
}

#[test]
fn coincident_vertices_are_joined_in_the_file() {
    for (file, n, euler) in [
        ("elementwise.vtu", 25, 1),
        ("soup.obj", 25, 1),
        ("soup40.obj", 1681, 1),
        ("globe_seam.vtp", 0, 0),
    ] {
        let Some(file) = field(&format!("meshes/duplicate_points/{file}")) else { return };
        let found = Converted::new(&file, "--repair");
        assert!(found.said.contains(" joined along "), "{}", found.said);
        assert_eq!((found.found.components, found.found.duplicate_points), (1, 0));
        if n > 0 {
            let counts = (found.mesh.n_vertices(), found.found.euler);
            assert_eq!(counts, (n, euler), "{}", file.display());
            assert!((found.area() - 1.0).abs() < 1e-12);
        }
        let apart = Converted::new(&file, "--repair --weld never");
        assert!(!apart.said.contains(" joined along "), "{}", apart.said);
    }
    let stl = field("meshes/duplicate_points/corners_1e-6.stl").unwrap();
    let found = Converted::new(&stl, "--repair");
    assert_eq!(found.found.components, 1);
    let within = Converted::new(&stl, "--repair --weld 0.001");
    assert_eq!(within.found.components, 1);
}

/// Writes a cube of side 1 as a text STL file without normals, and returns its path. The
/// orientation of triangle k is reversed if bit k of `turned` is set.
fn cube(folder: &Path, turned: u32) -> PathBuf {
    #[rustfmt::skip]
    let cells = [
        [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
        [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5],
    ];
    let mut text = String::from("solid cube\n");
    for (k, [a, b, c]) in cells.into_iter().enumerate() {
        let corners = if turned >> k & 1 == 1 { [a, c, b] } else { [a, b, c] };
        text += "facet normal 0 0 0\nouter loop\n";
        for v in corners {
            text += &format!("vertex {} {} {}\n", v & 1, v >> 1 & 1, v >> 2 & 1);
        }
        text += "endloop\nendfacet\n";
    }
    let path = folder.join("cube.stl");
    std::fs::write(&path, text + "endsolid cube\n").unwrap();
    path
}

#[test]
fn soups_are_oriented_and_the_turned_triangles_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for turned in [0_u32, 1, 0xfff, 0xa53] {
        let found = Converted::new(&cube(folder.path(), turned), "--repair");
        assert!((found.volume() - 1.0).abs() < 1e-12, "{turned}: {}", found.volume());
        let topology = Topology::of(&found.mesh);
        assert!(topology.closed && topology.euler_number == 2, "{topology}");
        let n = turned.count_ones();
        let line = format!("mesh oriented: {n} triangle");
        assert_eq!(found.said.contains(&line), n > 0, "{}", found.said);
    }
    // Without --repair, no triangle is reversed.
    let found = Converted::new(&cube(folder.path(), 0xfff), "");
    assert!((found.volume() + 1.0).abs() < 1e-12);
}

#[test]
fn a_moebius_strip_is_written_as_it_is_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::new();
    // Eight quads, the last of which is joined to the first upside down.
    for k in 0..8 {
        let (angle, turn) = (f64::from(k) * 0.25 * std::f64::consts::PI, f64::from(k) / 8.0);
        for side in [-0.3, 0.3] {
            let (across, up) = (
                side * (turn * std::f64::consts::PI).cos(),
                side * (turn * std::f64::consts::PI).sin(),
            );
            let r = 1.0 + across;
            text += &format!("v {} {} {up}\n", r * angle.cos(), r * angle.sin());
        }
    }
    for k in 0..8 {
        let (a, b) = (2 * k + 1, 2 * k + 2);
        let (c, d) = if k == 7 { (2, 1) } else { (a + 2, b + 2) };
        text += &format!("f {a} {c} {b}\nf {b} {c} {d}\n");
    }
    let path = folder.path().join("strip.obj");
    std::fs::write(&path, text).unwrap();
    let found = Converted::new(&path, "--repair");
    assert!(found.said.contains("like a Moebius strip, and cannot be oriented"), "{}", found.said);
    assert!(found.said.contains("at the edge between vertices "), "{}", found.said);
    assert_eq!((found.mesh.n_cells(), found.found.euler), (16, 0));
}

#[test]
fn tetrahedra_with_negative_volume_are_turned() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pair.mesh");
    let text = "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n\
                0 0 1 0\n1 1 1 0\nTetrahedra\n2\n1 3 2 4 0\n2 3 4 5 0\nEnd\n";
    std::fs::write(&path, text).unwrap();
    let found = Converted::new(&path, "--repair");
    assert!(found.said.contains("1 inverted tetrahedron reoriented"), "{}", found.said);
    assert_eq!((found.mesh.kind, found.found.inverted), (Kind::Volume, 0));
}

#[test]
fn holes_are_filled_and_the_invented_area_is_stated() {
    let folder = tempfile::tempdir().unwrap();
    let ball = folder.path().join("ball.vtp");
    let (code, said) = zeroset(folder.path(), "generate sphere --subdivisions 4 -o ball.vtp");
    assert_eq!(code, Some(0), "{said}");
    let line = "convert ball.vtp open.vtp --where abs(z)<0.9&&x<0.95";
    assert_eq!(zeroset(folder.path(), line).0, Some(0));
    let open = folder.path().join("open.vtp");
    let whole = Converted::new(&ball, "");
    let found = Converted::new(&open, "--fill-holes");
    assert!(found.said.contains("3 holes with "), "{}", found.said);
    assert!(found.said.contains(" % of the surface, is invented"), "{}", found.said);
    let topology = Topology::of(&found.mesh);
    assert!(topology.closed && topology.euler_number == 2, "{topology}");
    assert!((found.volume() / whole.volume() - 1.0).abs() < 0.1);
    let some = Converted::new(&open, "--fill-holes 0.4");
    assert_eq!(Topology::of(&some.mesh).holes.len(), 2, "{}", some.said);
    assert!(some.said.contains("2 boundary loops are left open"), "{}", some.said);
    let (code, said) = zeroset(folder.path(), "convert open.vtp o.vtp --fill-holes 0");
    assert!(code == Some(2) && said.contains("expected an area > 0"), "{said}");
    // Tetrahedra have no holes to fill. Their boundary is a surface, which is accepted.
    assert_eq!(zeroset(folder.path(), "generate cube --cells 2,2,2 -o cube.vtu").0, Some(0));
    for option in ["--fill-holes", "--decimate 10"] {
        let (code, said) = zeroset(folder.path(), &format!("convert cube.vtu o.vtu {option}"));
        assert!(code == Some(2) && said.contains("add --boundary"), "{said}");
        let line = format!("convert cube.vtu skin.stl --boundary {option}");
        assert_eq!(zeroset(folder.path(), &line).0, Some(0));
    }
}

#[test]
fn a_surface_is_decimated_to_the_number_of_triangles() {
    let folder = tempfile::tempdir().unwrap();
    let line = "generate sphere --subdivisions 5 -o ball.stl";
    assert_eq!(zeroset(folder.path(), line).0, Some(0));
    let ball = folder.path().join("ball.stl");
    for (target, right) in [("2000", 2000), ("0.1", 2048)] {
        let found = Converted::new(&ball, &format!("--decimate {target}"));
        let line = format!("20480 triangles decimated to {right}; the old vertices are ");
        assert!(found.said.contains(&line), "{}", found.said);
        let topology = Topology::of(&found.mesh);
        assert!(topology.closed && topology.euler_number == 2, "{topology}");
        let volume = found.volume() / (4.0 / 3.0 * std::f64::consts::PI);
        assert!((volume - 1.0).abs() < 4e-3 && found.mesh.n_cells() == right, "{volume}");
    }
    let few = Converted::new(&ball, "--decimate 2");
    assert!(few.said.contains("decimation stopped at "), "{}", few.said);
    for target in ["0", "1.5", "-3", "all"] {
        let line = format!("convert ball.stl o.stl --decimate={target}");
        let (code, said) = zeroset(folder.path(), &line);
        assert!(code == Some(2) && said.contains("expected a whole number"), "{said}");
    }
}

#[test]
fn surfaces_of_volumes_and_clouds_have_their_holes_filled() {
    let folder = tempfile::tempdir().unwrap();
    let run = |line: &str| {
        let (code, said) = zeroset(folder.path(), line);
        assert_eq!(code, Some(0), "{line}: {said}");
        said
    };
    let report = || -> serde_json::Value {
        let text = std::fs::read_to_string(folder.path().join("r.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    run("generate sphere --subdivisions 4 -o ball.ply");
    run("voxelize ball.ply --size 16 --margin 0 -o ball.nrrd");
    run("isosurface ball.nrrd --level 0.5 -o s.ply --report r.json");
    assert_eq!(report()["filled"], serde_json::Value::Null);
    let loops = report()["surface"]["holes"].as_array().unwrap().len();
    assert_eq!(loops, 6, "{}", report());
    let said = run("isosurface ball.nrrd --level 0.5 -o s.ply --report r.json --fill-holes");
    let found = report();
    assert_eq!(found["filled"]["holes"], 6, "{found}");
    assert_eq!(
        (&found["surface"]["closed"], &found["surface"]["genus"]),
        (&true.into(), &0.into())
    );
    let warning = found["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("6 holes with ") && said.contains(warning), "{warning}");
    // A scan of a ball without its top.
    run("convert ball.ply scan.ply --normals --where z<0.7");
    let line =
        "reconstruct scan.ply --method directed --depth 4 -o s.ply --report r.json --fill-holes";
    let said = run(line);
    let found = report();
    assert!(found["filled"]["holes"].as_u64().unwrap() >= 1, "{found}");
    assert!(said.contains(" % of the surface, is invented"), "{said}");
}

#[test]
fn boundaries_and_voxels_of_torn_tetrahedra_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let cube = Cube { cells: [3; 3], ..Cube::default() };
    let whole = generate(&Generate::Cube(cube)).unwrap();
    let vertices = whole.cells.iter().map(|&v| whole.vertices[v as usize]).collect();
    let torn = Mesh::new(Kind::Volume, vertices, (0..whole.cells.len() as u32).collect());
    let file = folder.path().join("torn.vtu");
    write_mesh(&file, &torn, &WriteOptions::default()).unwrap();
    let skin = Converted::new(&file, "--boundary");
    assert!((skin.area() - 6.0).abs() < 1e-12, "{}", skin.area());
    assert!(skin.said.contains("coincident vertices joined along"), "{}", skin.said);
    let apart = Converted::new(&file, "--boundary --weld never");
    assert!(apart.area() > 30.0 && !apart.said.contains("joined"), "{}", apart.said);
    let (code, said) = zeroset(folder.path(), "voxelize torn.vtu --size 16 -o v.nii");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("4096 inside"), "{said}");
    let (code, said) = zeroset(folder.path(), "convert torn.vtu a.vtu --weld auto");
    assert!(code == Some(2) && said.contains("add --repair"), "{said}");
}
