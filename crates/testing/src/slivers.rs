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

/// Returns the cells of a grid with `m` vertices per side, six tetrahedra per cube.
pub fn cube_cells(m: u32) -> Vec<u32> {
    let steps = [1, m, m * m];
    let n = m - 1;
    let corner = |cube: u32| (cube / (n * n) * m + cube / n % n) * m + cube % n;
    let cube = |v: u32| {
        let orders = [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]];
        orders
            .map(|[a, b]| [v, v + steps[a], v + steps[a] + steps[b], v + steps.iter().sum::<u32>()])
    };
    (0..n * n * n).map(corner).flat_map(cube).flatten().collect()
}

/// Returns a plate of 15 x 15 x 15 vertices with irregular positions, `height` times as thick as it
/// is wide. Almost all its tetrahedra are flat.
pub fn flat_plate(height: f64) -> Mesh {
    let m = 15u32;
    let mut random = Random::new(3);
    let mut vertices = Vec::new();
    for v in 0..m * m * m {
        let at = [v % m, v / m % m, v / (m * m)];
        let is_inner = at.iter().all(|&i| i > 0 && i < m - 1);
        let scale = if is_inner { 0.35 } else { 0.0 };
        let x = at.map(|i| (f64::from(i) + scale * (2.0 * random.unit() - 1.0)) / f64::from(m - 1));
        vertices.push([x[0], x[1], x[2] * height]);
    }
    Mesh::new(Kind::Volume, vertices, cube_cells(m))
}

/// Returns the cells of a grid of triangles with `nx` times `ny` vertices.
fn square_cells(nx: u32, ny: u32) -> Vec<u32> {
    let corner = |k: u32| k % (nx - 1) + nx * (k / (nx - 1));
    let cells = (0..(nx - 1) * (ny - 1)).map(corner);
    cells.flat_map(|a| [a, a + 1, a + 1 + nx, a, a + 1 + nx, a + nx]).collect()
}

/// Returns a grid of 100 x 80 vertices, sheared by `shear` over its height.
pub fn sheared(shear: f64) -> Mesh {
    let (nx, ny) = (100, 80);
    let at = |v: u32| {
        let (x, y) = (f64::from(v % nx) / 99.0, f64::from(v / nx) / 79.0);
        [x + shear * y, y, 0.0]
    };
    Mesh::new(Kind::Planar, (0..nx * ny).map(at).collect(), square_cells(nx, ny))
}

/// Returns a strip of 400 x 20 vertices with irregular positions, `height` times as high as it is
/// wide.
pub fn strip(height: f64) -> Mesh {
    let (nx, ny) = (400, 20);
    let mut random = Random::new(3);
    let at = |v: u32| {
        let (i, j) = (v % nx, v / nx);
        let is_inner = i > 0 && j > 0 && i < nx - 1 && j < ny - 1;
        let scale = if is_inner { 0.3 } else { 0.0 };
        let [x, y] = [i, j].map(|k| f64::from(k) + scale * (2.0 * random.unit() - 1.0));
        [x / f64::from(nx - 1), y * height / f64::from(ny - 1), 0.0]
    };
    Mesh::new(Kind::Planar, (0..nx * ny).map(at).collect(), square_cells(nx, ny))
}
