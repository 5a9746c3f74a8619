//! Tests initial level sets from surfaces and curves in files.

use std::path::{Path, PathBuf};

use zeroset::Result;
use zeroset::config::Config;
use zeroset::geometry::Vec3;
use zeroset::io::vtk::{Compression, Geometry, VtkOutput, write_vtp};
use zeroset::mesh::generate::{Cylinder, Generate, Torus, generate};
use zeroset::mesh::repair::Repairs;
use zeroset::mesh::{Kind, Mesh, clean};
use zeroset::run::{CleanedMesh, setup};
use zeroset::surface::{Interface, Measurer, TriangleIndex, extract};

fn case(folder: &Path, initial: &str) -> Config {
    let text = format!(
        "version = 1\n[domain.mesh]\npath = \"m\"\n[evolve]\nend_time = 1\n[initial]\n{initial}\n"
    );
    Config::parse(&text, &folder.join("case.toml"), &[]).unwrap()
}

fn phi(folder: &Path, initial: &str, mesh: &Mesh) -> Result<Vec<f64>> {
    let ready = CleanedMesh::of(mesh.clone(), None, Repairs::default(), Vec::new()).unwrap();
    setup::initial_phi(&case(folder, initial), &ready).map(|start| start.phi)
}

fn refusal(folder: &Path, initial: &str, mesh: &Mesh) -> String {
    phi(folder, initial, mesh).unwrap_err().to_string()
}

#[track_caller]
fn assert_near(found: f64, expected: f64, relative: f64) {
    let off = (found - expected).abs();
    assert!(off <= relative * expected.abs(), "{found} instead of {expected}");
}

fn generated(toml: &str) -> Mesh {
    let generate: Generate = toml::from_str(toml).unwrap();
    zeroset::mesh::generate::generate(&generate).unwrap()
}

fn sphere(subdivisions: u32) -> Mesh {
    generated(&format!("sphere = {{ subdivisions = {subdivisions} }}"))
}

fn write_surface(path: &Path, mesh: &Mesh) {
    let geometry = Geometry::triangles(&mesh.vertices, &mesh.cells, Compression::None);
    write_vtp(path, &VtkOutput::new(&geometry)).unwrap();
}

fn write_lines(path: &Path, line: &Interface) {
    let geometry = Geometry::lines(&line.vertices, &line.cells, Compression::None);
    write_vtp(path, &VtkOutput::new(&geometry)).unwrap();
}

/// Returns the volume enclosed by closed triangles, computed in coordinates whose origin is the
/// center of their bounding box.
fn volume(mesh: &Mesh) -> f64 {
    let (low, high) = mesh.bounds();
    let o = (Vec3::from(low) + Vec3::from(high)) * 0.5;
    let of = |t: &[u32]| {
        let [a, b, c]: [Vec3; 3] = [0, 1, 2].map(|k| Vec3::from(mesh.vertices[t[k] as usize]) - o);
        a.dot(&b.cross(&c)) / 6.0
    };
    mesh.iter_cells().map(of).sum()
}

/// Returns tetrahedra that fill a box around a surface, with `n` cubes along its longest side.
fn tets_around(mesh: &Mesh, n: f64) -> Mesh {
    let (low, high) = mesh.bounds();
    let h = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max) / n;
    let cells = [0, 1, 2].map(|k| ((high[k] - low[k]) / h).ceil() as usize + 2);
    let min = low.map(|x| x - h);
    let max: Vec<f64> = (0..3).map(|k| min[k] + h * cells[k] as f64).collect();
    generated(&format!("cube = {{ cells = {cells:?}, min = {min:?}, max = {max:?} }}"))
}

#[test]
fn a_sphere_in_tetrahedra_has_the_distances_of_its_formula() {
    let folder = tempfile::tempdir().unwrap();
    write_surface(&folder.path().join("ball.vtp"), &sphere(4));
    let cube = generated("cube = { cells = [12, 12, 12], min = [-1, -1, -1], max = [3, 3, 3] }");
    let initial = "mesh = { path = \"ball.vtp\", scale = 1.5, translate = [1, 1, 0.5] }";
    let phi = phi(folder.path(), initial, &cube).unwrap();
    for (x, phi) in cube.vertices.iter().zip(phi) {
        let exact = (Vec3::from(*x) - Vec3::new(1.0, 1.0, 0.5)).norm() - 1.5;
        assert!((phi - exact).abs() < 3e-3, "{phi} at {x:?}, but should be {exact}");
    }
}

