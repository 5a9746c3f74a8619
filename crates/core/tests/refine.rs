//! Tests of refinement: numbering, shapes, and the inheritance of arrays and groups.

use zeroset_core::mesh::generate::{Generate, generate};
use zeroset_core::mesh::refine::{refine, refine_times};
use zeroset_core::mesh::statistics::inspect;
use zeroset_core::mesh::{DataArray, Group, Kind, Members, Mesh, Values};
use zeroset_testing::cell_geometry::{assert_fills, hash, inradii, measures};

fn make(text: &str) -> Mesh {
    let spec: Generate = toml::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    generate(&spec).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn floats(name: &str, components: usize, values: &[f64]) -> DataArray {
    DataArray { name: name.into(), components, values: Values::Float(values.to_vec()) }
}

fn labels(name: &str, values: &[i64]) -> DataArray {
    DataArray { name: name.into(), components: 1, values: Values::Int(values.to_vec()) }
}

/// Returns two triangles with the vertices 0 (0,0), 1 (2,0), 2 (2,2), 3 (0,2), and a vertex 4 that
/// no cell uses.
fn two_triangles() -> Mesh {
    let vertices = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [9.0, 9.0]];
    let vertices = vertices.map(|[x, y]| [x, y, 0.5]).to_vec();
    let mut mesh = Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 2, 3, 0]);
    mesh.vertex_data.push(floats("flow", 2, &[0.0, 0.0, 1.0, 2.0, 4.0, 8.0, 6.0, 4.0, 5.0, 5.0]));
    mesh.vertex_data.push(labels("label", &[50, 10, 20, 30, 40]));
    mesh.cell_data.push(floats("speed", 2, &[1.0, 2.0, 3.0, 4.0]));
    mesh.cell_data.push(labels("material", &[7, 8]));
    let group = |name: &str, members| Group { name: name.into(), members };
    mesh.groups = vec![
        group("upper", Members::Cells(vec![1])),
        group("side", Members::Simplices { dimension: 1, vertices: vec![2, 1, 0, 4] }),
        group("tip", Members::Simplices { dimension: 0, vertices: vec![3, 4] }),
    ];
    mesh
}

#[test]
fn triangles_are_cut_in_four_in_a_fixed_order() {
    let mut mesh = two_triangles();
    mesh.lattice = Some([2, 2, 1]);
    let fine = refine(&mesh).unwrap();
    assert_eq!((fine.kind, fine.lattice), (Kind::Planar, None));
    assert_eq!(fine.vertices[..5], mesh.vertices[..]);
    // The edges in order: 0-1, 0-2, 0-3, 0-4 (of the group "side"), 1-2, 2-3.
    let middles = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [4.5, 4.5], [2.0, 1.0], [1.0, 2.0]];
    assert_eq!(fine.vertices[5..], middles.map(|[x, y]| [x, y, 0.5]));
    #[rustfmt::skip]
    assert_eq!(fine.cells, [
        0, 5, 6,  5, 1, 9,  6, 9, 2,  5, 9, 6,
        2, 10, 6,  10, 3, 7,  6, 7, 0,  10, 7, 6,
    ]);
    assert_fills(&fine, 4.0);
}

#[test]
fn arrays_are_interpolated_or_inherited() {
    let fine = refine(&two_triangles()).unwrap();
    let Values::Float(flow) = &fine.vertex_array("flow").unwrap().values else { panic!() };
    assert_eq!(flow[..10], [0.0, 0.0, 1.0, 2.0, 4.0, 8.0, 6.0, 4.0, 5.0, 5.0]);
    assert_eq!(flow[10..], [0.5, 1.0, 2.0, 4.0, 3.0, 2.0, 2.5, 2.5, 2.5, 5.0, 5.0, 6.0]);
    let label = &fine.vertex_array("label").unwrap().values;
    assert_eq!(*label, Values::Int(vec![50, 10, 20, 30, 40, 50, 50, 50, 50, 10, 20]));
    let speed = &fine.cell_array("speed").unwrap().values;
    assert_eq!(*speed, Values::Float([[1.0, 2.0].repeat(4), [3.0, 4.0].repeat(4)].concat()));
    let material = &fine.cell_array("material").unwrap().values;
    assert_eq!(*material, Values::Int(vec![7, 7, 7, 7, 8, 8, 8, 8]));
}

