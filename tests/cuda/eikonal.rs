//! Tests that arrival times on a GPU match the CPU's fixed point and are bitwise identical in every
//! run.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::levelset::eikonal::cuda::{Gpu, Organization};
use zeroset::levelset::eikonal::{self, EikonalSolver, EikonalState, Front, Metric, Slowness};
use zeroset::mesh::Mesh;
use zeroset::patches::{Coordinates, Partition, Patches};
use zeroset_testing::slivers::{sheared, strip};

use crate::support::{self, difference};

fn state<R: Real>(mesh: &Mesh, patch_size: usize, slowness: Slowness<R>) -> EikonalState<R> {
    let patches = Arc::new(Patches::new(mesh, Partition::Bisection, patch_size).unwrap());
    let coordinates = Arc::new(Coordinates::new(mesh, &patches));
    EikonalState::new(patches, coordinates, slowness)
}

/// Returns the values from the CPU, from the GPU with both values of [`Organization`], and from a
/// second run with the first value. Returns `None` if there is no GPU.
fn solved<R: Real>(
    mesh: &Mesh,
    patch_size: usize,
    seeds: &[(u32, f64)],
    width: Option<f64>,
    slowness: &Slowness<R>,
) -> Option<[Vec<f64>; 4]> {
    let gpu = support::cuda()?;
    let width = width.map(R::of);
    let run = |how: Option<Organization>| {
        let mut state = state(mesh, patch_size, slowness.clone());
        state.fix(seeds);
        match how {
            None => {
                eikonal::solve(&Cpu::new(2).unwrap(), &mut state, width).unwrap();
            }
            Some(how) => {
                let stats =
                    Gpu { cuda: gpu.clone(), organization: how }.solve(&mut state, width).unwrap();
                assert!(stats.patch_updates > 0);
            }
        }
        // Values beyond the width are not meaningful.
        let limit = width.map_or(f64::INFINITY, Real::to_f64);
        state.u_in_mesh_order().iter().map(|u| u.min(limit)).collect::<Vec<f64>>()
    };
    let rounds = Some(Organization::Rounds);
    Some([run(None), run(rounds), run(Some(Organization::Queue)), run(rounds)])
}

fn meshes() -> Vec<(&'static str, Mesh)> {
    vec![
        ("regular square", support::square(40, 0.0)),
        ("irregular square", support::square(60, 0.25)),
        ("sphere", support::sphere(4)),
        ("cube", support::cube(12, 0.0)),
        ("irregular cube", support::cube(10, 0.15)),
    ]
}

/// Compares the values of both organizations with those of the CPU, for patch sizes and widths.
fn compare_on<R: Real>(
    (name, mesh): (&str, &Mesh),
    runs: &[(usize, Option<f64>)],
    slowness: &Slowness<R>,
    tolerance: f64,
) {
    let seeds = [(0, 0.0), (mesh.n_vertices() as u32 / 2, 0.125)];
    for &(patch_size, width) in runs {
        let found = solved(mesh, patch_size, &seeds, width, slowness);
        let Some([cpu, rounds, queue, again]) = found else { return };
        assert!(rounds == again, "{name}: two runs differ");
        for (how, found) in [("rounds", rounds), ("queue", queue)] {
            let d = difference(&cpu, &found);
            assert!(d <= tolerance, "{name}, {how}, patches of {patch_size}: {d:e}");
        }
    }
}

fn compare<R: Real>(tolerance: f64) {
    for (name, mesh) in meshes() {
        let runs = [(64, None), (32, Some(0.5)), (128, Some(0.3))];
        compare_on((name, &mesh), &runs, &Slowness::Uniform(R::one()), tolerance);
    }
}

#[test]
fn both_organizations_find_the_fixed_point_of_the_cpu() {
    compare::<f64>(1e-12);
    compare::<f32>(2e-6);
}