/// Writes two unit spheres as one surface. Their centers are 1 apart.
fn write_spheres(path: &Path) {
    let mut spheres = sphere(5);
    let n = spheres.vertices.len();
    let moved: Vec<[f64; 3]> = spheres.vertices.iter().map(|&[x, y, z]| [x + 1.0, y, z]).collect();
    spheres.vertices.extend(moved);
    let cells: Vec<u32> = spheres.cells.iter().map(|v| v + n as u32).collect();
    spheres.cells.extend(cells);
    write_surface(path, &spheres);
}

#[test]
fn spheres_that_overlap_are_their_union_on_meshes() {
    let folder = tempfile::tempdir().unwrap();
    write_spheres(&folder.path().join("two.vtp"));
    let cells = "cells = [36, 28, 28], min = [-1.3, -1.4, -1.4], max = [2.3, 1.4, 1.4]";
    let cube = generated(&format!("cube = {{ {cells} }}"));
    let found = phi(folder.path(), "mesh.path = \"two.vtp\"", &cube).unwrap();
    let measures = Measurer::new(&cube).measure(&cube, &found);
    assert_near(measures.enclosed, 7.0686, 0.01);
    assert_eq!(measures.components, 1);
    let at = |place: [f64; 3]| {
        let near = |x: &[f64; 3]| (Vec3::from(*x) - Vec3::from(place)).norm() < 1e-9;
        found[cube.vertices.iter().position(near).unwrap()]
    };
    // The circle where the spheres meet is nearest to the point halfway between the centers.
    assert_near(at([0.5, 0.0, 0.0]), -0.75_f64.sqrt(), 2e-3);
    let square = generated("square = { cells = [36, 28], min = [-1.3, -1.4], max = [2.3, 1.4] }");
    let phi = phi(folder.path(), "mesh.path = \"two.vtp\"", &square).unwrap();
    let lens = 2.0 * (std::f64::consts::PI / 3.0 - 0.75_f64.sqrt() / 2.0);
    let area = 2.0 * std::f64::consts::PI - lens;
    assert_near(Measurer::new(&square).measure(&square, &phi).enclosed, area, 0.01);
}

#[test]
fn regions_combine_files_shapes_and_expressions_on_meshes() {
    let folder = tempfile::tempdir().unwrap();
    write_spheres(&folder.path().join("two.vtp"));
    let cells = "cells = [36, 28, 28], min = [-1.3, -1.4, -1.4], max = [2.3, 1.4, 1.4]";
    let cube = generated(&format!("cube = {{ {cells} }}"));
    let enclosed = |initial: &str| {
        let phi = phi(folder.path(), initial, &cube).unwrap();
        Measurer::new(&cube).measure(&cube, &phi).enclosed
    };
    let mesh = "{ mesh = { path = \"two.vtp\" } }";
    let ball = "{ ball = { center = [0, 0, 0], radius = 1 } }";
    let unit = 4.0 / 3.0 * std::f64::consts::PI;
    assert_near(enclosed(&format!("intersection = [{mesh}, {ball}]")), unit, 0.02);
    assert_near(enclosed(&format!("difference = [{mesh}, {ball}]")), 7.0686 - unit, 0.02);
    let half = "{ expression = \"1e6*(x - 0.5)\" }";
    assert_near(enclosed(&format!("intersection = [{mesh}, {half}]")), 0.5 * 7.0686, 0.02);
    let nested = format!("union = [{{ intersection = [{mesh}, {half}] }}, {ball}]");
    // The ball adds the cap beyond the plane, with a height of 1/2.
    let cap = std::f64::consts::PI * 0.25 * (3.0 - 0.5) / 3.0;
    assert_near(enclosed(&nested), 0.5 * 7.0686 + cap, 0.02);
    let shell = "mesh = { path = \"two.vtp\", thickness = 0.4 }";
    assert!(enclosed(shell) > 0.4 * 15.0, "{}", enclosed(shell));
}

