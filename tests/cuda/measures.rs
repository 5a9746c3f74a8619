//! Tests that measures computed on a GPU match those computed on the CPU and are bitwise identical
//! in every run.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::gpu::Cuda;
use zeroset::levelset::eikonal::cuda::{Gpu, Organization};
use zeroset::levelset::evolution::cuda::DeviceEvolution;
use zeroset::levelset::evolution::{Coefficient, Options, StepTarget, Terms};
use zeroset::mesh::Mesh;
use zeroset::patches::cuda::DevicePatches;
use zeroset::patches::{Coordinates, Partition, Patches};
use zeroset::surface::{DeviceMeasurer, Measurer, Measures};

use crate::support;

/// Returns functions of several kinds. Their insides have several components, holes, cavities or
/// tiny components, fill the mesh completely, or are empty.
fn functions(mesh: &Mesh) -> Vec<Vec<f64>> {
    let of = |f: &dyn Fn(&[f64; 3]) -> f64| mesh.vertices.iter().map(f).collect::<Vec<f64>>();
    let radius = |x: &[f64; 3]| x[0].hypot(x[1]).hypot(x[2]);
    // A multiplicative hash gives scattered values that are the same in every run.
    let scattered = |v: usize| (v as u32).wrapping_mul(2_654_435_761) >> 24;
    let noise =
        |limit: f64| (0..mesh.n_vertices()).map(|v| f64::from(scattered(v)) - limit).collect();
    vec![
        of(&|x| radius(x) - 0.7),
        of(&|x| (radius(x) - 0.6).abs() - 0.2),
        of(&|x| 0.4 - x[0].abs()),
        of(&|x| (9.0 * x[0]).sin() * (7.0 * x[1]).cos() + 0.1 * x[2]),
        noise(10.5),
        noise(128.0),
        of(&|_| -1.0),
        of(&|_| 1.0),
    ]
}

fn check(found: &Measures, expected: &Measures, tolerance: f64, what: &str) {
    let near = |a: f64, b: f64| (a - b).abs() <= tolerance * b.abs();
    assert!(
        near(found.interface, expected.interface)
            && near(found.enclosed, expected.enclosed)
            && found.components == expected.components
            && found.euler_number == expected.euler_number
            && (found.phi_min, found.phi_max) == (expected.phi_min, expected.phi_max),
        "{what}: {found:?} for {expected:?}"
    );
}

fn on_gpu<R: Real>(gpu: &Arc<Cuda>, mesh: &Mesh, patches: &Patches) -> DeviceMeasurer<R> {
    let coordinates = Coordinates::<R>::new(mesh, patches);
    let on_gpu = DevicePatches::new(gpu.clone(), patches, &coordinates).unwrap();
    DeviceMeasurer::new(Arc::new(on_gpu), patches).unwrap()
}

fn compare<R: Real>(tolerance: f64) {
    let Some(gpu) = support::cuda() else { return };
    let meshes = [
        ("square", support::square(70, 0.2)),
        ("sphere", support::sphere(5)),
        ("cube", support::cube(16, 0.1)),
    ];
    for (name, mesh) in &meshes {
        let measurer = Measurer::new(mesh);
        for patch_size in [16, 64, 256] {
            let patches = Patches::new(mesh, Partition::Bisection, patch_size).unwrap();
            let mut on_gpu = on_gpu::<R>(&gpu, mesh, &patches);
            for (k, phi) in functions(mesh).into_iter().enumerate() {
                let phi: Vec<R> = phi.into_iter().map(R::of).collect();
                let wide: Vec<f64> = phi.iter().map(|v| v.to_f64()).collect();
                let expected = measurer.measure(mesh, &wide);
                let ordered = patches.to_patch_order(&phi, |v| v);
                let what = format!("function {k} on {name}, patches of {patch_size}");
                // phi is in the second of the two buffers.
                let both = gpu.upload(&[vec![R::zero(); phi.len()], ordered].concat()).unwrap();
                let found = on_gpu.measure(&both, phi.len()).unwrap();
                check(&found, &expected, tolerance, &what);
                for _ in 0..3 {
                    assert_eq!(on_gpu.measure(&both, phi.len()).unwrap(), found, "{what}");
                }
            }
        }
    }
}

#[test]
fn measures_are_those_of_the_cpu_in_f64() {
    compare::<f64>(1e-12);
}

#[test]
fn measures_are_those_of_the_cpu_in_f32() {
    compare::<f32>(2e-6);
}

#[test]
fn an_evolution_measures_the_phi_it_has_now() {
    let Some(gpu) = support::cuda() else { return };
    let mesh = support::square(60, 0.2);
    let measurer = Measurer::new(&mesh);
    let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, 64).unwrap());
    let phi: Vec<f64> = mesh.vertices.iter().map(|x| x[0].hypot(x[1]) - 0.4).collect();
    let terms = Terms::default().with_normal_speed(Coefficient::Uniform([1.0]));
    let mut evolution = DeviceEvolution::<f64>::new(
        &Gpu { cuda: gpu, organization: Organization::Rounds },
        Arc::new(Cpu::new(2).unwrap()),
        &mesh,
        patches,
        &phi,
        &terms,
        Options::new(Some(0.3)),
    )
    .unwrap();
    let mut before = 0.0;
    // Odd and even numbers of steps use different buffers.
    for _ in 0..4 {
        let found = evolution.measures().unwrap();
        check(&found, &measurer.measure(&mesh, &evolution.phi().unwrap()), 1e-12, "evolution");
        assert!(found.enclosed > before, "the inside must grow");
        before = found.enclosed;
        let until = StepTarget { clock: 0.0, target: f64::INFINITY, steady: -1.0, steps: 1 };
        assert_eq!(evolution.advance(&until).unwrap().steps, 1);
    }
}