#[test]
fn groups_are_inherited() {
    let fine = refine(&two_triangles()).unwrap();
    assert_eq!(fine.group("upper").unwrap().members, Members::Cells(vec![4, 5, 6, 7]));
    let side = Members::Simplices { dimension: 1, vertices: vec![2, 9, 9, 1, 0, 8, 8, 4] };
    assert_eq!(fine.group("side").unwrap().members, side);
    let tip = Members::Simplices { dimension: 0, vertices: vec![3, 4] };
    assert_eq!(fine.group("tip").unwrap().members, tip);
}

/// Returns a tetrahedron with the given corners. One of its faces is a group.
fn tet(corners: [[f64; 3]; 4]) -> Mesh {
    let mut mesh = Mesh::new(Kind::Volume, corners.to_vec(), vec![0, 1, 2, 3]);
    let members = Members::Simplices { dimension: 2, vertices: vec![1, 2, 3] };
    mesh.groups = vec![Group { name: "wall".into(), members }];
    mesh
}

/// Returns the inner edge of a refined tetrahedron: the only one whose ends are the midpoints of
/// opposite edges.
fn diagonal(fine: &Mesh) -> [u32; 2] {
    let shared: Vec<u32> =
        (4..10).filter(|v| fine.cells[16..].chunks_exact(4).all(|t| t.contains(v))).collect();
    shared.try_into().unwrap()
}