#[test]
fn a_square_cuts_a_torus() {
    let folder = tempfile::tempdir().unwrap();
    let torus = generate(&Generate::Torus(Torus::default())).unwrap();
    write_surface(&folder.path().join("torus.vtp"), &torus);
    let square = generated("square = { cells = [120, 120], min = [-2, -2], max = [2, 2] }");
    let phi = phi(folder.path(), "mesh.path = \"torus.vtp\"", &square).unwrap();
    let found = Measurer::new(&square).measure(&square, &phi);
    let pi = std::f64::consts::PI;
    assert_near(found.enclosed, pi * (1.4 * 1.4 - 0.6 * 0.6), 0.01);
    assert_eq!((found.components, found.euler_number), (1, 0));
}

/// Asserts that the inside on the grid has the given volume. Returns the number of vertices for
/// which it is uncertain whether they are inside.
#[track_caller]
fn assert_solid(path: &Path, volume: f64, relative: f64) -> usize {
    let mesh = zeroset::io::read_mesh(path).unwrap().mesh;
    let tets = tets_around(&mesh, 40.0);
    let initial = format!("mesh.path = {path:?}");
    let phi = phi(Path::new("."), &initial, &tets).unwrap();
    let found = Measurer::new(&tets).measure(&tets, &phi);
    assert_near(found.enclosed, volume, relative);
    let mut cells = mesh.cells.clone();
    zeroset::surface::orient(&mesh.vertices, &mut cells);
    let index = TriangleIndex::new(&mesh.vertices, &cells);
    index.signed_distances(&tets.vertices).undecided
}

#[test]
fn scans_with_holes_have_an_inside() {
    // The bottom has 223 open edges. The holes are so small that the triangles still determine the
    // enclosed volume to within 2 %.
    let Some(path) = zeroset_testing::data("scans/bun_zipper.ply") else { return };
    let mesh = zeroset::io::read_mesh(&path).unwrap().mesh;
    let undecided = assert_solid(&path, volume(&mesh), 0.02);
    assert!(undecided > 0 && undecided < 200, "{undecided}");
}

#[test]
fn shuffled_triangles_are_turned_the_same_way() {
    let Some(path) = zeroset_testing::data("sim/off/blobby-shuffled.off") else { return };
    let mut mesh = zeroset::io::read_mesh(&path).unwrap().mesh;
    zeroset::surface::orient(&mesh.vertices.clone(), &mut mesh.cells);
    assert!(volume(&mesh) > 0.0);
    assert_eq!(assert_solid(&path, volume(&mesh), 0.02), 0);
}

#[test]
fn many_holes_leave_many_vertices_uncertain_and_duplicates_none() {
    let Some(holes) = zeroset_testing::data("sim/off/elephant-with-holes.off") else { return };
    let mesh = zeroset::io::read_mesh(&holes).unwrap().mesh;
    let tets = tets_around(&mesh, 30.0);
    let index = TriangleIndex::new(&mesh.vertices, &mesh.cells);
    let found = index.signed_distances(&tets.vertices);
    let inside = found.values.iter().filter(|&&d| d < 0.0).count();
    assert!(found.undecided > inside / 20 && inside > 100, "{} {inside}", found.undecided);
    // Every triangle occurs twice, the second time with reversed orientation. Cleaning keeps the
    // first.
    let folder = tempfile::tempdir().unwrap();
    let mut twice = sphere(3);
    let turned: Vec<u32> = twice.iter_cells().flat_map(|t| [t[0], t[2], t[1]]).collect();
    twice.cells.extend(turned);
    write_surface(&folder.path().join("twice.vtp"), &twice);
    let cube = generated("cube = { cells = [8, 8, 8], min = [-2, -2, -2], max = [2, 2, 2] }");
    let found = phi(folder.path(), "mesh.path = \"twice.vtp\"", &cube).unwrap();
    let center = cube.vertices.iter().position(|x| *x == [0.0; 3]).unwrap();
    assert!((found[center] + 1.0).abs() < 0.02);
}

