//! Evolutions for the benches: builds one on either device from a mesh, with the terms and the
//! published schemes, and times a number of steps or reinitializations.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::geometry::Real;
use zeroset::levelset::eikonal::cuda::Gpu;
use zeroset::levelset::evolution::cuda::DeviceEvolution;
use zeroset::levelset::evolution::{
    Advance, Advection, Coefficient, CurvatureStep, Evolution, Options, Rule, StepTarget, Terms,
    Totals,
};
use zeroset::mesh::Kind;
use zeroset::patches::Patches;

use crate::Failed;
use crate::meshes::Made;

/// An evolution on the CPU or on a GPU.
pub trait Moving {
    fn advance(&mut self, until: &StepTarget) -> Result<Advance, zeroset::Error>;
    fn n_steps(&self) -> u64;
    fn totals(&self) -> Totals;
}

impl<R: Real> Moving for Evolution<R> {
    fn advance(&mut self, until: &StepTarget) -> Result<Advance, zeroset::Error> {
        Evolution::advance(self, until)
    }

    fn n_steps(&self) -> u64 {
        Evolution::n_steps(self)
    }

    fn totals(&self) -> Totals {
        Evolution::totals(self)
    }
}

impl<R: Real> Moving for DeviceEvolution<R> {
    fn advance(&mut self, until: &StepTarget) -> Result<Advance, zeroset::Error> {
        DeviceEvolution::advance(self, until)
    }

    fn n_steps(&self) -> u64 {
        DeviceEvolution::n_steps(self)
    }

    fn totals(&self) -> Totals {
        DeviceEvolution::totals(self)
    }
}

/// The time of several steps and of the reinitializations between them, in seconds.
#[derive(Clone, Copy)]
pub struct Took {
    pub reinitialize: f64,
    pub evolve: f64,
    pub steps: u64,
    pub reinitializations: u64,
}

impl Took {
    pub fn total(&self) -> f64 {
        self.reinitialize + self.evolve
    }

    pub fn per_step(&self) -> f64 {
        self.evolve / self.steps as f64
    }
}

/// Advances until `steps` returns 0. `steps` receives the times so far and returns the number of
/// steps to take next.
fn follow(moving: &mut impl Moving, mut steps: impl FnMut(&Took) -> u64) -> Result<Took, Failed> {
    let (before, first) = (moving.totals(), moving.n_steps());
    loop {
        let after = moving.totals();
        let took = Took {
            reinitialize: after.reinitialize_seconds - before.reinitialize_seconds,
            evolve: after.evolve_seconds - before.evolve_seconds,
            steps: moving.n_steps() - first,
            reinitializations: after.reinitializations - before.reinitializations,
        };
        let steps = steps(&took);
        if steps == 0 {
            return Ok(took);
        }
        let until = StepTarget { clock: 0.0, target: f64::INFINITY, steady: -1.0, steps };
        if moving.advance(&until)?.steps == 0 {
            return Err("the interface has vanished".into());
        }
    }
}

/// Takes `steps` steps.
pub fn step(moving: &mut impl Moving, steps: u64) -> Result<Took, Failed> {
    follow(moving, |took| steps - took.steps)
}

/// Takes steps, eight at a time, until phi has been reinitialized at least `times` times.
pub fn reinitialize(moving: &mut impl Moving, times: u64) -> Result<Took, Failed> {
    follow(moving, |took| u64::from(took.reinitializations < times) * 8)
}

/// Returns the value whose key is the median of the three keys.
pub fn median<T: Copy>(mut of: [T; 3], key: impl Fn(&T) -> f64) -> T {
    of.sort_by(|a, b| key(a).total_cmp(&key(b)));
    of[1]
}

/// Returns all three terms with nonzero coefficients. On surfaces, a negligible wind keeps the
/// velocity term active.
pub fn all_terms(kind: Kind) -> Terms {
    let on_surface = kind == Kind::Surface;
    let wind = if on_surface { [1e-9, 0.0, 0.0] } else { [1.0, 0.0, 0.0] };
    Terms::default()
        .with_velocity(Coefficient::Uniform(wind))
        .with_normal_speed(Coefficient::Uniform([1e-3]))
        .with_curvature(Coefficient::Uniform([if on_surface { 1.0 } else { 1e-3 }]))
}

/// Returns the published schemes and, for a band of this half width, the published reinitialization
/// rule. `None` means the whole domain, which is never reinitialized.
pub fn published(half_width: Option<f64>) -> Options {
    let rule = if half_width.is_some() { Rule::Published } else { Rule::Never };
    Options::new(half_width)
        .with_rule(rule)
        .with_advection(Advection::PositiveCoefficient)
        .with_curvature_step(CurvatureStep::Explicit)
}

/// A mesh divided into patches. `width` is the half width of the band in mean edge lengths, or
/// `None` for the whole domain.
pub struct Case<'a> {
    pub made: &'a Made,
    pub patches: Arc<Patches>,
    pub width: Option<f64>,
}

impl Case<'_> {
    fn options(&self) -> Options {
        published(self.width.map(|width| width * self.made.edge))
    }

    pub fn on_gpu<R: Real>(&self, gpu: &Gpu, cpu: &Arc<Cpu>) -> Result<DeviceEvolution<R>, Failed> {
        let (mesh, patches) = (self.made.mesh(), self.patches.clone());
        let (terms, options) = (all_terms(mesh.kind), self.options());
        let phi = &self.made.phi;
        Ok(DeviceEvolution::new(gpu, cpu.clone(), mesh, patches, phi, &terms, options)?)
    }

    pub fn on_cpu<R: Real>(&self, cpu: &Arc<Cpu>) -> Result<Evolution<R>, Failed> {
        let (mesh, patches) = (self.made.mesh(), self.patches.clone());
        let (terms, options) = (all_terms(mesh.kind), self.options());
        Ok(Evolution::new(cpu.clone(), mesh, patches, &self.made.phi, &terms, options)?)
    }
}
