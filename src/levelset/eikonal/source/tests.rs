//! Tests of the initial values around sources of every kind.

use super::*;
use crate::mesh::Kind;
use crate::mesh::generate::{Cube, Generate, Sphere, generate};

/// Returns the unit square, divided into two triangles along the diagonal 0-2.
fn square() -> Mesh {
    let vertices = vec![[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
    Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 0, 2, 3])
}

const PLAIN: Slowness<f64> = Slowness::Uniform(1.0);

#[test]
fn around_a_vertex_and_an_edge() {
    let one = around_simplices(&square(), &[1], 1, 0.5, &PLAIN);
    assert_eq!(one, [(0, 1.5), (1, 0.5), (2, 1.5)]);
    let edge = around_simplices(&square(), &[0, 1], 2, 0.0, &Slowness::PerCell(vec![2.0, 3.0]));
    // Vertex 2 gets its value from the edge, through the first cell, whose slowness is 2. Vertex 3
    // gets its value only from vertex 0, through the second cell.
    assert_eq!(edge, [(0, 0.0), (1, 0.0), (2, 2.0), (3, 3.0)]);
}

#[test]
fn around_points_inside_on_and_off_the_mesh() {
    let mesh = square();
    let locator = Locator::new(&mesh);
    let inside = around_point(&locator, [0.75, 0.25, 0.0], 0.0, &PLAIN).unwrap();
    let ids = |s: &PointSeeds| s.values.iter().map(|v| v.0).collect::<Vec<u32>>();
    assert_eq!((ids(&inside), inside.gap), (vec![0, 1, 2], 0.0));
    let on_diagonal = around_point(&locator, [0.5, 0.5, 0.25], 0.0, &PLAIN).unwrap();
    assert_eq!((ids(&on_diagonal), on_diagonal.gap), (vec![0, 1, 2, 3], 0.25));
    assert_eq!(on_diagonal.closest, [0.5, 0.5, 0.0]);
    let off = around_point(&locator, [3.0, 0.0, 0.0], 0.0, &PLAIN).unwrap();
    assert_eq!((off.gap, off.closest), (2.0, [1.0, 0.0, 0.0]));
}

#[test]
fn points_are_placed_as_by_looking_at_every_cell() {
    for spec in [Generate::Sphere(Sphere::default()), Generate::Cube(Cube::default())] {
        let mesh = generate(&spec).unwrap();
        let locator = Locator::new(&mesh);
        let corner = |c: u32, k: usize| Vec3::from(mesh.vertices[locator.corners(c)[k] as usize]);
        for k in 0..200 {
            // Vertices, midpoints of edges and points off the mesh.
            let c = k * 37 % mesh.n_cells() as u32;
            let middle = (corner(c, 0) + corner(c, 1)) * 0.5;
            let p = [corner(c, 0), middle, middle * 1.3][k as usize % 3];
            let gap = |c: &u32| (locator.closest_in(*c, p) - p).norm();
            let cells = 0..mesh.n_cells() as u32;
            let first = cells.clone().min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap();
            let closest = locator.closest_in(first, p);
            let found = around_point(&locator, p.into(), 0.0, &PLAIN).unwrap();
            assert_eq!((found.gap, found.closest), (gap(&first), closest.into()));
            let tolerance = 1e-12 * locator.longest_edge(first);
            let touches = |c: &u32| {
                *c == first || (locator.closest_in(*c, closest) - closest).norm() <= tolerance
            };
            assert_eq!(found.cells, cells.filter(touches).collect::<Vec<u32>>());
        }
    }
}

#[test]
fn zero_sets_and_curves_on_the_mesh() {
    // The line x = 1/4 crosses both cells.
    let phi: Vec<f64> = square().vertices.iter().map(|x| 3.0 * (x[0] - 0.25)).collect();
    let found = around_zero_set(&square(), &phi, &PLAIN);
    let expected = [(0, 0.25), (1, 0.75), (2, 0.75), (3, 0.25)];
    let close = |values: &[(u32, f64)]| {
        assert_eq!(values.len(), 4);
        for (found, expected) in values.iter().zip(expected) {
            assert!(found.0 == expected.0 && (found.1 - expected.1).abs() < 1e-12, "{values:?}");
        }
    };
    close(&found.values);
    assert!(found.is_fixed && found.parts.len() == 2);
    // The same line as a curve of one segment, at height 0.5 above the mesh.
    let curve = [[0.25, 0.0, 0.5], [0.25, 1.0, 0.5]];
    let mesh = square();
    let locator = Locator::new(&mesh);
    let found = around_curve(&locator, &curve, &[[0, 1]], &PLAIN, true).unwrap().unwrap();
    close(&found.source.values);
    assert_eq!((found.gap, found.edge), (0.5, 2f64.sqrt()));
    assert!(around_curve(&locator, &curve, &[], &PLAIN, true).unwrap().is_none());
    // A curve that ends within one cell: the opposite vertex gets its straight-line distance.
    let short = [[0.5, 0.25, 0.0], [0.75, 0.25, 0.0]];
    let found = around_curve(&locator, &short, &[[0, 1]], &Slowness::Uniform(2.0), true);
    let found = found.unwrap().unwrap();
    let values = &found.source.values;
    assert_eq!(values.len(), 3);
    assert!((values[1].1 - 2.0 * 0.25 * 2f64.sqrt()).abs() < 1e-12, "{values:?}");
}
