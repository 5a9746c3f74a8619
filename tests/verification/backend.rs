//! The solvers of the backends behind one face each: fronts, and motion.
//!
//! `ZEROSET_BACKENDS=cuda` (or `cpu,cuda`) says where cases run; a backend that is asked for and
//! missing fails them.

use std::sync::Arc;

use zeroset::Cpu;
use zeroset::error::Result;
use zeroset::geometry::Real;
use zeroset::levelset::eikonal::{EikonalSolver, EikonalState, Stats};
use zeroset::levelset::evolution::{Evolution, Options, Terms};

use crate::domains::Domain;
pub use crate::gpu::description;
use crate::gpu::{self, Gpu};
pub use zeroset_testing::backends::{Backend, backends};

/// Where fronts run.
pub enum Solver {
    /// On one thread.
    Cpu(Cpu),
    /// On the GPU of this thread.
    Gpu(Gpu),
}

impl Solver {
    /// That of a backend.
    pub fn of(backend: Backend) -> Self {
        match backend {
            Backend::Cpu => Solver::Cpu(one_thread()),
            Backend::Cuda => Solver::Gpu(gpu::of_this_thread()),
        }
    }
}

impl EikonalSolver for Solver {
    fn solve<R: Real>(&self, state: &mut EikonalState<R>, width: Option<R>) -> Result<Stats> {
        match self {
            Solver::Cpu(cpu) => cpu.solve(state, width),
            Solver::Gpu(gpu) => gpu.solve(state, width),
        }
    }
}

/// A level-set function in motion, on either backend.
pub trait Moving {
    /// One step, however long.
    fn step(&mut self);
    /// Steps to a time, or until the interface is gone, but at most so many.
    fn run_to(&mut self, end: f64, most: u64);
    /// phi in mesh order.
    fn phi(&self) -> Vec<f64>;
    /// Time reached.
    fn time(&self) -> f64;
    /// Steps taken.
    fn n_steps(&self) -> u64;
    /// Reinitializations, that at the start included.
    fn reinitializations(&self) -> u64;
}

impl<R: Real> Moving for Evolution<R> {
    fn step(&mut self) {
        self.step(f64::INFINITY).unwrap();
    }

    fn run_to(&mut self, end: f64, most: u64) {
        while self.time() < end && !self.is_gone() && self.n_steps() < most {
            self.step(end - self.time()).unwrap();
        }
    }

    fn phi(&self) -> Vec<f64> {
        self.phi()
    }

    fn time(&self) -> f64 {
        self.time()
    }

    fn n_steps(&self) -> u64 {
        self.n_steps()
    }

    fn reinitializations(&self) -> u64 {
        self.totals().reinitializations
    }
}

/// Does `work` with a level-set function that is about to move on the backend of the domain.
pub fn with_motion<R: Real, T: Send>(
    domain: &Domain,
    phi: &[f64],
    terms: &Terms,
    options: Options,
    work: impl FnOnce(&mut dyn Moving) -> T + Send,
) -> T {
    // One thread: cases run side by side, and results do not depend on it.
    let cpu = Arc::new(one_thread());
    let patches = domain.patches.clone();
    match domain.backend {
        Backend::Cpu => cpu.clone().run(|| {
            let mesh = &domain.solved;
            work(&mut Evolution::<R>::new(cpu, mesh, patches, phi, terms, options).unwrap())
        }),
        Backend::Cuda => work(&mut gpu::evolution::<R>(domain, cpu, phi, terms, options)),
    }
}

fn one_thread() -> Cpu {
    Cpu::new(1).unwrap()
}
