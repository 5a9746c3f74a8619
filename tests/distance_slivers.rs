//! Tests distances on meshes with very thin and flat cells. The computation ends, and the distances
//! are close to the exact ones.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::levelset::eikonal::{EikonalState, Front, Slowness, solve, source};
use zeroset::mesh::{Kind, Mesh};
use zeroset::patches::{Coordinates, PATCH_SIZE, Partition, Patches};
use zeroset_testing::slivers::{cube_cells, flat_plate, sheared, strip};

/// Returns a reproducible number in -1..1 that looks random.
fn noise(k: usize) -> f64 {
    let mut x = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 31;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((x ^ x >> 29) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Returns the positions of `n + 1` grid lines in -1..1. Every third interval is `thin` times as
/// wide as the others.
fn lines(n: usize, thin: f64) -> Vec<f64> {
    let at = |i: usize| (i / 3) as f64 * (2.0 + thin) + (i % 3) as f64;
    (0..=n).map(|i| 2.0 * at(i) / at(n) - 1.0).collect()
}

/// Returns the square [-1, 1]^2 with 48 x 48 cells, in which every third column of cells is `thin`
/// times as wide as the others. Interior vertices are moved along the columns by up to a fifth of a
/// cell, so most triangles in thin columns have an angle of almost 180 degrees.
fn thin_columns(thin: f64) -> Mesh {
    let n = 48;
    let x = lines(n, thin);
    let mut vertices = Vec::new();
    for j in 0..=n {
        for (i, &x) in x.iter().enumerate() {
            let inner = i > 0 && j > 0 && i < n && j < n;
            let shift = if inner { 0.2 * noise(vertices.len()) } else { 0.0 };
            vertices.push([x, (j as f64 + shift) * 2.0 / n as f64 - 1.0, 0.0]);
        }
    }
    let corner = |k: usize| (k % n + (n + 1) * (k / n)) as u32;
    let cells = (0..n * n).map(corner).flat_map(|a| {
        let (b, c) = (a + 1, a + n as u32 + 1);
        [a, b, c + 1, a, c + 1, c]
    });
    Mesh::new(Kind::Planar, vertices, cells.collect())
}

/// Returns the cube [-1, 1]^3 with 12 cells per side, each of six tetrahedra. Every third layer of
/// cells in x is `thin` times as thick as the others, and interior vertices are moved within the
/// layers.
fn thin_layers(thin: f64) -> Mesh {
    let n = 12;
    let x = lines(n, thin);
    let mut vertices = Vec::new();
    let inner = |i: usize| i > 0 && i < n;
    for k in 0..=n {
        for j in 0..=n {
            for (i, &x) in x.iter().enumerate() {
                let scale = if inner(i) && inner(j) && inner(k) { 0.2 } else { 0.0 };
                let number = vertices.len();
                let shift = |c: usize| scale * noise(2 * number + c);
                let at = |i: usize, c| (i as f64 + shift(c)) * 2.0 / n as f64 - 1.0;
                vertices.push([x, at(j, 0), at(k, 1)]);
            }
        }
    }
    Mesh::new(Kind::Volume, vertices, cube_cells(n as u32 + 1))
}

fn state<R: Real>(mesh: &Mesh) -> EikonalState<R> {
    let patches = Arc::new(Patches::new(mesh, Partition::Bisection, PATCH_SIZE).unwrap());
    let coordinates = Arc::new(Coordinates::new(mesh, &patches));
    EikonalState::new(patches, coordinates, Slowness::Uniform(R::one()))
}

/// Returns the mean and the largest error of the distance from the zero set of `phi`, which is a
/// signed distance function.
fn errors<R: Real>(mesh: &Mesh, phi: impl Fn(&[f64; 3]) -> f64) -> (f64, f64) {
    let phi: Vec<f64> = mesh.vertices.iter().map(phi).collect();
    let mut state = state::<R>(mesh);
    state.fix(&source::around_zero_set(mesh, &phi, &Slowness::Uniform(1.0)).values);
    solve(&Cpu::new(2).unwrap(), &mut state, None).unwrap();
    let errors = state.u_in_mesh_order();
    let errors = errors.iter().zip(&phi).map(|(u, phi)| (u - phi.abs()).abs());
    let (sum, largest) = errors.fold((0.0, 0.0f64), |(s, m), e| (s + e, m.max(e)));
    (sum / phi.len() as f64, largest)
}

#[test]
fn fronts_from_a_circle_end_on_thin_columns() {
    // The largest errors are where the fronts meet. A cell is 0.06 wide.
    let circle = |x: &[f64; 3]| x[0].hypot(x[1]) - 0.6;
    for thin in [1e-2, 3e-3, 1e-3, 1e-5] {
        let mesh = thin_columns(thin);
        for (mean, largest) in [errors::<f64>(&mesh, circle), errors::<f32>(&mesh, circle)] {
            assert!(mean < 0.01 && largest < 0.12, "{thin}: mean {mean}, largest {largest}");
        }
    }
}

#[test]
fn straight_fronts_stay_accurate_on_thin_columns() {
    for thin in [1e-2, 3e-3, 1e-3, 1e-5] {
        let mesh = thin_columns(thin);
        for (mean, largest) in
            [errors::<f64>(&mesh, |x| x[0] + 0.31), errors::<f32>(&mesh, |x| x[0] + 0.31)]
        {
            assert!(mean < 0.006 && largest < 0.02, "{thin}: mean {mean}, largest {largest}");
        }
    }
}

#[test]
fn circular_fronts_are_exact_on_thin_columns() {
    for thin in [1e-2, 3e-3, 1e-3, 1e-5] {
        let mesh = thin_columns(thin);
        let mut state = state::<f64>(&mesh).with_front(Front::Circular).unwrap();
        let start = 24 * 49 + 25;
        let at = mesh.vertices[start as usize];
        let plain = Slowness::Uniform(1.0);
        state.seed(&source::around_simplices(&mesh, &[start], 1, 0.0, &plain));
        solve(&Cpu::new(2).unwrap(), &mut state, None).unwrap();
        for (u, x) in state.u_in_mesh_order().iter().zip(&mesh.vertices) {
            let exact = (x[0] - at[0]).hypot(x[1] - at[1]);
            assert!((u - exact).abs() < 1e-6, "{thin}: {u} for {exact}");
        }
    }
}

#[test]
fn fronts_from_a_ball_end_on_thin_layers() {
    // The mesh is coarse, with cells that are 0.25 wide. The largest error is at the center of the
    // ball.
    let ball = |x: &[f64; 3]| x[0].hypot(x[1]).hypot(x[2]) - 0.6;
    for thin in [1e-2, 3e-3, 1e-3, 1e-5] {
        let mesh = thin_layers(thin);
        for (mean, largest) in [errors::<f64>(&mesh, ball), errors::<f32>(&mesh, ball)] {
            assert!(mean < 0.06 && largest < 0.5, "{thin}: mean {mean}, largest {largest}");
        }
    }
}

/// Solves from three vertices at once. Returns the updates per patch, and the mean and the largest
/// error, relative to the largest exact distance.
fn from_three_vertices<R: Real>(mesh: &Mesh, front: Front) -> (usize, f64, f64) {
    let n = mesh.vertices.len();
    let seeds = [0, n / 2, n - n / 9];
    let mut state = state::<R>(mesh).with_front(front).unwrap();
    for seed in seeds {
        let slowness = Slowness::Uniform(1.0);
        state.seed(&source::around_simplices(mesh, &[seed as u32], 1, 0.0, &slowness));
    }
    let stats = solve(&Cpu::new(2).unwrap(), &mut state, None).unwrap();
    let distance = |x: &[f64; 3], s: usize| {
        let from = mesh.vertices[s];
        (x[0] - from[0]).hypot(x[1] - from[1]).hypot(x[2] - from[2])
    };
    let exact: Vec<f64> = (mesh.vertices.iter())
        .map(|x| seeds.iter().map(|&s| distance(x, s)).fold(f64::INFINITY, f64::min))
        .collect();
    let largest = exact.iter().copied().fold(0.0, f64::max);
    let errors = state.u_in_mesh_order();
    let errors = errors.iter().zip(&exact).map(|(u, exact)| (u - exact).abs() / largest);
    let (sum, most) = errors.fold((0.0, 0.0f64), |(s, m), e| (s + e, m.max(e)));
    (stats.patch_updates / stats.visited_patches, sum / n as f64, most)
}

#[test]
fn fronts_end_after_few_updates_on_hostile_meshes() {
    // The distance has ridges where the fronts from several vertices meet. On the plate, an edge is
    // a tenth of the largest distance. A case ends with bounds on its mean and largest error.
    let cases = [
        ("plate of 1e-3", flat_plate(1e-3), Front::Plane, 0.04, 0.2),
        ("shear of 5", sheared(5.0), Front::Plane, 0.03, 0.2),
        ("shear of 5, circular", sheared(5.0), Front::Circular, 0.01, 0.15),
        ("shear of 100, circular", sheared(100.0), Front::Circular, 0.08, 0.4),
        ("strip of 1e-5", strip(1e-5), Front::Plane, 1e-3, 0.03),
        ("strip of 1e-5, circular", strip(1e-5), Front::Circular, 0.005, 0.1),
    ];
    for (name, mesh, front, most_mean, most) in &cases {
        for found in
            [from_three_vertices::<f64>(mesh, *front), from_three_vertices::<f32>(mesh, *front)]
        {
            let (updates, mean, largest) = found;
            assert!(updates < 1000, "{name}: {updates} updates per patch");
            assert!(mean < *most_mean && largest < *most, "{name}: {mean}, largest {largest}");
        }
    }
}
