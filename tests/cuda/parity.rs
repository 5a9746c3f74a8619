//! Runs the same evolution on the CPU and on the GPU and compares the results.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::gpu::Cuda;
use zeroset::levelset::eikonal::cuda::{Gpu, Organization};
use zeroset::levelset::evolution::cuda::DeviceEvolution;
use zeroset::levelset::evolution::{
    Advection, Coefficient, CurvatureStep, Evolution, NormalMotion, Options, Rule, StepTarget,
    Terms,
};
use zeroset::mesh::Mesh;
use zeroset::patches::{Partition, Patches};

use crate::support;

/// Returns the signed distance to a ball.
pub fn ball(mesh: &Mesh, center: [f64; 3], radius: f64) -> Vec<f64> {
    let of = |x: &[f64; 3]| (0..3).map(|k| (x[k] - center[k]).powi(2)).sum::<f64>().sqrt() - radius;
    mesh.vertices.iter().map(of).collect()
}

/// An evolution: the mesh, the initial phi, the terms, the options and the patch size.
pub struct Setup {
    pub mesh: Mesh,
    pub phi: Vec<f64>,
    pub terms: Terms,
    pub options: Options,
    pub patch_size: usize,
}

/// The state after a number of steps.
pub struct Reached {
    pub phi: Vec<f64>,
    pub time: f64,
    pub reinitializations: u64,
}

impl Setup {
    fn patches(&self) -> Arc<Patches> {
        Arc::new(Patches::new(&self.mesh, Partition::Bisection, self.patch_size).unwrap())
    }

    /// Takes `steps` steps on the CPU with two threads and returns the state.
    pub fn on_cpu<R: Real>(&self, steps: u64) -> Reached {
        let cpu = Arc::new(Cpu::new(2).unwrap());
        let Setup { mesh, phi, terms, options, .. } = self;
        let (patches, options) = (self.patches(), options.clone());
        let mut run = Evolution::<R>::new(cpu, mesh, patches, phi, terms, options).unwrap();
        for _ in 0..steps {
            run.step(f64::INFINITY).unwrap();
        }
        let reinitializations = run.totals().reinitializations;
        Reached { phi: run.phi(), time: run.time(), reinitializations }
    }

    /// Returns the same evolution on a GPU, before its first step.
    pub fn begin_on_gpu<R: Real>(&self, cuda: &Arc<Cuda>) -> DeviceEvolution<R> {
        self.begin_with(&Gpu { cuda: cuda.clone(), organization: Organization::Rounds })
    }

    /// Returns the same evolution with a given schedule of patch updates, before its first step.
    pub fn begin_with<R: Real>(&self, gpu: &Gpu) -> DeviceEvolution<R> {
        let cpu = Arc::new(Cpu::new(2).unwrap());
        let Setup { mesh, phi, terms, options, .. } = self;
        let (patches, options) = (self.patches(), options.clone());
        DeviceEvolution::<R>::new(gpu, cpu, mesh, patches, phi, terms, options).unwrap()
    }

    /// Takes `steps` steps on a GPU and returns the state.
    pub fn on_gpu<R: Real>(&self, cuda: &Arc<Cuda>, steps: u64) -> Reached {
        let mut run = self.begin_on_gpu::<R>(cuda);
        advance(&mut run, steps);
        assert_eq!(run.n_steps(), steps);
        let reinitializations = run.totals().reinitializations;
        Reached { phi: run.phi().unwrap(), time: run.time(), reinitializations }
    }
}

/// Advances an evolution on a GPU by a number of steps.
pub fn advance<R: Real>(run: &mut DeviceEvolution<R>, steps: u64) {
    let mut left = steps;
    while left > 0 {
        let until = StepTarget { clock: 0.0, target: f64::INFINITY, steady: -1.0, steps: left };
        let done = run.advance(&until).unwrap();
        assert!(done.steps > 0);
        left -= done.steps;
    }
}

/// Returns phi after the given number of steps on the CPU, on the GPU, and in a second run on the
/// GPU. Asserts that the numbers of reinitializations and the times agree. Returns `None` if there
/// is no GPU.
pub fn stepped<R: Real>(setup: &Setup, steps: u64) -> Option<[Vec<f64>; 3]> {
    let gpu = support::cuda()?;
    let on_cpu = setup.on_cpu::<R>(steps);
    let on_gpu = || setup.on_gpu::<R>(&gpu, steps);
    let (first, again) = (on_gpu(), on_gpu());
    let apart = (first.time - on_cpu.time).abs();
    assert!(apart <= 1e-5 * on_cpu.time, "{} {}", first.time, on_cpu.time);
    assert_eq!(first.reinitializations, on_cpu.reinitializations);
    Some([on_cpu.phi, first.phi, again.phi])
}

/// Returns wind, motion along the normal and curvature.
pub fn all_terms() -> Terms {
    Terms::default()
        .with_velocity(Coefficient::Uniform([0.4, 0.2, 0.1]))
        .with_normal_speed(Coefficient::Uniform([0.3]))
        .with_curvature(Coefficient::Uniform([0.02]))
}

/// Returns options with the first-order schemes and explicit curvature.
pub fn first_order(half_width: Option<f64>) -> Options {
    Options::new(half_width)
        .with_advection(Advection::PositiveCoefficient)
        .with_curvature_step(CurvatureStep::Explicit)
}

/// Returns evolutions with first-order terms and explicit curvature. Together they cover every kind
/// of mesh and every option of these schemes.
pub fn setups() -> Vec<(&'static str, Setup)> {
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
    // Setups in which rounding could decide between two cases of a formula: wind along edges, and
    // equal values next to obtuse angles.
    let along_edges = |mesh: Mesh| {
        let phi = ball(&mesh, [0.0; 3], 0.4).iter().map(|d| d.clamp(-0.2, 0.25)).collect();
        let terms = all_terms().with_velocity(Coefficient::Uniform([1.0, 0.0, 0.0]));
        Setup { mesh, phi, terms, options: first_order(None), patch_size: 64 }
    };
    vec![
        ("square, wind along edges", along_edges(square(0.0))),
        ("square, cut off", along_edges(square(0.2))),
        ("cube, wind along edges", along_edges(support::cube(12, 0.0))),
        ("cube, cut off", along_edges(support::cube(12, 0.1))),
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
