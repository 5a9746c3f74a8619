//! Compares nbFIM with a plain global iteration (V38), for several orders of the patches and
//! numbers of threads.

use std::sync::Arc;

use super::cpu::solve_in_order;
use super::*;
use crate::Cpu;
use crate::geometry::Vec3;
use crate::mesh::{Kind, Mesh};
use crate::patches::Partition;

/// Returns a reproducible number in 0..1 that looks random.
fn noise(k: usize) -> f64 {
    let mut x = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 31;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((x ^ x >> 29) >> 11) as f64 / (1u64 << 53) as f64
}

/// Returns the square [-1, 1]^2 of n x n cells, two triangles each. Interior vertices are displaced
/// by up to a quarter of a cell along each axis.
fn square(n: u32) -> Mesh {
    let h = 2.0 / f64::from(n);
    let mut vertices = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let inner = i > 0 && j > 0 && i < n && j < n;
            let shift = |k: usize| if inner { h * 0.5 * (noise(k) - 0.5) } else { 0.0 };
            let k = vertices.len() * 2;
            let (x, y) = (f64::from(i) * h - 1.0, f64::from(j) * h - 1.0);
            vertices.push([x + shift(k), y + shift(k + 1), 0.0]);
        }
    }
    let mut cells = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let v = j * (n + 1) + i;
            cells.extend([v, v + 1, v + n + 2, v, v + n + 2, v + n + 1]);
        }
    }
    Mesh::new(Kind::Planar, vertices, cells)
}

/// Returns a cube of n^3 unit cells with six tetrahedra each. Vertices are displaced by up to 0.1
/// along each axis.
fn cube(n: u32) -> Mesh {
    let (mut vertices, mut cells) = (Vec::new(), Vec::new());
    for k in 0..=n {
        for j in 0..=n {
            for i in 0..=n {
                let at = vertices.len() * 3;
                let shift = |k: usize| 0.2 * (noise(k) - 0.5);
                let x = [i, j, k].map(f64::from);
                vertices.push([x[0] + shift(at), x[1] + shift(at + 1), x[2] + shift(at + 2)]);
            }
        }
    }
    let m = n + 1;
    let steps = [1, m, m * m];
    for k in 0..n {
        for j in 0..n {
            for i in 0..n {
                let v = (k * m + j) * m + i;
                for [a, b] in [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]] {
                    let second = v + steps[a];
                    cells.extend([v, second, second + steps[b], v + 1 + m + m * m]);
                }
            }
        }
    }
    Mesh::new(Kind::Volume, vertices, cells)
}

fn state(mesh: &Mesh, patch_size: usize) -> EikonalState<f64> {
    let patches = Arc::new(Patches::new(mesh, Partition::Bisection, patch_size).unwrap());
    let coordinates = Arc::new(Coordinates::new(mesh, &patches));
    EikonalState::new(patches, coordinates, Slowness::Uniform(1.0))
}