#[test]
fn normals_inwards_and_cavities() {
    let folder = tempfile::tempdir().unwrap();
    let cube = generated("cube = { cells = [16, 16, 16], min = [-2, -2, -2], max = [2, 2, 2] }");
    let mut inverted = sphere(3);
    inverted.cells.as_chunks_mut::<3>().0.iter_mut().for_each(|t| t.swap(0, 1));
    // A shell: a sphere of radius 1.5 that contains an inverted sphere of radius 1.
    let mut shell = inverted.clone();
    let n = shell.n_vertices() as u32;
    let outer = sphere(3);
    shell.vertices.extend(outer.vertices.iter().map(|x| x.map(|c| 1.5 * c)));
    shell.cells.extend(outer.cells.iter().map(|v| v + n));
    let measure = |name: &str, mesh: &Mesh| {
        write_surface(&folder.path().join(name), mesh);
        let phi = phi(folder.path(), &format!("mesh.path = \"{name}\""), &cube).unwrap();
        Measurer::new(&cube).measure(&cube, &phi).enclosed
    };
    let ball = 4.0 / 3.0 * std::f64::consts::PI;
    assert_near(measure("inverted.vtp", &inverted), ball, 0.05);
    assert_near(measure("shell.vtp", &shell), ball * (1.5_f64.powi(3) - 1.0), 0.05);
}

#[test]
fn meshes_that_enclose_nothing_are_refused_with_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let cube = generated("cube = { cells = [2, 2, 2] }");
    let square = generated("square = { cells = [2, 2] }");
    write_surface(&folder.path().join("flat.vtp"), &square);
    let write = |name: &str| {
        let geometry = Geometry::mesh(&cube, Compression::None);
        zeroset::io::vtk::write_vtu(&folder.path().join(name), &VtkOutput::new(&geometry)).unwrap();
    };
    write("cube.vtu");
    write_surface(&folder.path().join("far.vtp"), &sphere(2));
    for (initial, expected) in [
        ("mesh.path = \"none.vtp\"", "none.vtp: cannot be read"),
        ("mesh.path = \"flat.vtp\"", "flat.vtp: lies in a plane, so it encloses nothing"),
        ("mesh.path = \"cube.vtu\"", "cube.vtu: holds tetrahedra, so it encloses nothing"),
        (
            "mesh = { path = \"far.vtp\", translate = [9, 0, 0] }",
            "case.toml:6: the whole mesh is outside [initial]",
        ),
        ("curve.path = \"far.vtp\"", "case.toml:7: initial.curve: a curve has no inside"),
    ] {
        let found = refusal(folder.path(), initial, &cube);
        assert!(found.contains(expected), "{found}");
    }
}

/// Writes the interface of `before` and reads it back as a curve. Returns the largest distance
/// between the two zero sets, and the relative difference of the areas inside.
fn round_trip(mesh: &Mesh, before: &[f64], side: &str) -> (f64, f64) {
    let folder = tempfile::tempdir().unwrap();
    let line = extract(mesh, before);
    write_lines(&folder.path().join("line.vtp"), &line);
    let initial = format!("curve = {{ path = \"line.vtp\"{side} }}");
    let after = phi(folder.path(), &initial, mesh).unwrap();
    let measure = |phi: &[f64]| Measurer::new(mesh).measure(mesh, phi);
    let (a, b) = (measure(before), measure(&after));
    assert_eq!((a.components, a.euler_number), (b.components, b.euler_number));
    let gap = farthest(&extract(mesh, &after), &line).max(farthest(&line, &extract(mesh, &after)));
    (gap, (b.enclosed - a.enclosed).abs() / a.enclosed)
}

/// Returns the largest distance from a point of `a` to the segments of `b`.
fn farthest(a: &Interface, b: &Interface) -> f64 {
    let point = |v: u32| Vec3::from(b.vertices[v as usize]);
    let segments: Vec<[Vec3; 2]> =
        b.cells.chunks_exact(2).map(|s| [point(s[0]), point(s[1])]).collect();
    let nearest = |x: &[f64; 3]| {
        let x = Vec3::from(*x);
        let of = |s: &[Vec3; 2]| (zeroset::geometry::simplex::closest_point(x, s) - x).norm();
        segments.iter().map(of).fold(f64::INFINITY, f64::min)
    };
    a.vertices.iter().map(nearest).fold(0.0, f64::max)
}

