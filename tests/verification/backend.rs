//! A common interface to the solvers of both backends, for distances and for motion.
//!
//! `ZEROSET_BACKENDS=cuda` (or `cpu,cuda`) selects where the cases run. The cases fail if a
//! selected backend is missing.

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

/// A distance solver.
pub enum Solver {
    /// The CPU, on one thread.
    Cpu(Cpu),
    /// The GPU that this thread uses.
    Gpu(Gpu),
}

impl Solver {
    /// Returns the solver of a backend.
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

/// A moving level-set function on either backend.
pub trait Moving {
    /// Takes one step, which no end time shortens.
    fn step(&mut self);
    /// Advances until `end`, until the interface vanishes, or until `most` steps have been taken.
    fn run_to(&mut self, end: f64, most: u64);
    /// Returns phi in mesh order.
    fn phi(&self) -> Vec<f64>;
    /// Returns the time reached.
    fn time(&self) -> f64;
    /// Returns the number of steps taken.
    fn n_steps(&self) -> u64;
    /// Returns the number of reinitializations, including the one at the start.
    fn reinitializations(&self) -> u64;
}

impl<R: Real> Moving for Evolution<R> {
    fn step(&mut self) {
        self.step(f64::INFINITY).unwrap();
    }

    fn run_to(&mut self, end: f64, most: u64) {
        while self.time() < end && !self.is_extinct() && self.n_steps() < most {
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

/// Creates a level-set function on the backend of the domain and passes it to `work`.
pub fn with_motion<R: Real, T: Send>(
    domain: &Domain,
    phi: &[f64],
    terms: &Terms,
    options: Options,
    work: impl FnOnce(&mut dyn Moving) -> T + Send,
) -> T {
    // One thread is enough, because cases run in parallel and results do not depend on the number
    // of threads.
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