/// Returns the fixed point, computed from its definition: Gauss-Seidel sweeps over all cells until
/// nothing changes.
fn fixed_point<const N: usize>(mesh: &Mesh, sources: &[(u32, f64)]) -> Vec<f64> {
    let mut u = vec![f64::INFINITY; mesh.n_vertices()];
    for &(v, value) in sources {
        u[v as usize] = value;
    }
    loop {
        let before = u.clone();
        for cell in mesh.iter_cells() {
            let x: [Vec3; N] = std::array::from_fn(|i| mesh.vertices[cell[i] as usize].into());
            for i in 0..N {
                let values: [f64; N] = std::array::from_fn(|i| u[cell[i] as usize]);
                let v = cell[i] as usize;
                u[v] = u[v].min(formulas::arrival(&values, &x, i, 1.0));
            }
        }
        if u == before {
            return u;
        }
    }
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn whole_field_is_the_fixed_point() {
    let cpu = Cpu::new(2).unwrap();
    let square = square(24);
    let cube = cube(6);
    for (mesh, exact) in [
        (&square, fixed_point::<3>(&square, &[(7, 0.0), (300, 0.2)])),
        (&cube, fixed_point::<4>(&cube, &[(7, 0.0), (300, 0.2)])),
    ] {
        for patch_size in [1, 20, 64, 100_000] {
            let mut state = state(mesh, patch_size);
            state.seed(&[(7, 0.0), (300, 0.2)]);
            let stats = solve(&cpu, &mut state, None).unwrap();
            assert!(stats.rounds < 100, "{stats:?}");
            let difference = largest_difference(&state.u_in_mesh_order(), &exact);
            assert!(difference <= 1e-13, "patches of {patch_size}: {difference:e}");
        }
    }
}

#[test]
fn band_values_are_those_of_the_whole_field() {
    let cpu = Cpu::new(2).unwrap();
    let mesh = square(40);
    let exact = fixed_point::<3>(&mesh, &[(820, 0.0)]);
    let mut state = state(&mesh, 20);
    state.seed(&[(820, 0.0)]);
    let stats = solve(&cpu, &mut state, Some(0.3)).unwrap();
    assert!(stats.visited_patches * 2 < state.patches().len(), "{stats:?}");
    let inside = |u: &f64| *u < 0.3;
    let u = state.u_in_mesh_order();
    assert_eq!(u.iter().filter(|u| inside(u)).count(), exact.iter().filter(|u| inside(u)).count());
    for (u, exact) in u.iter().zip(&exact).filter(|(_, exact)| inside(exact)) {
        assert!((u - exact).abs() < 1e-13);
    }
}

#[test]
fn bits_depend_neither_on_order_nor_on_threads() {
    let mesh = square(48);
    let solve_with = |threads: usize, order: &(dyn Fn(&mut Vec<u32>) + Sync)| {
        let mut state = state(&mesh, 16);
        state.seed(&[(3, 0.0), (2000, 0.1)]);
        solve_in_order(&Cpu::new(threads).unwrap(), &mut state, None, order).unwrap();
        state.u_in_mesh_order().iter().map(|u| u.to_bits()).collect::<Vec<u64>>()
    };
    let plain = solve_with(1, &|_| ());
    for threads in [1, 2, 5] {
        assert_eq!(plain, solve_with(threads, &|list| list.reverse()));
        assert_eq!(plain, solve_with(threads, &|list| list.sort_by_key(|&p| p % 7 * 1000 + p)));
    }
}

#[test]
fn a_second_solve_forgets_the_first() {
    let cpu = Cpu::new(1).unwrap();
    let mesh = square(16);
    let mut used = state(&mesh, 20);
    used.fix(&[(0, 0.0)]);
    solve(&cpu, &mut used, None).unwrap();
    used.clear();
    used.seed(&[(200, 0.0)]);
    let stats = solve(&cpu, &mut used, None).unwrap();
    let mut new = state(&mesh, 20);
    new.seed(&[(200, 0.0)]);
    assert_eq!(stats, solve(&cpu, &mut new, None).unwrap());
    assert_eq!(used.u(), new.u());
}

#[test]
fn slow_cells_delay_the_front() {
    let cpu = Cpu::new(1).unwrap();
    let mesh = square(8);
    let patches = Arc::new(Patches::new(&mesh, Partition::Hilbert, 10).unwrap());
    let coordinates = Arc::new(Coordinates::new(&mesh, &patches));
    let slowness = Slowness::PerCell(vec![3.0; mesh.n_cells()]);
    let mut slow = EikonalState::new(patches, coordinates, slowness);
    let mut plain = state(&mesh, 10);
    for state in [&mut slow, &mut plain] {
        state.seed(&[(0, 0.0)]);
        solve(&cpu, state, None).unwrap();
    }
    for (slow, plain) in slow.u_in_mesh_order().iter().zip(plain.u_in_mesh_order()) {
        assert!((slow - 3.0 * plain).abs() < 1e-12);
    }
}

#[test]
fn reinitialization_a_straight_interface_is_exact() {
    // V26: the distance to a line, at vertices whose closest point on the line lies well inside the
    // square.
    let cpu = Cpu::new(1).unwrap();
    let mesh = square(32);
    let mut state = state(&mesh, 64);
    let norm = 5f64.sqrt();
    let exact = |x: &[f64; 3]| (x[0] + 2.0 * x[1] - 0.1) / norm;
    let order = state.patches().mesh_vertices().to_vec();
    let mut phi: Vec<f64> =
        order.iter().map(|&v| 7.0 * exact(&mesh.vertices[v as usize])).collect();
    let all: Vec<u32> = (0..state.patches().len() as u32).collect();
    reinitialize(&cpu, &cpu, &mut state, &mut phi, &all, Width::Band(0.3)).unwrap();
    for (phi, &v) in phi.iter().zip(&order) {
        let x = &mesh.vertices[v as usize];
        let d = exact(x);
        let foot = [x[0] - d / norm, x[1] - 2.0 * d / norm];
        if foot.iter().chain(&x[..2]).all(|c| c.abs() < 0.7) {
            assert!((phi - d.clamp(-0.3, 0.3)).abs() < 1e-13, "vertex {v}: {phi} not {d}");
        }
    }
}

#[test]
fn fronts_from_a_zero_set_keep_to_the_speed() {
    let cpu = Cpu::new(1).unwrap();
    let mesh = square(16);
    let patches = Arc::new(Patches::new(&mesh, Partition::Hilbert, 20).unwrap());
    let coordinates = Arc::new(Coordinates::new(&mesh, &patches));
    let all: Vec<u32> = (0..patches.len() as u32).collect();
    let uniform = Slowness::Uniform(0.25);
    let per_cell = Slowness::PerCell(vec![0.25; mesh.n_cells()]);
    for slowness in [uniform, per_cell] {
        let mut state = EikonalState::new(patches.clone(), coordinates.clone(), slowness);
        let mut phi = patches.to_patch_order(&mesh.vertices, |x| x[0] - 0.07);
        reinitialize(&cpu, &cpu, &mut state, &mut phi, &all, Width::Whole).unwrap();
        for (phi, &v) in phi.iter().zip(patches.mesh_vertices()) {
            let x = mesh.vertices[v as usize];
            assert!((phi - 0.25 * (x[0] - 0.07)).abs() < 1e-12, "vertex {v}: {phi}");
        }
    }
}