#[test]
fn solves_end_on_hostile_meshes() {
    // Which small decreases do not count depends on the schedule, so the values agree only within a
    // small part of an edge.
    for (name, mesh) in [("strip", strip(1e-5)), ("sheared", sheared(5.0))] {
        let seeds = [0, mesh.n_vertices() as u32 / 2].map(|v| (v, 0.0));
        let uniform = Slowness::Uniform(1.0);
        let Some([cpu, rounds, queue, again]) = solved(&mesh, 64, &seeds, None, &uniform) else {
            return;
        };
        assert!(rounds == again, "{name}: two runs differ");
        for (how, found) in [("rounds", rounds), ("queue", queue)] {
            let d = difference(&cpu, &found);
            assert!(d <= 1e-3, "{name}, {how}: {d:e}");
        }
    }
}

#[test]
fn slowness_may_differ_between_cells() {
    let mesh = support::square(50, 0.2);
    let of = |k: usize| 0.5 + (k % 7) as f64 / 5.0;
    let slowness = Slowness::PerCell((0..mesh.n_cells()).map(of).collect());
    let Some([cpu, rounds, queue, _]) = solved(&mesh, 64, &[(77, 0.0)], None, &slowness) else {
        return;
    };
    assert!(difference(&cpu, &rounds) <= 1e-12 && difference(&cpu, &queue) <= 1e-12);
}

fn compare_tensors<R: Real>(tolerance: f64) {
    for (name, mesh) in meshes() {
        let arity = mesh.kind.arity();
        // Fibers that turn with the position. The speed along them is five times the speed across
        // them.
        let metric = |cell: &[u32]| {
            let z: f64 = cell.iter().map(|&v| mesh.vertices[v as usize][2]).sum();
            let x: f64 = cell.iter().map(|&v| mesh.vertices[v as usize][0]).sum();
            let angle = 0.7 * x + 0.9 * z;
            let (sin, cos) = angle.sin_cos();
            let excess = 1.0 - 0.04;
            let tensor = [0.04 + excess * cos * cos, 0.04 + excess * sin * sin, 0.04];
            Metric::new([tensor[0], tensor[1], tensor[2], excess * sin * cos, 0.0, 0.0])
        };
        let metrics = mesh.cells.chunks_exact(arity).map(|cell| metric(cell).unwrap().rounded());
        let slowness = Slowness::<R>::Tensor(metrics.collect());
        compare_on((name, &mesh), &[(64, None), (32, Some(0.8))], &slowness, tolerance);
    }
}

#[test]
fn tensors_give_the_fixed_point_of_the_cpu() {
    compare_tensors::<f64>(1e-11);
    compare_tensors::<f32>(2e-5);
}

#[test]
fn a_seed_in_the_middle_of_a_patch_reaches_its_neighbors() {
    // The patches are so small that most vertices are read by other patches.
    let mesh = support::square(20, 0.0);
    let uniform = Slowness::Uniform(1.0);
    let Some([cpu, rounds, queue, _]) = solved(&mesh, 4, &[(210, 0.0)], None, &uniform) else {
        return;
    };
    assert!(difference(&cpu, &rounds) <= 1e-12 && difference(&cpu, &queue) <= 1e-12);
}

#[test]
fn circular_fronts_are_circles_and_repeat_bit_by_bit() {
    let Some(gpu) = support::cuda() else { return };
    let mesh = support::square(60, 0.2);
    let source = 30 * 61 + 30;
    let at = mesh.vertices[source];
    let run = || {
        let uniform = Slowness::Uniform(1.0);
        let mut state = state(&mesh, 64, uniform).with_front(Front::Circular).unwrap();
        state.fix(&[(source as u32, 0.0)]);
        let solver = Gpu { cuda: gpu.clone(), organization: Organization::Queue };
        solver.solve(&mut state, None).unwrap();
        state.u_in_mesh_order()
    };
    let found = run();
    for (u, x) in found.iter().zip(&mesh.vertices) {
        let exact = (x[0] - at[0]).hypot(x[1] - at[1]);
        assert!((u - exact).abs() < 1e-12, "{u} {exact}");
    }
    assert!(found == run());
}