#[test]
fn a_cap_of_a_sphere_survives_the_round_trip() {
    let mesh = sphere(5);
    let edge = setup::mean_edge(&mesh);
    let cap: Vec<f64> = mesh.vertices.iter().map(|x| 0.6 - x[2] + 0.1 * x[0]).collect();
    for side in ["", ", inside = \"left\""] {
        let (gap, area) = round_trip(&mesh, &cap, side);
        println!("sphere{side}: gap {:.4} edges, area off by {area:.2e}", gap / edge);
        assert!(gap < 0.05 * edge && area < 0.002, "{gap} {area}");
    }
    // First, the complement, which is selected by the direction of the line because it is not the
    // smaller side. Then, two caps at once.
    let rest: Vec<f64> = cap.iter().map(|x| -x).collect();
    let (gap, area) = round_trip(&mesh, &rest, ", inside = \"left\"");
    assert!(gap < 0.05 * edge && area < 0.002, "{gap} {area}");
    let caps: Vec<f64> = mesh.vertices.iter().map(|x| 0.8 - x[2].abs()).collect();
    let (gap, area) = round_trip(&mesh, &caps, "");
    assert!(gap < 0.05 * edge && area < 0.002, "{gap} {area}");
}

#[test]
fn a_curve_on_a_cortex_survives_the_round_trip() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/fsaverage5_pial_left.gii.gz");
    let mesh = clean(zeroset::io::read_mesh(&path).unwrap().mesh).unwrap().0;
    let edge = setup::mean_edge(&mesh);
    let center = Vec3::new(-55.0, -20.0, 10.0);
    let ball: Vec<f64> =
        mesh.vertices.iter().map(|x| (Vec3::from(*x) - center).norm() - 30.0).collect();
    let (gap, area) = round_trip(&mesh, &ball, "");
    println!("cortex: gap {:.4} edges, area off by {area:.2e}", gap / edge);
    assert!(gap < 0.5 * edge && area < 0.01, "{} edges, {area}", gap / edge);
}

#[test]
fn a_curve_in_a_square_survives_the_round_trip() {
    let mesh = generated("square = { cells = [40, 40], jitter = 0.2 }");
    let edge = setup::mean_edge(&mesh);
    let ring: Vec<f64> =
        mesh.vertices.iter().map(|x| ((x[0] - 0.5).hypot(x[1] - 0.5) - 0.3).abs() - 0.1).collect();
    for side in ["", ", inside = \"left\"", ", inside = \"enclosed\"", ", inside = \"smaller\""] {
        let (gap, area) = round_trip(&mesh, &ring, side);
        println!("square{side}: gap {:.4} edges, area off by {area:.2e}", gap / edge);
        assert!(gap < 0.1 * edge && area < 0.005, "{gap} {area}");
    }
    let rest: Vec<f64> = ring.iter().map(|x| -x).collect();
    let (gap, area) = round_trip(&mesh, &rest, ", inside = \"left\"");
    assert!(gap < 0.1 * edge && area < 0.005, "{gap} {area}");
}

fn text(points: impl Iterator<Item = [f64; 3]>) -> String {
    points.map(|[x, y, z]| format!("{x} {y} {z}\n")).collect()
}

fn circle(n: usize, point: impl Fn(f64, f64) -> [f64; 3]) -> String {
    text((0..n).map(|k| {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 / n as f64).sin_cos();
        point(cos, sin)
    }))
}

fn file(folder: &Path, name: &str, content: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path
}

#[test]
fn coarse_curves_follow_the_surface_and_sides_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = sphere(5);
    // The curve consists of chords of a circle of latitude. Each spans 15 degrees, and the
    // direction is counterclockwise as seen from the pole.
    file(folder.path(), "c.txt", &circle(24, |x, y| [0.8 * x, 0.8 * y, 0.6]));
    let pi = std::f64::consts::PI;
    for (side, area) in [("", 0.4), (", inside = \"left\"", 0.4), (", inside = \"right\"", 1.6)] {
        let initial = format!("curve = {{ path = \"c.txt\"{side} }}");
        let phi = phi(folder.path(), &initial, &mesh).unwrap();
        let found = Measurer::new(&mesh).measure(&mesh, &phi);
        assert_near(found.enclosed, 2.0 * pi * area, 0.01);
        // phi is a signed distance everywhere, not only near the curve: the pole has distance
        // 0.9273.
        let pole = mesh.vertices.iter().zip(&phi).max_by(|a, b| a.0[2].total_cmp(&b.0[2])).unwrap();
        assert_near(pole.1.abs(), 0.6_f64.acos(), 0.02);
    }
}

