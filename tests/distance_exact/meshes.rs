//! Small surfaces whose shortest paths bend, split and end at holes.

use std::f64::consts::TAU;

use zeroset::mesh::{Kind, Mesh};
use zeroset_testing::samples::Random;

/// Returns a terrain over a square with `n` x `n` squares, two triangles each. Vertices are moved
/// at random by up to `shift` sides in the plane and `height` sides upward. Each triangle is left
/// out with the probability `holes`.
pub fn terrain(n: u32, shift: f64, height: f64, holes: f64, random: &mut Random) -> Mesh {
    let mut noise = |size: f64| size * (2.0 * random.unit() - 1.0);
    let mut vertices = Vec::new();
    for k in 0..(n + 1) * (n + 1) {
        let [i, j] = [k % (n + 1), k / (n + 1)].map(f64::from);
        vertices.push([i + noise(shift), j + noise(shift), noise(height)]);
    }
    let mut cells = Vec::new();
    for k in 0..n * n {
        let a = k / n * (n + 1) + k % n;
        let [b, c, d] = [a + 1, a + n + 2, a + n + 1];
        let squares = match k % 3 {
            0 => [[a, b, c], [a, c, d]],
            _ => [[a, b, d], [d, b, c]],
        };
        cells.extend(squares.into_iter().filter(|_| random.unit() >= holes).flatten());
    }
    Mesh::new(Kind::Surface, vertices, cells)
}

/// Returns an icosahedron with each triangle divided into four, whose vertices are moved from the
/// unit sphere at random by up to `noise` along each axis.
pub fn ball(noise: f64, random: &mut Random) -> Mesh {
    use zeroset::mesh::generate::{Generate, Sphere, generate};
    let mut sphere = Sphere::default();
    sphere.subdivisions = Some(1);
    let mut mesh = generate(&Generate::Sphere(sphere)).unwrap();
    for x in mesh.vertices.iter_mut().flatten() {
        *x += noise * (2.0 * random.unit() - 1.0);
    }
    mesh
}

/// Returns a cone of `n` triangles of side 1 around vertex 0, whose angles sum to `total`. If
/// `total` exceeds a full turn, the outer vertices alternate in height, so that the triangles fit
/// together.
pub fn cone(n: u32, total: f64) -> Mesh {
    // Each triangle has the base `chord`. On a circle of radius r around the axis, the vertices
    // alternate between the heights +z and -z.
    let chord = 2.0 * (total / f64::from(n) / 2.0).sin();
    let turn = TAU / f64::from(n);
    // chord^2 = (2 r sin(turn / 2))^2 + 4 z^2 and 1 = r^2 + z^2, with the tip at the height 0. If
    // the total is below a full turn, all vertices have the same height instead.
    let s = (turn / 2.0).sin();
    let mut vertices = vec![[0.0; 3]];
    for k in 0..n {
        let (sin, cos) = (f64::from(k) * turn).sin_cos();
        let (r, z) = if total <= TAU {
            let r = chord / (2.0 * s);
            (r, -(1.0 - r * r).max(0.0).sqrt())
        } else {
            let r2 = (4.0 - chord * chord) / (4.0 - 4.0 * s * s);
            let z = (1.0 - r2).sqrt();
            (r2.sqrt(), if k % 2 == 0 { z } else { -z })
        };
        vertices.push([r * cos, r * sin, z]);
    }
    let cells = (0..n).flat_map(|k| [0, 1 + k, 1 + (k + 1) % n]).collect();
    Mesh::new(Kind::Surface, vertices, cells)
}

/// Returns the unit cube with `n` x `n` squares per face, two triangles each.
pub fn cube(n: u32) -> Mesh {
    let mut vertices: Vec<[f64; 3]> = Vec::new();
    let mut cells = Vec::new();
    let mut index = |x: [u32; 3]| {
        let x = x.map(|x| f64::from(x) / f64::from(n));
        vertices.iter().position(|y| *y == x).unwrap_or_else(|| {
            vertices.push(x);
            vertices.len() - 1
        }) as u32
    };
    for face in 0..6 {
        let (axis, end) = (face % 3, (face / 3) as u32 * n);
        for (i, j) in (0..n * n).map(|k| (k % n, k / n)) {
            let mut at = |i: u32, j: u32| {
                let mut x = [0; 3];
                (x[axis], x[(axis + 1) % 3], x[(axis + 2) % 3]) = (end, i, j);
                index(x)
            };
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            cells.extend([a, b, c, a, c, d]);
        }
    }
    Mesh::new(Kind::Surface, vertices, cells)
}

/// Returns three sheets that share one edge line, in random orientation.
pub fn three_sheets(random: &mut Random) -> Mesh {
    let n = 3u32;
    let mut vertices: Vec<[f64; 3]> = (0..=n).map(|j| [0.0, f64::from(j), 0.0]).collect();
    let mut cells = Vec::new();
    for sheet in 0..3 {
        let (sin, cos) = (f64::from(sheet) * 2.1).sin_cos();
        let first = vertices.len() as u32;
        for k in 0..2 * (n + 1) {
            let r = f64::from(k / (n + 1) + 1);
            let y = f64::from(k % (n + 1)) + 0.4 * (random.unit() - 0.5);
            vertices.push([r * cos, y, r * sin + 0.4 * (random.unit() - 0.5)]);
        }
        let at = |i: u32, j: u32| if i == 0 { j } else { first + (i - 1) * (n + 1) + j };
        for (i, j) in (0..2 * n).map(|k| (k / n, k % n)) {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            cells.extend([a, b, c]);
            cells.extend(if random.unit() < 0.5 { [a, c, d] } else { [c, a, d] });
        }
    }
    Mesh::new(Kind::Surface, vertices, cells)
}

/// Returns triangles between random corners of `n` random points. Edges may have any number of
/// triangles, and triangles may cross each other.
pub fn tangle(n: usize, triangles: usize, random: &mut Random) -> Mesh {
    let vertices = (0..n).map(|_| [0, 1, 2].map(|_| random.unit())).collect();
    let mut cells: Vec<u32> = Vec::new();
    while cells.len() < 3 * triangles {
        let [a, b, c] = [0, 1, 2].map(|_| (random.unit() * n as f64) as u32);
        if a != b && b != c && c != a {
            cells.extend([a, b, c]);
        }
    }
    Mesh::new(Kind::Surface, vertices, cells)
}
