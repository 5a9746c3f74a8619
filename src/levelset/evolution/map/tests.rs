use super::foot::back;
use super::hermite::Sample;
use super::outside::continued;
use super::triangulation::Triangulation;
use super::{Traced, from_identity};
use crate::mesh::generate::{Generate, Square, generate};
use crate::mesh::{Kind, Mesh};

/// Returns a square whose vertices are moved so far that it is no Delaunay triangulation.
fn square(n: u32) -> (Mesh, Triangulation) {
    let mut square = Square::default();
    (square.cells, square.min, square.max) = ([n; 2], [-1.0; 2], [1.0; 2]);
    (square.jitter, square.seed) = (0.25, 3);
    let mesh = generate(&Generate::Square(square)).unwrap();
    let order: Vec<u32> = (0..mesh.n_vertices() as u32).collect();
    let triangles = Triangulation::new(&mesh, &order);
    (mesh, triangles)
}

/// Returns the triangles of the unit square whose centers are in the domain. `n` is the number of
/// cells per side.
fn unit_square(n: u32, is_in: impl Fn([f64; 2]) -> bool) -> Triangulation {
    let square = Square { cells: [n; 2], ..Square::default() };
    let mesh = generate(&Generate::Square(square)).unwrap();
    let center = |cell: &[u32]| {
        [0, 1].map(|k| cell.iter().map(|&v| mesh.vertices[v as usize][k]).sum::<f64>() / 3.0)
    };
    let cells = mesh.iter_cells().filter(|cell| is_in(center(cell))).flatten().copied().collect();
    let order: Vec<u32> = (0..mesh.n_vertices() as u32).collect();
    Triangulation::new(&Mesh::new(Kind::Planar, mesh.vertices, cells), &order)
}

#[test]
fn walks_find_the_triangle_of_a_point() {
    let (_, mesh) = square(17);
    let n = mesh.cells.len() as u32;
    for cell in 0..n {
        let center = mesh.corners(cell).point([0.2, 0.5, 0.3]);
        for start in [0, n / 2, n - 1] {
            let place = mesh.locate(start, center);
            assert!(place.cell == cell && place.outside.is_none());
        }
    }
}

#[test]
fn the_nearest_point_of_the_boundary_is_found_from_any_triangle() {
    let (_, mesh) = square(9);
    let cases = [
        ([1.3, 0.2], [1.0, 0.2], false),
        ([-0.4, -5.0], [-0.4, -1.0], false),
        ([1.4, 1.3], [1.0, 1.0], true),
        ([-1.2, 3.0], [-1.0, 1.0], true),
    ];
    for (x, nearest, at_vertex) in cases {
        for start in 0..mesh.cells.len() as u32 {
            let place = mesh.locate(start, x);
            let found = mesh.corners(place.cell).point(place.l);
            let outside = place.outside.expect("a point outside");
            assert!((found[0] - nearest[0]).hypot(found[1] - nearest[1]) < 1e-12, "{found:?}");
            assert_eq!(outside.at_vertex, at_vertex);
            let distance = (x[0] - nearest[0]).hypot(x[1] - nearest[1]);
            assert!((outside.distance - distance).abs() < 1e-12);
        }
    }
}

#[test]
fn a_point_on_the_wall_beyond_a_corner_is_found() {
    let mesh = unit_square(10, |x| x[0].min(x[1]) < 0.5);
    // The straight way to the point leaves the mesh before the corner (0.5, 0.5).
    let (start, x) = ([0.92, 0.43], [0.5, 0.75]);
    let place = mesh.locate(mesh.locate(0, start).cell, x);
    let found = mesh.corners(place.cell).point(place.l);
    assert!((found[0] - x[0]).hypot(found[1] - x[1]) < 1e-12, "{place:?}");
    assert!(place.outside.is_none());
}

#[test]
fn places_beyond_walls_do_not_depend_on_the_start() {
    // A slit, a hole and a notch.
    let slit = |x: [f64; 2]| x[0] < 0.6 && (x[1] - 0.55).abs() < 0.05;
    let hole = |x: [f64; 2]| (x[0] - 0.75).hypot(x[1] - 0.25) < 0.15;
    let notch = |x: [f64; 2]| x[0].min(x[1]) > 0.8;
    let mesh = unit_square(10, |x| !slit(x) && !hole(x) && !notch(x));
    let n = mesh.cells.len() as u32;
    for cell in 0..n {
        let center = mesh.corners(cell).point([0.2, 0.5, 0.3]);
        for start in (0..n).step_by(7) {
            let place = mesh.locate(start, center);
            assert!(place.cell == cell && place.outside.is_none());
        }
    }
    for (x, nearest) in [([0.4, 0.58], [0.4, 0.6]), ([0.83, 0.9], [0.8, 0.9])] {
        for start in 0..n {
            let place = mesh.locate(start, x);
            let found = mesh.corners(place.cell).point(place.l);
            assert!((found[0] - nearest[0]).hypot(found[1] - nearest[1]) < 1e-12, "{found:?}");
        }
    }
}

#[test]
fn the_derivative_is_that_of_the_discrete_foot() {
    let (_, mesh) = square(12);
    let level: Vec<[f64; 2]> =
        mesh.points.iter().map(|x| [(2.0 * x[1]).sin(), x[0] * x[1] - 0.3]).collect();
    let identity = from_identity([[0.0; 2]; 2], 0.0);
    let foot = |x: [f64; 2]| {
        let point = Traced { sample: Sample { value: x, gradient: identity }, cell: 0 };
        back(&mesh, [&level; 3], 0.3, point).sample
    };
    let (x, eps) = ([0.213, -0.117], 1e-7);
    let found = foot(x);
    for j in 0..2 {
        let mut moved = x;
        moved[j] += eps;
        let other = foot(moved);
        for i in 0..2 {
            let slope = (other.value[i] - found.value[i]) / eps;
            assert!((slope - found.gradient[i][j]).abs() < 1e-5, "{slope} {found:?}");
        }
    }
}

#[test]
fn a_field_is_continued_with_its_derivative() {
    let (_, mesh) = square(8);
    let at = Sample { value: [1.0, -2.0], gradient: [[0.5, 2.0], [-1.0, 0.25]] };
    let outside = |x: [f64; 2]| {
        let place = mesh.locate(0, x);
        let way = place.outside.expect("a point outside");
        let nearest = mesh.corners(place.cell).point(place.l);
        // The field is linear on the boundary.
        let linear = |k: usize| {
            at.value[k] + at.gradient[k][0] * nearest[0] + at.gradient[k][1] * nearest[1]
        };
        continued(&Sample { value: [linear(0), linear(1)], ..at }, &way)
    };
    for x in [[1.001, 0.1], [1.2, 0.1], [-0.3, -3.0], [1.5, 1.25]] {
        let (found, eps) = (outside(x), 1e-7);
        for j in 0..2 {
            let mut moved = x;
            moved[j] += eps;
            let other = outside(moved);
            for i in 0..2 {
                let slope = (other.value[i] - found.value[i]) / eps;
                assert!((slope - found.gradient[i][j]).abs() < 1e-5, "{x:?} {slope} {found:?}");
            }
        }
    }
    // Close to the boundary, the continuation is the linear extension.
    let near = outside([1.0001, 0.1]);
    assert!((near.value[0] - (1.0 + 0.5 * 1.0001 + 0.2)).abs() < 1e-6);
}
