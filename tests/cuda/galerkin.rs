//! Tests that second-order advection on a GPU matches that on the CPU and is bitwise identical in
//! every run.

use zeroset::levelset::evolution::{Coefficient, Options, Terms};
use zeroset::mesh::Mesh;

use crate::parity::{Setup, ball, stepped};
use crate::support::{self, difference};

fn wind() -> Terms {
    Terms::default().with_velocity(Coefficient::Uniform([0.4, 0.2, 0.1]))
}

fn spin(mesh: &Mesh) -> Terms {
    let of = |x: &[f64; 3]| [-x[1], x[0], 0.2 * x[0] * x[1]];
    Terms::default()
        .with_velocity(Coefficient::PerVertex(mesh.vertices.iter().map(of).collect()))
        .with_normal_speed(Coefficient::Uniform([0.1]))
}

fn setups() -> Vec<(&'static str, Setup)> {
    let start = |mesh: Mesh, terms, options, patch_size| {
        let phi = ball(&mesh, [-0.1, 0.05, 0.0], 0.4);
        Setup { mesh, phi, terms, options, patch_size }
    };
    let square = support::square(48, 0.25);
    let turning = spin(&square);
    let cube = support::cube(12, 0.15);
    let turning_in_space = spin(&cube);
    let large_square = support::square(64, 0.2);
    let turning_on_large = spin(&large_square);
    let large_cube = support::cube(14, 0.15);
    let turning_in_large = spin(&large_cube).with_curvature(Coefficient::Uniform([0.02]));
    let sphere = support::sphere(4);
    let drifting = Setup {
        phi: ball(&sphere, [0.0, 0.0, 1.0], 0.9),
        terms: spin(&sphere),
        options: Options::new(Some(0.3)),
        patch_size: 64,
        mesh: sphere,
    };
    let crumpled = support::crumpled_sphere(4);
    let on_folds = Setup {
        phi: ball(&crumpled, [0.0, 0.0, 1.0], 0.9),
        terms: spin(&crumpled),
        options: Options::new(Some(0.3)),
        patch_size: 64,
        mesh: crumpled,
    };
    vec![
        ("crumpled sphere", on_folds),
        ("square, whole domain", start(support::square(40, 0.0), wind(), Options::new(None), 64)),
        (
            "square, a third of the cells poor",
            start(square, turning, Options::new(Some(0.25)).with_least_quality(0.6), 64),
        ),
        ("sphere", drifting),
        // These patches have more cells than fit in shared memory, and more vertices than a thread
        // block has threads.
        (
            "square, large patches",
            start(large_square, turning_on_large, Options::new(Some(0.3)), 2048),
        ),
        ("cube, large patches", start(large_cube, turning_in_large, Options::new(Some(0.5)), 512)),
        ("cube, whole domain", start(support::cube(10, 0.1), wind(), Options::new(None), 16)),
        (
            "cube, clipped",
            start(cube, turning_in_space, Options::new(Some(0.5)).with_clip(true), 64),
        ),
    ]
}

#[test]
fn one_step_is_that_of_the_cpu() {
    for (name, setup) in setups() {
        let Some([cpu, gpu, again]) = stepped::<f64>(&setup, 1) else { return };
        assert!(gpu == again, "{name}: two runs differ");
        let d = difference(&cpu, &gpu);
        assert!(d <= 1e-12, "{name}, f64: {d:e}");
        let Some([cpu, gpu, again]) = stepped::<f32>(&setup, 1) else { return };
        assert!(gpu == again, "{name}, f32: two runs differ");
        let d = difference(&cpu, &gpu);
        assert!(d <= 4e-6, "{name}, f32: {d:e}");
    }
}

#[test]
fn twenty_steps_are_those_of_the_cpu_next_to_the_interface() {
    for (name, setup) in setups() {
        let near = setup.options.half_width.map_or(f64::INFINITY, |w| 0.5 * w);
        let apart = |cpu: Vec<f64>, gpu: Vec<f64>| {
            let pairs = cpu.into_iter().zip(gpu).filter(|(cpu, _)| cpu.abs() < near);
            let (cpu, gpu): (Vec<f64>, Vec<f64>) = pairs.unzip();
            difference(&cpu, &gpu)
        };
        let Some([cpu, gpu, again]) = stepped::<f64>(&setup, 20) else { return };
        assert!(gpu == again, "{name}: two runs differ");
        let d = apart(cpu, gpu);
        assert!(d <= 1e-10, "{name}, f64: {d:e}");
        let Some([cpu, gpu, again]) = stepped::<f32>(&setup, 20) else { return };
        assert!(gpu == again, "{name}, f32: two runs differ");
        let d = apart(cpu, gpu);
        assert!(d <= 1e-4, "{name}, f32: {d:e}");
    }
}