#[test]
fn octahedra_are_cut_along_their_shortest_diagonal() {
    // The opposite edges p-q and r-s pass each other at a short distance. The diagonal between
    // their midpoints is therefore the shortest one.
    let [p, q] = [[-3.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    let [r, s] = [[0.0, -1.0, 0.5], [0.0, 1.0, 0.5]];
    // Midpoints: 01 is 4, 02 is 5, 03 is 6, 12 is 7, 13 is 8, 23 is 9.
    for (corners, expected) in [
        ([p, q, r, s], [4, 9]),
        ([r, s, q, p], [4, 9]),
        ([p, r, q, s], [5, 8]),
        ([s, p, r, q], [5, 8]),
        ([p, r, s, q], [6, 7]),
        ([r, q, p, s], [6, 7]),
    ] {
        let mesh = tet(corners);
        let fine = refine(&mesh).unwrap();
        assert_eq!(diagonal(&fine), expected);
        // Every child has an eighth of the volume, with the sign of its parent.
        let whole = measures(&mesh)[0];
        assert!(measures(&fine).iter().all(|m| (8.0 * m - whole).abs() < 1e-14 * whole.abs()));
    }
}

#[test]
fn equal_diagonals_are_chosen_by_vertex_number() {
    let regular = tet([[1., 1., 1.], [1., -1., -1.], [-1., 1., -1.], [-1., -1., 1.]]);
    assert_eq!(diagonal(&refine(&regular).unwrap()), [4, 9]);
}

#[test]
fn sides_of_tetrahedra_are_cut_in_four() {
    let fine = refine(&tet([[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]])).unwrap();
    let wall = &fine.group("wall").unwrap().members;
    let expected = vec![1, 7, 8, 7, 2, 9, 8, 9, 3, 7, 9, 8];
    assert_eq!(*wall, Members::Simplices { dimension: 2, vertices: expected });
}

#[test]
fn refined_meshes_conform_and_keep_their_size() {
    for (text, size) in [
        ("square = { cells = [6, 5], jitter = 0.25 }", 1.0),
        ("square = { cells = [6, 6], pattern = \"obtuse\" }", 1.0),
        ("cube = { cells = [4, 3, 2], jitter = 0.16 }", 1.0),
        ("cube = { cells = [2, 2, 2] }", 1.0),
    ] {
        let mut mesh = make(text);
        let before = inspect(&mesh);
        let d = mesh.kind.dimension();
        for level in 1..=2 {
            let coarse = mesh.n_cells();
            mesh = refine(&mesh).unwrap();
            assert_eq!(mesh.n_cells(), coarse << d);
            assert_fills(&mesh, size);
            let s = inspect(&mesh);
            assert_eq!((s.euler, s.components), (before.euler, 1), "{text}");
            assert_eq!(s.boundary, before.boundary << ((d - 1) * level), "{text}");
            assert_eq!([s.nonmanifold, s.inconsistent, s.duplicate, s.unreferenced], [0; 4]);
            assert_eq!(s.duplicate_points, 0);
        }
    }
}

#[test]
fn closed_surfaces_stay_closed() {
    let torus = make("torus = { cells = [12, 5], jitter = 0.25 }");
    let fine = refine(&torus).unwrap();
    let s = inspect(&fine);
    assert_eq!((s.euler, s.boundary, s.inconsistent, s.nonmanifold), (0, 0, 0, 0));
    let [old, new]: [f64; 2] = [&torus, &fine].map(|m| measures(m).iter().sum());
    assert!((old - new).abs() < 1e-12 * old);
}

#[test]
fn tetrahedra_do_not_get_flatter_and_flatter() {
    let mut mesh = make("cube = { cells = [2, 2, 2], jitter = 0.16, seed = 3 }");
    mesh = refine(&mesh).unwrap();
    let [first, _] = inradii(&mesh);
    for level in 1..=3 {
        mesh = refine(&mesh).unwrap();
        let [smallest, _] = inradii(&mesh);
        let scaled = smallest * f64::from(1 << level);
        assert!(scaled > 0.8 * first, "level {level}: {scaled} after {first}");
    }
}

#[test]
fn same_bits_for_any_number_of_threads() {
    let mesh = make("cube = { cells = [9, 9, 9], jitter = 0.1 }");
    let hashes = [1, 2, 5].map(|n| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        hash(&pool.install(|| refine(&mesh)).unwrap())
    });
    assert_eq!(hashes, ["48109697a057a858"; 3]);
}

#[test]
fn meshes_that_do_not_fit_together_are_refused() {
    let change = |f: fn(&mut Mesh)| {
        let mut mesh = two_triangles();
        f(&mut mesh);
        let error = refine(&mesh).expect_err("refused");
        assert_eq!(error.exit_code(), 3);
        error.to_string()
    };
    let message = change(|m| m.cells[4] = 5);
    assert_eq!(message, "mesh: cell 1: refers to vertex 5, but there are 5");
    let message = change(|m| m.groups[0].members = Members::Cells(vec![2]));
    assert_eq!(message, "mesh: group upper: refers to index 2, but there are 2");
    let message = change(|m| {
        m.groups[0].members = Members::Simplices { dimension: 1, vertices: vec![1, 2, 3] }
    });
    assert_eq!(message, "mesh: group upper: has 3 indices for simplices of dimension 1");
    let message = change(|m| m.vertex_data[1].values = Values::Int(vec![1, 2]));
    assert_eq!(message, "mesh: array label: has 2 numbers, expected 5 rows of 1");
}

#[test]
fn several_refinements_are_counted_before_the_first() {
    let mesh = make("square = { cells = [3, 2] }");
    let twice = refine_times(mesh.clone(), 2).unwrap();
    assert_eq!(hash(&twice), hash(&refine(&refine(&mesh).unwrap()).unwrap()));
    assert_eq!(refine_times(mesh.clone(), 0).unwrap().n_cells(), 12);
    for times in [14, 40, u32::MAX] {
        let error = refine_times(mesh.clone(), times).unwrap_err();
        assert!(error.to_string().contains(&format!("after {times} refinements")), "{error}");
    }
}
