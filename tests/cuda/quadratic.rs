//! Tests that reinitialization with a quadratic fit gives the same distances on a GPU as on the
//! CPU, and the same evolution.

use zeroset::geometry::Real;
use zeroset::gpu::Cuda;
use zeroset::levelset::eikonal::Fit;
use zeroset::levelset::eikonal::cuda::{Gpu, Organization};
use zeroset::levelset::evolution::cuda::DeviceEvolution;
use zeroset::levelset::evolution::{Coefficient, HALO_EDGES, Options, Terms};
use zeroset::mesh::{Kind, Mesh};

use std::sync::Arc;

use crate::parity::{Reached, Setup, advance};
use crate::support::{self, difference};

/// Returns the mean length of the edges of the cells.
fn mean_edge(mesh: &Mesh) -> f64 {
    let (mut sum, mut n) = (0.0, 0.0);
    for cell in mesh.iter_cells() {
        for (i, &a) in cell.iter().enumerate() {
            for &b in &cell[..i] {
                let [a, b] = [a, b].map(|v| mesh.vertices[v as usize]);
                sum += (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>().sqrt();
                n += 1.0;
            }
        }
    }
    sum / n
}

/// Returns an evolution in a band with a quadratic fit. The slope of phi at the start is not 1, the
/// interface is smooth, and its center lies on no symmetry axis of the mesh.
fn setup(mesh: Mesh, terms: Terms, edges: f64, patch_size: usize) -> Setup {
    let edge = mean_edge(&mesh);
    let up = if mesh.kind == Kind::Surface { 1.0 } else { 0.013 };
    let phi = mesh.vertices.iter().map(|&[x, y, z]| {
        let [x, y, z] = [x - 0.031, y - 0.017, z - up];
        let d = (x * x + 1.3 * y * y + 0.8 * z * z + 0.2 * x * y).sqrt() - 0.55;
        2.0 * d + d * d
    });
    let phi = phi.collect();
    let options = Options::new(Some(edges * edge)).with_fit(Fit::Quadratic, HALO_EDGES * edge);
    Setup { mesh, phi, terms, options, patch_size }
}

fn curvature() -> Terms {
    Terms::default().with_curvature(Coefficient::Uniform([0.05]))
}

fn velocity() -> Terms {
    Terms::default().with_velocity(Coefficient::Uniform([0.8, 0.4, 0.1]))
}

fn normal_speed() -> Terms {
    Terms::default().with_normal_speed(Coefficient::Uniform([0.6]))
}

/// A flow toward the line x = 0.031. It steepens phi, so that the slope drifts.
fn toward_a_line(mesh: &Mesh) -> Terms {
    let of = |x: &[f64; 3]| [0.031 - x[0], 0.0, 0.0];
    let rows = mesh.vertices.iter().map(of).collect();
    Terms::default().with_velocity(Coefficient::PerVertex(rows))
}

/// Returns the largest difference where `|phi|` on the CPU is below a part of the half width
/// without its margin, relative to the half width, and the mean difference over all vertices.
fn differences(setup: &Setup, cpu: &Reached, gpu: &Reached, part: f64) -> (f64, f64) {
    let w = setup.options.half_width.unwrap();
    let apart = |(a, b): (&f64, &f64)| (a - b).abs() / w;
    let pairs = || cpu.phi.iter().zip(&gpu.phi);
    let near = pairs().filter(|(a, _)| a.abs() < part * w).map(apart).fold(0.0, f64::max);
    (near, pairs().map(apart).sum::<f64>() / cpu.phi.len() as f64)
}

/// Compares the state after `steps` steps, in f64 or f32, and the bits of two runs on the GPU.
fn compare<R: Real>(cuda: &Arc<Cuda>, name: &str, setup: &Setup, steps: u64, most: f64) -> Reached {
    let cpu = setup.on_cpu::<R>(steps);
    let [gpu, again] = [(); 2].map(|()| setup.on_gpu::<R>(cuda, steps));
    assert!(gpu.phi == again.phi, "{name}, {}: two runs differ", R::NAME);
    assert_eq!(gpu.reinitializations, cpu.reinitializations, "{name}, {}", R::NAME);
    let (near, mean) = differences(setup, &cpu, &gpu, 0.9);
    assert!(near <= most, "{name}, {}, {steps} steps: {near:e}", R::NAME);
    assert!(mean <= most, "{name}, {}, {steps} steps: a mean of {mean:e}", R::NAME);
    gpu
}

fn meshes() -> Vec<(&'static str, Mesh)> {
    vec![
        ("irregular square", support::square(32, 0.25)),
        ("sphere", support::sphere(3)),
        ("irregular cube", support::cube(12, 0.05)),
    ]
}

/// A short test for compute-sanitizer and for the emulated GPU.
#[test]
fn a_short_run_with_a_quadratic_fit() {
    let Some(cuda) = support::cuda() else { return };
    for (name, mesh) in [("square", support::square(16, 0.25)), ("cube", support::cube(6, 0.15))] {
        let setup = setup(mesh, curvature(), 2.0, 32);
        compare::<f64>(&cuda, name, &setup, 0, 1e-9);
        compare::<f32>(&cuda, name, &setup, 3, 1e-4);
    }
}

/// Returns a square whose triangles have angles of up to about 150 degrees. There, a face may
/// depend on later vertices.
fn sheared_square() -> Mesh {
    let mut mesh = support::square(32, 0.1);
    mesh.vertices.iter_mut().for_each(|x| x[0] += 1.5 * x[1]);
    mesh
}

#[test]
fn distances_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    for (name, mesh) in meshes().into_iter().chain([("sheared square", sheared_square())]) {
        for patch_size in [16, 64] {
            let setup = setup(mesh.clone(), curvature(), 4.0, patch_size);
            compare::<f64>(&cuda, name, &setup, 0, 1e-9);
            compare::<f32>(&cuda, name, &setup, 0, 1e-4);
        }
    }
}

