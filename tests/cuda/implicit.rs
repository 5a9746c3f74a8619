//! Tests that semi-implicit curvature on a GPU matches that on the CPU within the tolerance of its
//! solver, and is bitwise identical in every run.

use zeroset::levelset::evolution::{Coefficient, CurvatureStep, Options, Terms};
use zeroset::mesh::Mesh;

use crate::parity::{Setup, ball, stepped};
use crate::support::{self, difference};

fn options(half_width: Option<f64>) -> Options {
    Options::new(half_width).with_curvature_step(CurvatureStep::Implicit).with_cfl(20.0)
}

fn curvature() -> Terms {
    Terms::default().with_curvature(Coefficient::Uniform([0.1]))
}

/// Returns a curvature coefficient that is 0 in part of the mesh.
fn varied(mesh: &Mesh) -> Coefficient<1> {
    let of = |x: &[f64; 3]| [0.1 * (0.2 + x[0]).max(0.0)];
    Coefficient::PerVertex(mesh.vertices.iter().map(of).collect())
}

fn setups() -> Vec<(&'static str, Setup)> {
    let start = |mesh: Mesh, terms, options, patch_size| {
        let phi = ball(&mesh, [-0.1, 0.05, 0.0], 0.5);
        Setup { mesh, phi, terms, options, patch_size }
    };
    let square = support::square(48, 0.2);
    let with_rows = Terms::default()
        .with_velocity(Coefficient::Uniform([0.2, 0.1, 0.0]))
        .with_curvature(varied(&square));
    let sphere = support::sphere(4);
    let weighted = Setup {
        phi: ball(&sphere, [0.0, 0.0, 1.0], 0.9),
        terms: Terms::default().with_weight(varied(&sphere)),
        options: options(Some(0.3)),
        patch_size: 64,
        mesh: sphere,
    };
    vec![
        ("square, whole domain", start(support::square(40, 0.2), curvature(), options(None), 64)),
        ("square, advected, varied", start(square, with_rows, options(Some(0.3)), 32)),
        ("sphere, weighted", weighted),
        (
            "square, extrapolated",
            start(
                support::square(40, 0.2),
                curvature(),
                options(Some(0.3)).with_curvature_step(CurvatureStep::Extrapolated),
                64,
            ),
        ),
        ("cube, whole domain", start(support::cube(10, 0.1), curvature(), options(None), 64)),
        ("cube, band", start(support::cube(12, 0.15), curvature(), options(Some(0.5)), 16)),
    ]
}

/// Compares steps in both precisions. `double` and `single` bound the differences near the
/// interface.
fn compare(steps: u64, double: f64, single: f64) {
    for (name, setup) in setups() {
        let near = setup.options.half_width.map_or(f64::INFINITY, |w| 0.5 * w);
        let apart = |cpu: Vec<f64>, gpu: Vec<f64>| {
            let pairs = cpu.into_iter().zip(gpu).filter(|(cpu, _)| cpu.abs() < near);
            let (cpu, gpu): (Vec<f64>, Vec<f64>) = pairs.unzip();
            difference(&cpu, &gpu)
        };
        let Some([cpu, gpu, again]) = stepped::<f64>(&setup, steps) else { return };
        assert!(gpu == again, "{name}: two runs differ");
        let d = apart(cpu, gpu);
        assert!(d <= double, "{name}, f64: {d:e}");
        let Some([cpu, gpu, again]) = stepped::<f32>(&setup, steps) else { return };
        assert!(gpu == again, "{name}, f32: two runs differ");
        let d = apart(cpu, gpu);
        assert!(d <= single, "{name}, f32: {d:e}");
    }
}

#[test]
fn one_step_is_that_of_the_cpu() {
    compare(1, 1e-8, 1e-5);
}

#[test]
fn ten_steps_are_those_of_the_cpu() {
    compare(10, 1e-7, 1e-4);
}
