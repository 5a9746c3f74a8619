//! Tests of the conversion of cells of all types to simplices.

use super::*;
use crate::vtk::polyhedra::expand_streams;

/// Returns a grid with a single cell, which uses all points in order.
fn single(number: u8, points: &[[f64; 3]]) -> Grid {
    let n = points.len();
    Grid {
        points: points.to_vec(),
        types: vec![number],
        ends: vec![n],
        connectivity: (0..n as i64).collect(),
        ..Grid::default()
    }
}

fn volume(grid: &Grid, simplices: &Simplices) -> f64 {
    let at = |v: u32| Vec3::from(grid.points[v as usize]);
    let each = simplices.corners[3].as_chunks::<4>().0.iter().map(|&[a, b, c, d]| {
        (at(b) - at(a)).dot(&(at(c) - at(a)).cross(&(at(d) - at(a)))).abs() / 6.0
    });
    each.sum()
}

fn prism(sides: u32, concave: bool) -> Vec<[f64; 3]> {
    let ring = |z: f64| {
        (0..sides).map(move |k| {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(sides)).sin_cos();
            let radius = if concave && k == 0 { 0.3 } else { 1.0 };
            [radius * cos, radius * sin, z]
        })
    };
    ring(0.0).chain(ring(1.0)).collect()
}

#[test]
fn prisms_with_five_and_six_sides_are_filled() {
    for (number, sides) in [(15, 5), (16, 6)] {
        let step = std::f64::consts::TAU / f64::from(sides);
        let mut grid = single(number, &prism(sides, false));
        let simplices = Simplices::of(&mut grid, None);
        let expected = 0.5 * f64::from(sides) * step.sin();
        assert!((volume(&grid, &simplices) - expected).abs() < 1e-12);
        assert_eq!(grid.points.len(), 2 * sides as usize, "no vertex is needed");
        let mut grid = single(number, &prism(sides, true));
        let simplices = Simplices::of(&mut grid, None);
        let expected = expected - 0.7 * step.sin();
        assert!((volume(&grid, &simplices) - expected).abs() < 1e-12);
    }
}

#[test]
fn a_new_vertex_gets_rows() {
    let mut grid = single(16, &prism(6, true));
    let array = |name: &str, values| DataArray { name: name.into(), components: 1, values };
    let (mut whole, mut real) = (vec![7; 12], vec![1.0; 12]);
    (whole[5], real[3]) = (9, 13.0);
    grid.point_data.push(array("label", Values::Int(whole)));
    grid.point_data.push(array("t", Values::Float(real)));
    let simplices = Simplices::of(&mut grid, None);
    if simplices.centered.is_empty() {
        return;
    }
    assert_eq!(grid.points.len(), 13);
    assert_eq!(grid.point_data[0].values.to_f64()[12], 7.0);
    assert_eq!(grid.point_data[1].values.to_f64()[12], 2.0);
    assert!(grid.warnings[0].contains("1 cell is cut around a vertex at its center"));
}

#[test]
fn distorted_hexahedra_are_filled_without_overlap() {
    let mut points = prism(4, false);
    // One corner of the top is pushed into the cell.
    points[4] = [-0.2, 0.0, 0.6];
    let mut grid = single(12, &points);
    let simplices = Simplices::of(&mut grid, None);
    let at = |v: u32| Vec3::from(grid.points[v as usize]);
    for &[a, b, c, d] in simplices.corners[3].as_chunks::<4>().0 {
        assert!((at(b) - at(a)).dot(&(at(c) - at(a)).cross(&(at(d) - at(a)))) > 0.0);
    }
}

#[test]
fn cells_without_a_cut_are_listed() {
    let mut grid = single(41, &prism(5, false));
    assert_eq!(
        Simplices::of(&mut grid, None).uncut.summary().unwrap(),
        "1 cell that cannot be cut is left out, beginning with cell 0: the file does not state the \
         faces of this convex_point_set"
    );
    let mut grid = single(200, &prism(5, false));
    let message = Simplices::of(&mut grid, None).uncut.summary().unwrap();
    assert!(message.ends_with("cell 0: the cell type 200 is unknown"), "{message}");
    let mut grid = single(42, &prism(3, false));
    grid.connectivity = vec![2, 3, 0, 1, 2, 3, 3, 4, 5];
    grid.ends = vec![9];
    expand_streams(&mut grid).unwrap();
    let message = Simplices::of(&mut grid, None).uncut.summary().unwrap();
    assert!(message.contains("do not form one closed surface"), "{message}");
}
