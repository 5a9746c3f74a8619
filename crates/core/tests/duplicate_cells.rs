//! Tests the removal of cells that are stored twice with separate vertices.

use zeroset_core::mesh::generate::{Cube, Generate, generate};
use zeroset_core::mesh::repair::{Repair, Repairs, Weld, repair};
use zeroset_core::mesh::statistics::inspect;
use zeroset_core::mesh::{DataArray, Group, Kind, Members, Mesh, Values, clean_repaired};
use zeroset_testing::cell_geometry::measures;

/// Adds a grid of squares, each cut into two triangles, with vertices of its own.
fn add_grid(mesh: &mut Mesh, corner: [f64; 2], size: [f64; 2], n: [u32; 2]) {
    let first = mesh.n_vertices() as u32;
    for j in 0..=n[1] {
        for i in 0..=n[0] {
            let at = |k: usize, i: u32| corner[k] + size[k] * f64::from(i) / f64::from(n[k]);
            mesh.vertices.push([at(0, i), at(1, j), 0.0]);
        }
    }
    for j in 0..n[1] {
        for i in 0..n[0] {
            let a = first + j * (n[0] + 1) + i;
            let (b, c, d) = (a + 1, a + n[0] + 2, a + n[0] + 1);
            mesh.cells.extend([a, b, c, a, c, d]);
        }
    }
}

fn grids(kind: Kind, grids: &[([f64; 2], [f64; 2], [u32; 2])]) -> Mesh {
    let mut mesh = Mesh::new(kind, Vec::new(), Vec::new());
    grids.iter().for_each(|&(corner, size, n)| add_grid(&mut mesh, corner, size, n));
    mesh
}

fn repaired(mesh: &Mesh) -> (Mesh, Repair) {
    let (mesh, done) = repair(mesh.clone(), Repairs::default()).unwrap();
    (clean_repaired(mesh, &done).unwrap().0, done)
}

fn area(mesh: &Mesh) -> f64 {
    measures(mesh).iter().sum()
}

const SQUARE: ([f64; 2], [f64; 2], [u32; 2]) = ([0.0; 2], [1.0; 2], [4, 4]);

#[test]
fn a_piece_that_is_stored_twice_counts_once() {
    // A third piece is finer, so the first ones have to be split at hanging nodes.
    let fine = ([1.0, 0.0], [1.0, 1.0], [8, 8]);
    let (mesh, done) = repaired(&grids(Kind::Planar, &[SQUARE, SQUARE, fine]));
    assert_eq!((done.duplicates.cells, done.duplicates.vertices), (32, 25));
    assert_eq!((done.hanging.nodes, done.hanging.cells), (4, 4));
    let found = inspect(&mesh);
    assert_eq!((found.components, found.euler, found.boundary), (1, 1, 12 + 24));
    assert!((area(&mesh) - 2.0).abs() < 1e-12);
    // Every copy of a vertex gets the value of the vertex that replaces it.
    assert_eq!(done.representative(25 + 12), 12);
    let summary = done.summary().unwrap();
    let text = "32 duplicate cells with separate vertices removed, their 25 vertices joined";
    assert!(summary.contains(text), "{summary}");
}

#[test]
fn pieces_that_overlap_by_a_layer_are_connected() {
    let left = ([0.0, 0.0], [1.25, 1.0], [5, 4]);
    let right = ([1.0, 0.0], [1.0, 1.0], [4, 4]);
    let (mesh, done) = repaired(&grids(Kind::Planar, &[left, right]));
    assert_eq!((done.duplicates.cells, done.duplicates.kept), (8, 0));
    let found = inspect(&mesh);
    assert_eq!((found.components, found.euler, mesh.n_cells()), (1, 1, 64));
    assert!((area(&mesh) - 2.0).abs() < 1e-12);
    let never = Repairs { weld: Weld::Never, ..Repairs::default() };
    let (mesh, done) = repair(grids(Kind::Planar, &[left, right]), never).unwrap();
    assert_eq!((mesh.n_cells(), done.duplicates.cells), (72, 0));
}

#[test]
fn copies_may_differ_by_rounding() {
    let mut mesh = grids(Kind::Planar, &[SQUARE, SQUARE]);
    mesh.vertices[25..].iter_mut().for_each(|x| x[0] += 1e-13);
    assert_eq!(repaired(&mesh).1.duplicates.cells, 32);
}