#[test]
fn curves_along_edges_of_the_mesh_bound_its_cells() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = generate(&Generate::Cylinder(Cylinder::default())).unwrap();
    let level = mesh.vertices.iter().map(|x| x[2]).filter(|z| *z > 0.3).fold(1.0, f64::min);
    let mut ring: Vec<[f64; 3]> = mesh.vertices.iter().copied().filter(|x| x[2] == level).collect();
    ring.sort_by(|a, b| a[1].atan2(a[0]).total_cmp(&b[1].atan2(b[0])));
    file(folder.path(), "ring.txt", &text(ring.into_iter()));
    let phi = phi(folder.path(), "curve.path = \"ring.txt\"", &mesh).unwrap();
    let (low, high) = mesh.bounds();
    let inside = (level - low[2]).min(high[2] - level) / (high[2] - low[2]);
    let found = Measurer::new(&mesh).measure(&mesh, &phi);
    let whole: f64 = Measurer::new(&mesh).measure(&mesh, &vec![-1.0; phi.len()]).enclosed;
    assert_near(found.enclosed, inside * whole, 1e-6);
}

#[test]
fn curves_without_two_sides_are_refused_with_file_and_place() {
    let folder = tempfile::tempdir().unwrap();
    let torus = generate(&Generate::Torus(Torus::default())).unwrap();
    assert_eq!(torus.kind, Kind::Surface);
    let around = |shift: f64| circle(48, |x, z| [1.0 + 0.4 * x, shift, 0.4 * z]);
    let meridian = around(0.0);
    file(folder.path(), "one.txt", &meridian);
    // A curve on the other side of the hole.
    let other = circle(48, |x, z| [-1.0 - 0.4 * x, 0.0, 0.4 * z]);
    file(folder.path(), "two.txt", &format!("{meridian}\n{other}"));
    file(folder.path(), "off.txt", &circle(12, |x, y| [x, y, 3.0]));
    file(folder.path(), "open.obj", "v 1.4 0 0\nv 0 1.4 0\nv -1.4 0 0\nl 1 2 3\n");
    for (initial, expected) in [
        ("curve.path = \"one.txt\"", "one.txt: the curves do not divide the surface"),
        ("curve.path = \"off.txt\"", "off.txt: curve 1: leaves the mesh: "),
        ("curve.path = \"open.obj\"", "open.obj: curve 1: is open"),
        ("curve.path = \"none.txt\"", "none.txt: cannot be read"),
        (
            "curve = { path = \"two.txt\", inside = \"enclosed\" }",
            "case.toml:7: initial.curve.inside is \"enclosed\"",
        ),
    ] {
        let found = refusal(folder.path(), initial, &torus);
        assert!(found.contains(expected), "{found}");
    }
    let two = phi(folder.path(), "curve.path = \"two.txt\"", &torus).unwrap();
    let half = two.iter().filter(|&&x| x < 0.0).count() as f64;
    assert_near(half, 0.5 * two.len() as f64, 0.05);
    // Only one of the two directions of the second curve is consistent with the first curve.
    let turned = circle(48, |x, z| [-1.0 - 0.4 * x, 0.0, -0.4 * z]);
    file(folder.path(), "turned.txt", &format!("{meridian}\n{turned}"));
    let of = |name: &str| {
        phi(folder.path(), &format!("curve = {{ path = \"{name}\", inside = \"left\" }}"), &torus)
    };
    let outcomes = [of("two.txt"), of("turned.txt")];
    assert_eq!(outcomes.iter().filter(|o| o.is_ok()).count(), 1);
    let error = outcomes.into_iter().find_map(|o| o.err()).unwrap().to_string();
    assert!(error.contains("curve 2: has its inside on the opposite side from curve 1"), "{error}");
}
