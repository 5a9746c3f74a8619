//! Tetrahedral meshes with slivers, as in a Delaunay triangulation of rounded points.

use zeroset_core::mesh::generate::{Cube, Generate, generate};
use zeroset_core::mesh::{Kind, Mesh};

use crate::samples::Random;

/// Returns two unit cubes of n by n by n cells each, side by side along x, and the number of
/// slivers between them. The squares of the common face have different diagonals on its two sides,
/// and a sliver fills the gap. The vertices of the face are up to `noise` off their plane.
pub fn cubes_with_slivers(n: u32, noise: f64) -> (Mesh, usize) {
    let left = generate(&Generate::Cube(Cube { cells: [n; 3], ..Cube::default() })).unwrap();
    let mut vertices = left.vertices.clone();
    let mut random = Random::new(7);
    let is_common = |x: &[f64; 3]| x[0] > 1.0 - 1e-9;
    let find = |vertices: &[[f64; 3]], x: [f64; 3]| {
        vertices.iter().position(|y| (0..3).all(|k| (x[k] - y[k]).abs() < 1e-9))
    };
    // The right cube is the left one, rotated by 180 degrees about the z direction. On the common
    // face, its diagonals run the other way.
    let mut of_right = Vec::with_capacity(left.n_vertices());
    for x in &left.vertices {
        let turned = [2.0 - x[0], 1.0 - x[1], x[2]];
        let shared = if is_common(x) { find(&left.vertices, turned) } else { None };
        of_right.push(shared.unwrap_or(vertices.len()) as u32);
        if shared.is_none() {
            vertices.push(turned);
        }
    }
    let right = left.cells.iter().map(|&v| of_right[v as usize]);
    let mut cells: Vec<u32> = left.cells.iter().copied().chain(right).collect();
    let before = cells.len();
    for k in 0..n * n {
        let corner = |a: u32, b: u32| {
            let [y, z] = [k % n + a, k / n + b].map(|i| f64::from(i) / f64::from(n));
            find(&left.vertices, [1.0, y, z]).unwrap() as u32
        };
        cells.extend([corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)]);
    }
    let n_slivers = (cells.len() - before) / 4;
    for x in vertices.iter_mut().filter(|x| (x[0] - 1.0).abs() < 1e-9) {
        x[0] += noise * (2.0 * random.unit() - 1.0);
    }
    (Mesh::new(Kind::Volume, vertices, cells), n_slivers)
}
