//! Tests that results on a GPU depend on the patch size only through rounding.

use std::sync::Arc;

use zeroset::geometry::Real;
use zeroset::levelset::eikonal::cuda::{Gpu, Organization};
use zeroset::levelset::eikonal::{EikonalSolver, EikonalState, Slowness};
use zeroset::levelset::evolution::Rule;
use zeroset::mesh::Mesh;
use zeroset::patches::{Coordinates, Partition, Patches};

use crate::parity::{Setup, all_terms, ball, first_order};
use crate::support::{self, difference};

const SIZES: [usize; 4] = [16, 64, 128, 256];

fn meshes() -> [(&'static str, Mesh); 3] {
    [
        ("square", support::square(48, 0.2)),
        ("sphere", support::sphere(4)),
        ("cube", support::cube(12, 0.1)),
    ]
}

/// Returns the largest difference between the values for the first patch size and those for the
/// others.
fn spread(of: impl Fn(usize) -> Vec<f64>) -> f64 {
    let first = of(SIZES[0]);
    SIZES[1..].iter().map(|&size| difference(&first, &of(size))).fold(0.0, f64::max)
}

fn arrival_times<R: Real>(on: &Gpu, mesh: &Mesh, size: usize) -> Vec<f64> {
    let patches = Arc::new(Patches::new(mesh, Partition::Bisection, size).unwrap());
    let coordinates = Arc::new(Coordinates::new(mesh, &patches));
    let mut state = EikonalState::<R>::new(patches, coordinates, Slowness::Uniform(R::one()));
    state.fix(&[(0, 0.0), (mesh.n_vertices() as u32 / 2, 0.125)]);
    on.solve(&mut state, None).unwrap();
    state.u_in_mesh_order()
}

#[test]
fn distances_do_not_depend_on_the_size_of_patches() {
    let Some(cuda) = support::cuda() else { return };
    for organization in [Organization::Rounds, Organization::Queue] {
        let on = Gpu { cuda: cuda.clone(), organization };
        for (name, mesh) in meshes() {
            let d = spread(|size| arrival_times::<f64>(&on, &mesh, size));
            assert!(d <= 1e-12, "{name}, f64: {d:e}");
            let d = spread(|size| arrival_times::<f32>(&on, &mesh, size));
            assert!(d <= 2e-6, "{name}, f32: {d:e}");
        }
    }
}

#[test]
fn steps_do_not_depend_on_the_size_of_patches() {
    let Some(cuda) = support::cuda() else { return };
    for (name, mesh) in meshes() {
        let center = if name == "sphere" { [0.0, 0.0, 1.0] } else { [-0.1, 0.05, 0.0] };
        let phi = ball(&mesh, center, 0.6);
        let width = if name == "cube" { 0.5 } else { 0.25 };
        let after = |steps: u64, size: usize| {
            let setup = Setup {
                mesh: mesh.clone(),
                phi: phi.clone(),
                terms: all_terms(),
                options: first_order(Some(width)).with_rule(Rule::Every(20)),
                patch_size: size,
            };
            let reached = setup.on_gpu::<f64>(&cuda, steps);
            (reached.phi, reached.reinitializations)
        };
        let d = spread(|size| after(1, size).0);
        assert!(d <= 1e-12, "{name}, one step: {d:e}");
        // The band consists of whole patches, so only values near the interface agree.
        let (reference, reinitializations) = after(60, SIZES[0]);
        assert!(reinitializations > 1, "{name}: phi was not reinitialized after the start");
        let near: Vec<bool> = reference.iter().map(|v| v.abs() < 0.5 * width).collect();
        let d = spread(|size| {
            let (phi, times) = after(60, size);
            assert_eq!(times, reinitializations, "{name}, patches of {size}");
            phi.iter().zip(&near).filter(|(_, near)| **near).map(|(v, _)| *v).collect()
        });
        assert!(d <= 1e-10, "{name}, 60 steps: {d:e}");
    }
}
