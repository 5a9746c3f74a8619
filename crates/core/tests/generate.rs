//! Tests of generated meshes: counts, topology, shape, and bits that must never change.

use nalgebra::{Matrix3, Vector3};
use zeroset_core::mesh::generate::{Generate, generate};
use zeroset_core::mesh::refine::refine;
use zeroset_core::mesh::statistics::{Statistics, inspect};
use zeroset_core::mesh::{Kind, Mesh};
use zeroset_testing::cell_geometry::{
    assert_fills, corners, hash, inradii, largest_angle, measures, normals, summary,
};

#[track_caller]
fn make(text: &str) -> Mesh {
    let spec: Generate = toml::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    spec.check().unwrap_or_else(|e| panic!("{text}: {e}"));
    generate(&spec).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Returns the statistics of a mesh after checking that it has no defects.
#[track_caller]
fn sound(mesh: &Mesh) -> Statistics {
    let s = inspect(mesh);
    let flaws = [s.nonmanifold, s.inconsistent, s.degenerate, s.duplicate, s.inverted];
    assert_eq!(flaws, [0; 5], "nonmanifold, inconsistent, degenerate, duplicate, inverted");
    assert_eq!((s.duplicate_points, s.unreferenced, s.components), (0, 0, 1));
    s
}

#[test]
fn lattice_squares_fill_their_box() {
    for pattern in ["diagonal", "cross"] {
        for more in ["", "jitter = 0.25", "jitter = 0.35, delaunay = true"] {
            let mesh = make(&format!(
                "square = {{ cells = [7, 5], min = [-1, 2], max = [3, 4.5], pattern = \"{pattern}\", {more} }}"
            ));
            assert_eq!((mesh.kind, mesh.n_vertices(), mesh.n_cells()), (Kind::Planar, 48, 70));
            assert_fills(&mesh, 10.0);
            let s = sound(&mesh);
            assert_eq!((s.euler, s.boundary), (1, 24));
            assert_eq!(mesh.bounds(), ([-1.0, 2.0, 0.0], [3.0, 4.5, 0.0]));
            let is_lattice = !more.contains("delaunay");
            assert_eq!(mesh.lattice, is_lattice.then_some([8, 6, 1]));
        }
    }
}

#[test]
fn diagonals_are_parallel_or_alternate() {
    let s = inspect(&make("square = { cells = [8, 8] }"));
    assert_eq!((s.max_valence, s.obtuse_share), (6, Some(0.0)));
    let s = inspect(&make("square = { cells = [8, 8], pattern = \"cross\" }"));
    assert_eq!((s.max_valence, s.obtuse_share), (8, Some(0.0)));
}

#[test]
fn jitter_moves_interior_vertices_by_its_fraction_at_most() {
    let regular = make("square = { cells = [40, 30], max = [4, 6] }");
    let moved = make("square = { cells = [40, 30], max = [4, 6], jitter = 0.2, seed = 7 }");
    let other = make("square = { cells = [40, 30], max = [4, 6], jitter = 0.2, seed = 8 }");
    assert_eq!(regular.cells, moved.cells);
    assert_ne!(moved.vertices, other.vertices);
    let mut furthest: [f64; 2] = [0.0; 2];
    for (a, b) in regular.vertices.iter().zip(&moved.vertices) {
        let d = [(a[0] - b[0]).abs() / 0.1, (a[1] - b[1]).abs() / 0.2];
        let boundary = a[0] == 0.0 || a[0] == 4.0 || a[1] == 0.0 || a[1] == 6.0;
        if boundary {
            assert_eq!(a, b);
        }
        furthest = [furthest[0].max(d[0]), furthest[1].max(d[1])];
    }
    assert!(furthest.iter().all(|&d| d > 0.195 && d <= 0.2 + 1e-12), "{furthest:?}");
}

#[test]
fn largest_jitter_turns_no_cell_over() {
    for seed in 0..20 {
        for pattern in ["diagonal", "cross"] {
            let text = format!(
                "square = {{ cells = [30, 20], pattern = \"{pattern}\", jitter = 0.25, seed = {seed} }}"
            );
            assert_fills(&make(&text), 1.0);
        }
        let text = format!("cube = {{ cells = [9, 8, 7], jitter = 0.1666666, seed = {seed} }}");
        assert_fills(&make(&text), 1.0);
    }
}

#[test]
fn rows_have_the_angles_they_promise() {
    for n in [1, 2, 3, 16, 33] {
        let text = |pattern: &str| {
            format!(
                "square = {{ cells = [{n}, {n}], min = [-1, -1], max = [1, 1], pattern = \"{pattern}\" }}"
            )
        };
        let equilateral = make(&text("equilateral"));
        assert_fills(&equilateral, 4.0);
        assert_eq!(sound(&equilateral).euler, 1);
        if n >= 16 {
            let angle = largest_angle(&equilateral);
            assert!(angle < 90.0 + 1e-6, "right angles only at the ends, not {angle}");
            assert_eq!(inspect(&equilateral).obtuse_share, Some(0.0));
        }
        let obtuse = make(&text("obtuse"));
        assert_fills(&obtuse, 4.0);
        let s = sound(&obtuse);
        assert_eq!(s.euler, 1);
        assert_eq!(obtuse.n_cells(), 3 * n * (2 * n + 1));
        let expected = 2.0 * 1.5_f64.atan().to_degrees();
        assert!((largest_angle(&obtuse) - expected).abs() < 1e-6);
        if n >= 16 {
            assert!(s.obtuse_share > Some(0.9), "{:?}", s.obtuse_share);
        }
    }
}

/// Returns true if a point is inside the circumcircle of a counterclockwise triangle by more than
/// the rounding error.
fn in_circle([a, b, c]: [Vector3<f64>; 3], p: Vector3<f64>) -> bool {
    let row = |q: Vector3<f64>| {
        let d = q - p;
        [d.x, d.y, d.x * d.x + d.y * d.y]
    };
    let rows = [row(a), row(b), row(c)];
    Matrix3::from_fn(|i, j| rows[i][j]).determinant() > 1e-12
}

#[test]
fn delaunay_circles_are_empty() {
    for text in [
        "square = { cells = [9, 8], jitter = 0.35, delaunay = true }",
        "square = { cells = [6, 6], jitter = 0.5, delaunay = true, seed = 3 }",
        "square = { cells = [6, 9], pattern = \"irregular\", vertices = 100 }",
    ] {
        let mesh = make(text);
        assert_fills(&mesh, 1.0);
        for t in mesh.iter_cells() {
            let corners: [Vector3<f64>; 3] = corners(&mesh, t);
            assert!(!mesh.vertices.iter().any(|&p| in_circle(corners, p.into())), "{text}");
        }
    }
}

#[test]
fn irregular_squares_have_exactly_the_vertices_asked_for() {
    for (nx, ny, vertices) in
        [(2, 2, 9), (2, 2, 400), (40, 3, 87), (16, 16, 300), (300, 2, 605), (2, 300, 5000)]
    {
        for seed in [1, 2] {
            let mesh = make(&format!(
                "square = {{ cells = [{nx}, {ny}], max = [3, 0.5], pattern = \"irregular\", vertices = {vertices}, seed = {seed} }}"
            ));
            let boundary = 2 * (nx + ny);
            assert_eq!(mesh.n_vertices(), vertices);
            assert_eq!(mesh.n_cells(), 2 * vertices - 2 - boundary);
            assert_fills(&mesh, 1.5);
            let s = sound(&mesh);
            assert_eq!((s.euler, s.boundary), (1, boundary));
        }
    }
}

#[test]
fn cubes_are_cut_in_six() {
    for more in ["", "jitter = 0.15"] {
        let mesh = make(&format!(
            "cube = {{ cells = [3, 4, 5], min = [-1, 0, 2], max = [1, 1, 5], {more} }}"
        ));
        assert_eq!((mesh.kind, mesh.n_vertices(), mesh.n_cells()), (Kind::Volume, 120, 360));
        assert_fills(&mesh, 6.0);
        let s = sound(&mesh);
        assert_eq!((s.euler, s.boundary, s.max_valence), (1, 4 * (12 + 15 + 20), 24));
        assert_eq!(mesh.lattice, Some([4, 5, 6]));
        assert_eq!(mesh.vertices[4 * 5 * 2], [-1.0, 0.0, 2.0 + 2.0 * 3.0 / 5.0]);
    }
}

/// Checks that a surface has the given Euler number and `boundary` boundary edges (0 if it is
/// closed), and that its normals point away from the nearest point of `core`.
#[track_caller]
fn assert_surface(
    mesh: &Mesh,
    euler: i64,
    boundary: usize,
    core: impl Fn(Vector3<f64>) -> Vector3<f64>,
) {
    let s = sound(mesh);
    assert_eq!((mesh.kind, s.euler, s.boundary), (Kind::Surface, euler, boundary));
    for (normal, middle) in normals(mesh) {
        assert!(normal.dot(&(middle - core(middle))) > 0.0, "a triangle is oriented inwards");
    }
}

#[test]
fn icosahedral_spheres_are_round_and_closed() {
    for k in 0..5_usize {
        let mesh =
            make(&format!("sphere = {{ subdivisions = {k}, radius = 2.5, center = [1, -2, 3] }}"));
        let center = Vector3::new(1.0, -2.0, 3.0);
        assert_eq!(
            (mesh.n_vertices(), mesh.n_cells()),
            (10 * 4_usize.pow(k as u32) + 2, 20 << (2 * k))
        );
        assert_surface(&mesh, 2, 0, |_| center);
        let off = |v: &[f64; 3]| ((Vector3::from(*v) - center).norm() - 2.5).abs();
        assert!(mesh.vertices.iter().map(off).fold(0.0, f64::max) < 2e-15);
    }
    assert_eq!(make("sphere = {}").n_vertices(), 2562);
}

#[test]
fn irregular_spheres_are_round_and_closed() {
    for (n, seeds) in [(32, 40), (33, 10), (200, 20), (3000, 3)] {
        for seed in 0..seeds {
            let mesh =
                make(&format!("sphere = {{ irregular = true, vertices = {n}, seed = {seed} }}"));
            assert_eq!((mesh.n_vertices(), mesh.n_cells()), (n, 2 * n - 4));
            assert_surface(&mesh, 2, 0, |_| Vector3::zeros());
            let off = |v: &[f64; 3]| (Vector3::from(*v).norm() - 1.0).abs();
            assert!(mesh.vertices.iter().map(off).fold(0.0, f64::max) < 1e-15);
        }
    }
}

#[test]
fn irregular_spheres_are_delaunay() {
    let mesh = make("sphere = { irregular = true, vertices = 300, seed = 5 }");
    for t in mesh.iter_cells() {
        // The circumcircle of a spherical triangle is the intersection of the sphere with the plane
        // through the corners of the triangle.
        let [a, b, c]: [Vector3<f64>; 3] = corners(&mesh, t);
        let normal = (b - a).cross(&(c - a)).normalize();
        let above = |v: &&[f64; 3]| (Vector3::from(**v) - a).dot(&normal) > 1e-12;
        assert_eq!(mesh.vertices.iter().filter(above).count(), 0);
    }
}

#[test]
fn subdivided_irregular_spheres_stay_on_the_sphere() {
    let mesh =
        make("sphere = { irregular = true, vertices = 100, subdivisions = 2, radius = 256 }");
    assert_eq!(mesh.n_vertices(), 98 * 16 + 2);
    assert_surface(&mesh, 2, 0, |_| Vector3::zeros());
    assert!(mesh.vertices.iter().all(|&v| (Vector3::from(v).norm() - 256.0).abs() < 1e-12));
}

fn on_axis(p: Vector3<f64>) -> Vector3<f64> {
    Vector3::new(0.0, 0.0, p.z)
}

#[test]
fn cylinders_stand_around_the_z_axis() {
    for (n, m, jitter) in [(3, 1, 0.0), (24, 8, 0.25), (5, 7, 0.2)] {
        let mesh = make(&format!(
            "cylinder = {{ radius = 2, height = 3, cells = [{n}, {m}], jitter = {jitter} }}"
        ));
        assert_eq!((mesh.n_vertices(), mesh.n_cells()), (n * (m + 1), 2 * n * m));
        assert_surface(&mesh, 0, 2 * n, on_axis);
        let (low, high) = mesh.bounds();
        assert_eq!((low[2], high[2]), (-1.5, 1.5));
        assert!(mesh.vertices.iter().all(|v| (v[0].hypot(v[1]) - 2.0).abs() < 1e-14));
    }
}

#[test]
fn cones_have_their_apex_at_the_origin() {
    for (from, n, m, jitter) in [(0.5, 3, 1, 0.0), (0.0, 3, 1, 0.0), (0.0, 12, 6, 0.25)] {
        let mesh = make(&format!(
            "cone = {{ half_angle = 30, slant = [{from}, 2], cells = [{n}, {m}], jitter = {jitter} }}"
        ));
        if from == 0.0 {
            assert_eq!((mesh.n_vertices(), mesh.n_cells()), (n * m + 1, n * (2 * m - 1)));
            assert_eq!(mesh.vertices[0], [0.0; 3]);
            assert_surface(&mesh, 1, n, on_axis);
        } else {
            assert_eq!((mesh.n_vertices(), mesh.n_cells()), (n * (m + 1), 2 * n * m));
            assert_surface(&mesh, 0, 2 * n, on_axis);
        }
        for v in &mesh.vertices {
            let slant = Vector3::from(*v).norm();
            assert!((v[0].hypot(v[1]) - 0.5 * slant).abs() < 1e-14);
            assert!(slant >= from - 1e-14 && slant <= 2.0 + 1e-14);
        }
    }
}

#[test]
fn tori_have_one_hole() {
    for (n, m, jitter) in [(3, 3, 0.0), (30, 12, 0.25)] {
        let mesh = make(&format!(
            "torus = {{ radius = 3, tube = 1, cells = [{n}, {m}], jitter = {jitter} }}"
        ));
        assert_eq!((mesh.n_vertices(), mesh.n_cells()), (n * m, 2 * n * m));
        assert_surface(&mesh, 0, 0, |p| {
            let flat = Vector3::new(p.x, p.y, 0.0);
            // The chords of a coarse torus cut its corners.
            flat.normalize() * if n == 3 { 1.5 } else { 3.0 }
        });
        let off = |v: &[f64; 3]| ((v[0].hypot(v[1]) - 3.0).hypot(v[2]) - 1.0).abs();
        assert!(mesh.vertices.iter().map(off).fold(0.0, f64::max) < 1e-14);
    }
}

#[test]
fn nonsense_is_refused_before_anything_is_made() {
    for (text, expected) in [
        ("square = { cells = [0, 4] }", "cells = 0 is too small"),
        ("square = { min = [1, 0] }", "the box is empty"),
        ("square = { max = [nan, 1] }", "max = NaN is out of range"),
        ("square = { max = [1e40, 1] }", "out of range"),
        (
            "square = { min = [1e15, 0], max = [1000000000000001.0, 1] }",
            "too small for coordinates",
        ),
        ("square = { jitter = 0.3 }", "jitter = 0.3 is out of range"),
        ("square = { jitter = -0.1 }", "jitter = -0.1 is out of range"),
        ("square = { jitter = nan }", "jitter = NaN is out of range"),
        ("square = { delaunay = true }", "not unique"),
        ("square = { cells = [1, 9], jitter = 0.1, delaunay = true }", "cells = 1 is too small"),
        ("square = { pattern = \"obtuse\", jitter = 0.1 }", "require the pattern"),
        ("square = { pattern = \"irregular\" }", "must be set together"),
        ("square = { vertices = 100 }", "must be set together"),
        (
            "square = { pattern = \"irregular\", vertices = 256 }",
            "leaves no vertices for the interior",
        ),
        ("square = { cells = [100000, 100000] }", "32-bit"),
        ("square = { cells = [4294967295, 4294967295], pattern = \"obtuse\" }", "32-bit"),
        ("square = { pattern = \"irregular\", vertices = 4294967295 }", "32-bit"),
        ("cube = { cells = [1000, 1000, 1000] }", "32-bit"),
        ("cube = { cells = [4294967295, 4294967295, 4294967295] }", "32-bit"),
        ("cube = { cells = [1, 0, 1] }", "cells = 0 is too small"),
        ("cube = { jitter = 0.2 }", "jitter = 0.2 is out of range"),
        ("sphere = { radius = 0 }", "radius = 0 is out of range"),
        ("sphere = { radius = -1 }", "radius = -1 is out of range"),
        ("sphere = { center = [0, inf, 0] }", "center = inf is out of range"),
        ("sphere = { subdivisions = 14 }", "32-bit"),
        ("sphere = { subdivisions = 4294967295 }", "32-bit"),
        ("sphere = { vertices = 100 }", "must be set together"),
        ("sphere = { irregular = true }", "must be set together"),
        ("sphere = { irregular = true, vertices = 10 }", "vertices = 10 is too small"),
        ("cylinder = { cells = [2, 5] }", "cells around = 2 is too small"),
        ("cylinder = { height = 0 }", "height = 0 is out of range"),
        ("cone = { half_angle = 90 }", "half_angle = 90 is out of range"),
        ("cone = { slant = [1, 1] }", "not a valid range"),
        ("cone = { slant = [-1, 1] }", "not a valid range"),
        ("torus = { cells = [9, 2] }", "cells along = 2 is too small"),
        ("torus = { tube = 1.5 }", "not less than radius"),
    ] {
        let spec: Generate = toml::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let error = spec.check().expect_err(text);
        assert_eq!(error.exit_code(), 2, "{text}");
        assert!(error.to_string().contains(expected), "{text}: {error}");
        assert_eq!(generate(&spec).expect_err(text).to_string(), error.to_string());
    }
    for text in ["square = { cell = [4, 4] }", "cube = { cells = [4, 4] }", "disk = {}"] {
        assert!(toml::from_str::<Generate>(text).is_err(), "{text}");
    }
}

#[test]
fn the_same_bits_for_ever() {
    for (text, expected) in [
        ("square = { cells = [5, 4], min = [-1, -1] }", "6c81b120578187fd"),
        ("square = { cells = [5, 4], pattern = \"cross\", jitter = 0.2 }", "1161c53efdd86395"),
        (
            "square = { cells = [9, 8], jitter = 0.35, delaunay = true, seed = 2 }",
            "b848456c0323820e",
        ),
        ("square = { cells = [5, 4], pattern = \"equilateral\" }", "5937ea50c5abbc47"),
        ("square = { cells = [5, 4], pattern = \"obtuse\" }", "078efc12d8df4d93"),
        ("square = { cells = [5, 4], pattern = \"irregular\", vertices = 99 }", "48e003457b84fe8b"),
        ("cube = { cells = [3, 4, 5] }", "3f5e43eca22781e9"),
        ("cube = { cells = [3, 4, 5], jitter = 0.15, seed = 4 }", "806abe228d1c4427"),
        ("sphere = { subdivisions = 2, radius = 3 }", "99c985623075e1c0"),
        (
            "sphere = { irregular = true, vertices = 99, subdivisions = 1, seed = 6 }",
            "6b71980f0409d3b8",
        ),
        ("cylinder = { cells = [12, 5], jitter = 0.25 }", "a1aba54534749809"),
        ("cone = { cells = [12, 5], jitter = 0.25 }", "d95a65315463856c"),
        ("cone = { cells = [12, 5], slant = [0, 1] }", "8fa5fac9b14cc85f"),
        ("torus = { cells = [12, 5], jitter = 0.25 }", "c19821ac17ef3a50"),
    ] {
        assert_eq!(hash(&make(text)), expected, "{text}");
    }
}

#[test]
fn regular_meshes_of_the_paper() {
    let square = make("square = { cells = [512, 512], max = [512, 512] }");
    assert_eq!(summary(&square), "263169 / 524288 / 6 / 0.2929 0.2929");
    let cube = make("cube = { cells = [63, 63, 63], max = [63, 63, 63] }");
    assert_eq!(summary(&cube), "262144 / 1500282 / 24 / 0.2071 0.2071");
}

#[test]
#[ignore = "slow"]
fn irregular_meshes_of_the_paper() {
    let base = make(
        "square = { cells = [512, 512], max = [512, 512], pattern = \"irregular\", vertices = 295937 }",
    );
    assert_eq!((base.n_vertices(), base.n_cells()), (295_937, 589_824));
    let square = refine(&base).unwrap();
    println!("IrregSquare {}", summary(&square));
    assert_eq!((square.n_vertices(), square.n_cells()), (1_181_697, 2_359_296));
    assert_fills(&square, 512.0 * 512.0);
    let s = sound(&square);
    assert_eq!((s.euler, s.boundary, s.max_valence), (1, 4096, 14));
    let [low, high] = inradii(&square);
    assert!(low > 0.015 && high < 0.45, "{low} {high}");

    let base = make("sphere = { radius = 256, irregular = true, vertices = 255817 }");
    assert_eq!((base.n_vertices(), base.n_cells()), (255_817, 511_630));
    let sphere = refine(&base).unwrap();
    println!("Sphere {}", summary(&sphere));
    assert_eq!((sphere.n_vertices(), sphere.n_cells()), (1_023_262, 2_046_520));
    assert_surface(&sphere, 2, 0, |_| Vector3::zeros());
    let [low, high] = inradii(&sphere);
    assert!(low > 0.025 && high < 0.85, "{low} {high}");
    let area: f64 = measures(&sphere).iter().sum();
    let exact = 4.0 * std::f64::consts::PI * 256.0 * 256.0;
    assert!((area / exact - 1.0).abs() < 2e-5, "{area} {exact}");
}
