//! Tests that single precision gives the same results for a mesh far from the origin as for the
//! same mesh at the origin, on the CPU and on a GPU.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::levelset::eikonal::cuda::{Gpu, Organization};
use zeroset::levelset::eikonal::{EikonalSolver, EikonalState, Slowness};
use zeroset::levelset::evolution::Rule;
use zeroset::mesh::Mesh;
use zeroset::patches::{Coordinates, Partition, Patches};

use crate::parity::{Setup, all_terms, ball, first_order};
use crate::support;

/// The translation along each axis. The mesh extends to a distance of about 1 from its center.
const FAR: f64 = 5e6;

/// The largest allowed difference, relative to the diagonal of the bounding box.
const SAME: f64 = 1e-5;

fn meshes() -> Vec<(&'static str, Mesh)> {
    vec![
        ("square", support::square(48, 0.2)),
        ("sphere", support::sphere(4)),
        ("cube", support::cube(12, 0.1)),
    ]
}

fn moved(mesh: &Mesh) -> Mesh {
    let directions = [FAR, -FAR, if mesh.kind.arity() == 3 { 0.0 } else { FAR }];
    let mut moved = mesh.clone();
    moved.lattice = None;
    for x in &mut moved.vertices {
        *x = std::array::from_fn(|k| x[k] + directions[k]);
    }
    moved
}

/// Returns the largest difference between `a` and `b`, relative to the diagonal of the bounding
/// box.
fn apart(mesh: &Mesh, a: &[f64], b: &[f64]) -> f64 {
    let bound = |f: fn(f64, f64) -> f64, start| {
        mesh.vertices.iter().fold([start; 3], |m, x| std::array::from_fn(|k| f(m[k], x[k])))
    };
    let (low, high) = (bound(f64::min, f64::INFINITY), bound(f64::max, f64::NEG_INFINITY));
    let diagonal = (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt();
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |m, (a, b)| {
        let d = (a - b).abs() / diagonal;
        if d.is_nan() { f64::INFINITY } else { m.max(d) }
    })
}

fn arrival_times(solver: &impl EikonalSolver, mesh: &Mesh) -> Vec<f64> {
    let patches = Arc::new(Patches::new(mesh, Partition::Bisection, 64).unwrap());
    let coordinates = Arc::new(Coordinates::new(mesh, &patches));
    let mut state = EikonalState::<f32>::new(patches, coordinates, Slowness::Uniform(1.0));
    state.fix(&[(0, 0.0), (mesh.n_vertices() as u32 / 2, 0.125)]);
    solver.solve(&mut state, None).unwrap();
    state.u_in_mesh_order()
}

fn check_distances(name: &str, solver: &impl EikonalSolver) {
    for (mesh_name, mesh) in meshes() {
        let [here, there] = [&mesh, &moved(&mesh)].map(|mesh| arrival_times(solver, mesh));
        assert!(here.iter().all(|u| u.is_finite()));
        let d = apart(&mesh, &here, &there);
        println!("distances, {mesh_name}, {name}: {d:e}");
        assert!(d < SAME, "{mesh_name}, {name}: {d:e}");
    }
}

/// Compares an evolution at the origin with the same evolution far from it. The evolution has all
/// terms, a band and several reinitializations.
fn check_evolution(name: &str, run: impl Fn(&Setup) -> (Vec<f64>, u64)) {
    for (mesh_name, mesh) in meshes() {
        let center = if mesh_name == "sphere" { [0.0, 0.0, 1.0] } else { [-0.1, 0.05, 0.0] };
        let phi = ball(&mesh, center, 0.6);
        let width = if mesh_name == "cube" { 0.5 } else { 0.25 };
        let at = |mesh: Mesh| Setup {
            mesh,
            phi: phi.clone(),
            terms: all_terms(),
            options: first_order(Some(width)).with_rule(Rule::Every(20)),
            patch_size: 64,
        };
        let far = moved(&mesh);
        let [(here, reinitializations), (there, _)] =
            [mesh.clone(), far].map(|mesh| run(&at(mesh)));
        assert!(reinitializations > 1, "{mesh_name}: phi was not reinitialized after the start");
        let d = apart(&mesh, &here, &there);
        println!("evolution, {mesh_name}, {name}: {d:e}");
        assert!(d < SAME, "{mesh_name}, {name}: {d:e}");
    }
}

/// The number of steps in [`check_evolution`].
const STEPS: u64 = 60;

#[test]
fn distances_on_the_cpu_do_not_depend_on_the_place() {
    check_distances("CPU", &Cpu::new(2).unwrap());
}

#[test]
fn distances_on_a_gpu_do_not_depend_on_the_place() {
    let Some(cuda) = support::cuda() else { return };
    for organization in [Organization::Rounds, Organization::Queue] {
        check_distances("GPU", &Gpu { cuda: cuda.clone(), organization });
    }
}

#[test]
fn steps_on_the_cpu_do_not_depend_on_the_place() {
    check_evolution("CPU", |setup| {
        let reached = setup.on_cpu::<f32>(STEPS);
        (reached.phi, reached.reinitializations)
    });
}

#[test]
fn steps_on_a_gpu_do_not_depend_on_the_place() {
    let Some(cuda) = support::cuda() else { return };
    check_evolution("GPU", |setup| {
        let reached = setup.on_gpu::<f32>(&cuda, STEPS);
        (reached.phi, reached.reinitializations)
    });
}
