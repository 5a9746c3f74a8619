//! Steps on a GPU: the values of the CPU, and the same bits in every run.

use std::sync::Arc;

use zeroset::backend::Cpu;
use zeroset::geometry::Real;
use zeroset::levelset::eikonal::cuda::{OnCard, Organization};
use zeroset::levelset::evolution::cuda::DeviceEvolution;
use zeroset::levelset::evolution::{
    Advection, Coefficient, CurvatureStep, Evolution, NormalMotion, Options, Rule, Stretch, Terms,
};
use zeroset::mesh::Mesh;
use zeroset::patches::{Partition, Patches};

use crate::support::{self, difference};

/// Signed distance of a ball.
pub fn ball(mesh: &Mesh, center: [f64; 3], radius: f64) -> Vec<f64> {
    let of = |x: &[f64; 3]| (0..3).map(|k| (x[k] - center[k]).powi(2)).sum::<f64>().sqrt() - radius;
    mesh.vertices.iter().map(of).collect()
}

/// What moves, on which mesh.
pub struct Setup {
    pub mesh: Mesh,
    pub phi: Vec<f64>,
    pub terms: Terms,
    pub options: Options,
    pub patch_size: usize,
}

/// phi of the CPU and of the card after some steps, and of the card once more.
pub fn stepped<R: Real>(setup: &Setup, steps: u64) -> Option<[Vec<f64>; 3]> {
    let card = support::cuda()?;
    let Setup { mesh, phi, terms, options, patch_size } = setup;
    let cpu = Arc::new(Cpu::new(2).unwrap());
    let patches = Arc::new(Patches::new(mesh, Partition::Bisection, *patch_size).unwrap());
    let mut on_cpu =
        Evolution::<R>::new(cpu.clone(), mesh, patches.clone(), phi, terms, options.clone())
            .unwrap();
    for _ in 0..steps {
        on_cpu.step(f64::INFINITY).unwrap();
    }
    let on_card = || {
        let mut evolution = DeviceEvolution::<R>::new(
            &OnCard { cuda: card.clone(), organization: Organization::Rounds },
            cpu.clone(),
            mesh,
            patches.clone(),
            phi,
            terms,
            options.clone(),
        )
        .unwrap();
        let mut left = steps;
        while left > 0 {
            let stretch = Stretch { clock: 0.0, target: f64::INFINITY, steady: -1.0, steps: left };
            let done = evolution.advance(&stretch).unwrap();
            assert!(done.steps > 0);
            left -= done.steps;
        }
        assert_eq!(evolution.n_steps(), on_cpu.n_steps());
        let apart = (evolution.time() - on_cpu.time()).abs();
        assert!(apart <= 1e-5 * on_cpu.time(), "{} {}", evolution.time(), on_cpu.time());
        let (found, expected) = (evolution.totals(), on_cpu.totals());
        assert_eq!(found.reinitializations, expected.reinitializations);
        evolution.phi().unwrap()
    };
    Some([on_cpu.phi(), on_card(), on_card()])
}

fn all_terms() -> Terms {
    Terms::default()
        .with_velocity(Coefficient::Uniform([0.4, 0.2, 0.1]))
        .with_normal_speed(Coefficient::Uniform([0.3]))
        .with_curvature(Coefficient::Uniform([0.02]))
}

fn first_order(half_width: Option<f64>) -> Options {
    Options::new(half_width)
        .with_advection(Advection::PositiveCoefficient)
        .with_curvature_step(CurvatureStep::Explicit)
}

fn setups() -> Vec<(&'static str, Setup)> {
    let square = |jitter| support::square(48, jitter);
    let start = |mesh: Mesh, terms, options, patch_size| {
        let phi = ball(&mesh, [-0.1, 0.05, 0.0], 0.4);
        Setup { mesh, phi, terms, options, patch_size }
    };
    let on_sphere = |terms, options| {
        let mesh = support::sphere(4);
        let phi = ball(&mesh, [0.0, 0.0, 1.0], 0.9);
        Setup { mesh, phi, terms, options, patch_size: 64 }
    };
    let rows = |mesh: &Mesh, of: fn(&[f64; 3]) -> f64| {
        Coefficient::PerVertex(mesh.vertices.iter().map(|x| [of(x)]).collect())
    };
    let varied = square(0.2);
    let wind = Coefficient::PerVertex(varied.vertices.iter().map(|x| [-x[1], x[0], 0.0]).collect());
    let in_space = Terms::default()
        .with_velocity(wind)
        .with_normal_speed(rows(&varied, |x| 0.2 + 0.1 * x[0]))
        .with_curvature(rows(&varied, |x| 0.02 * (1.0 + x[1])));
    vec![
        ("square, whole domain", start(square(0.0), all_terms(), first_order(None), 64)),
        ("square, band", start(square(0.2), all_terms(), first_order(Some(0.25)), 64)),
        (
            "square, published rule",
            start(square(0.2), all_terms(), first_order(Some(0.25)).with_rule(Rule::Published), 32),
        ),
        (
            "square, every third",
            start(square(0.1), all_terms(), first_order(Some(0.25)).with_rule(Rule::Every(3)), 64),
        ),
        ("square, varied in space", start(varied, in_space, first_order(Some(0.25)), 64)),
        (
            "square, cone and Hopf-Lax, clipped",
            start(
                square(0.2),
                all_terms(),
                first_order(Some(0.25))
                    .with_advection(Advection::Cone)
                    .with_normal_motion(NormalMotion::HopfLax)
                    .with_clip(true),
                64,
            ),
        ),
        (
            "square, one pass",
            start(square(0.2), all_terms(), first_order(Some(0.25)).with_one_pass(true), 64),
        ),
        ("sphere, band", on_sphere(all_terms(), first_order(Some(0.3)))),
        (
            "sphere, weighted",
            on_sphere(
                Terms::default().with_weight(rows(&support::sphere(4), |x| 0.1 + 0.05 * x[0])),
                first_order(Some(0.3)),
            ),
        ),
        ("cube, band", start(support::cube(12, 0.1), all_terms(), first_order(Some(0.5)), 64)),
        (
            "cube, small patches, Hopf-Lax",
            start(
                support::cube(10, 0.1),
                all_terms(),
                first_order(Some(0.5)).with_normal_motion(NormalMotion::HopfLax),
                8,
            ),
        ),
    ]
}

#[test]
fn one_step_is_that_of_the_cpu() {
    for (name, setup) in setups() {
        let Some([cpu, card, again]) = stepped::<f64>(&setup, 1) else { return };
        assert!(card == again, "{name}: two runs differ");
        let d = difference(&cpu, &card);
        assert!(d <= 1e-12, "{name}, f64: {d:e}");
        let Some([cpu, card, _]) = stepped::<f32>(&setup, 1) else { return };
        let d = difference(&cpu, &card);
        assert!(d <= 4e-6, "{name}, f32: {d:e}");
    }
}

#[test]
fn a_hundred_steps_are_those_of_the_cpu_next_to_the_interface() {
    for (name, setup) in setups() {
        let Some([cpu, card, again]) = stepped::<f64>(&setup, 100) else { return };
        assert!(card == again, "{name}: two runs differ");
        let near = setup.options.half_width.map_or(f64::INFINITY, |w| 0.5 * w);
        let (cpu, card): (Vec<f64>, Vec<f64>) =
            cpu.into_iter().zip(card).filter(|(cpu, _)| cpu.abs() < near).unzip();
        let d = difference(&cpu, &card);
        assert!(d <= 1e-10, "{name}, f64: {d:e}");
    }
}