#[test]
fn evolutions_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    for (name, mesh) in meshes() {
        for (what, terms, edges, steps) in [
            ("curvature", curvature(), 2.0, 80),
            ("velocity", velocity(), 4.0, 40),
            ("normal speed", normal_speed(), 4.0, 40),
        ] {
            let setup = setup(mesh.clone(), terms, edges, 64);
            let reached = compare::<f64>(&cuda, &format!("{name}, {what}"), &setup, steps, 1e-7);
            assert!(reached.reinitializations > 1, "{name}, {what}: phi was not reinitialized");
        }
    }
}

/// A flow that steepens phi without moving the interface far.
#[test]
fn a_slope_that_has_drifted_is_restored_as_on_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    let mesh = support::square(32, 0.25);
    let mut setup = setup(mesh, Terms::default(), 5.0, 64);
    setup.terms = toward_a_line(&setup.mesh);
    setup.phi = setup.mesh.vertices.iter().map(|x| x[0] - 0.031).collect();
    let reached = compare::<f64>(&cuda, "toward a line", &setup, 40, 1e-7);
    assert!(reached.reinitializations > 1);
}

/// If only a velocity acts, reinitialization keeps phi next to the interface.
#[test]
fn phi_next_to_the_interface_is_kept() {
    let Some(cuda) = support::cuda() else { return };
    let setup = setup(support::square(32, 0.25), velocity(), 4.0, 64);
    let mut run = setup.begin_on_gpu::<f64>(&cuda);
    let w = setup.options.half_width.unwrap();
    let count = |run: &DeviceEvolution<f64>| run.totals().reinitializations;
    let before = count(&run);
    let mut phi = run.phi().unwrap();
    while count(&run) == before {
        phi = run.phi().unwrap();
        advance(&mut run, 1);
    }
    // The step moves phi by at most the longest velocity times its length.
    let after = run.phi().unwrap();
    let near = phi.iter().zip(&after).filter(|(a, _)| a.abs() < 0.3 * w);
    let moved = near.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(moved > 0.0 && moved < 0.2 * w, "{moved}");
    // All values are computed again on request, so the interface moves a little.
    run.reinitialize().unwrap();
    let again = run.phi().unwrap();
    assert!(difference(&after, &again) > 1e-12);
}

/// The solve without rounds is not reproducible, but its distances agree up to rounding.
#[test]
fn a_queue_gives_the_same_distances() {
    let Some(cuda) = support::cuda() else { return };
    for (name, mesh) in meshes() {
        let setup = setup(mesh, curvature(), 4.0, 64);
        let rounds = setup.on_gpu::<f64>(&cuda, 0);
        let gpu = Gpu { cuda: cuda.clone(), organization: Organization::Queue };
        let queue = setup.begin_with::<f64>(&gpu);
        let queue = Reached { phi: queue.phi().unwrap(), time: 0.0, reinitializations: 1 };
        let (near, _) = differences(&setup, &rounds, &queue, 0.9);
        assert!(near <= 1e-9, "{name}: {near:e}");
    }
}