#[test]
fn parts_that_overlap_otherwise_are_doubtful() {
    let [left, right] = [([0.0, 0.0], [1.1, 1.0], [7, 6]), ([1.0, 0.0], [1.0, 1.0], [6, 6])];
    let (_, done) = repaired(&grids(Kind::Planar, &[left, right]));
    // Both parts have twelve triangles at the common strip. The boundary of one part passes through
    // all twelve triangles of the other part.
    assert!((12..=24).contains(&done.overlap.cells), "{:?}", done.overlap);
    let message = done.refuse(Weld::Auto, 156).unwrap_err().to_string();
    assert!(message.contains("(--weld never) uses the parts as they are"), "{message}");
    assert!(done.refuse(Weld::Never, 156).is_ok());
    let text = done.doubts().concat();
    assert!(text.contains("triangles overlap with other parts of the mesh"), "{text}");
    // Parts that only touch do not overlap, even if one is finer. Triangles of a surface may
    // overlap.
    let touching = ([1.0, 0.0], [1.0, 1.0], [7, 9]);
    assert_eq!(repaired(&grids(Kind::Planar, &[SQUARE, touching])).1.overlap.cells, 0);
    assert_eq!(repaired(&grids(Kind::Surface, &[left, right])).1.overlap.cells, 0);
    // Two cubes that overlap by half of a layer.
    let cube = generate(&Generate::Cube(Cube::default())).unwrap();
    let (n, shift) = (cube.n_vertices() as u32, 0.95);
    let mut both = cube.clone();
    both.vertices.extend(cube.vertices.iter().map(|x| [x[0] + shift, x[1], x[2]]));
    both.cells.extend(cube.cells.iter().map(|v| v + n));
    both.lattice = None;
    let (_, done) = repaired(&both);
    assert!(done.overlap.cells > 0, "{:?}", done.overlap);
    assert!(done.doubts().concat().contains("tetrahedra overlap"));
}

#[test]
fn tetrahedra_are_compared_without_their_orientation() {
    let cube = generate(&Generate::Cube(Cube::default())).unwrap();
    let mut twice = cube.clone();
    let n = cube.n_vertices() as u32;
    twice.vertices.extend(&cube.vertices);
    let turned = |t: &[u32]| [t[1] + n, t[0] + n, t[2] + n, t[3] + n];
    twice.cells.extend(cube.iter_cells().flat_map(turned));
    twice.lattice = None;
    let (mesh, done) = repaired(&twice);
    assert_eq!((mesh.n_cells(), done.duplicates.cells), (cube.n_cells(), cube.n_cells()));
    assert!((area(&mesh) - area(&cube)).abs() < 1e-12);
}

#[test]
fn sides_are_refused_and_materials_are_kept_with_a_doubt() {
    let mut pillow = grids(Kind::Surface, &[SQUARE, SQUARE]);
    pillow.cells[96..].chunks_exact_mut(3).for_each(|t| t.swap(0, 1));
    let mut materials = grids(Kind::Planar, &[SQUARE, SQUARE]);
    let tags = Values::Int((0..64).map(|cell| i64::from(cell < 32)).collect());
    materials.cell_data.push(DataArray { name: "MaterialIds".into(), components: 1, values: tags });
    let mut grouped = grids(Kind::Planar, &[SQUARE, SQUARE]);
    let members = Members::Cells((0..32).collect());
    grouped.groups.push(Group { name: "left".into(), members });
    for mesh in [&pillow, &materials, &grouped] {
        let (_, done) = repaired(mesh);
        let is_pillow = mesh.kind == Kind::Surface;
        let (turned, kept) = if is_pillow { (32, 0) } else { (0, 32) };
        let found = &done.duplicates;
        assert_eq!((found.cells, found.turned, found.kept), (0, turned, kept));
        let refused = done.refuse(Weld::Auto, mesh.n_cells());
        assert_eq!(refused.is_err(), is_pillow);
        let doubts = done.doubts().concat();
        assert!(doubts.contains("32 cells coincide with others"), "{doubts}");
        assert!(doubts.contains("(the first are 0 and 32)"), "{doubts}");
    }
    // In the plane, a triangle that is turned over is the same.
    pillow.kind = Kind::Planar;
    assert_eq!(repaired(&pillow).1.duplicates.cells, 32);
}

#[test]
fn groups_and_arrays_follow_the_cells_that_stay() {
    let mut mesh = grids(Kind::Planar, &[SQUARE, SQUARE]);
    let speeds = Values::Float((0..64).map(|cell| f64::from(cell % 32)).collect());
    mesh.cell_data.push(DataArray { name: "speed".into(), components: 1, values: speeds });
    let members = Members::Simplices { dimension: 1, vertices: vec![25, 26] };
    mesh.groups.push(Group { name: "edge".into(), members });
    let (once, done) = repaired(&mesh);
    assert_eq!(once.cell_data[0].values, Values::Float((0..32).map(f64::from).collect()));
    let edge = Members::Simplices { dimension: 1, vertices: vec![0, 1] };
    assert_eq!(once.groups[0].members, edge);
    assert!(done.doubts().is_empty(), "{:?}", done.doubts());
    // The values of a removed cell should be those of the cell that stays.
    let Values::Float(speeds) = &mut mesh.cell_data[0].values else { panic!() };
    speeds[40] = -1.0;
    let doubts = repaired(&mesh).1.doubts().concat();
    assert!(doubts.contains("\"speed\" differs between the cells 8 and 40"), "{doubts}");
}
