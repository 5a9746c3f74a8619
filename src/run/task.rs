//! What every task of a case can do: be checked, be run, be reported.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::Observer;
use super::checkpointing::Stopped;
use super::distance::DistanceTask;
use super::evolve::mesh::EvolveTask;
use super::reconstruct::ReconstructTask;
use super::tiled::TiledCase;
use crate::Cpu;
use crate::config::{Config, Domain};
use crate::error::{Error, Result};
use crate::output::{Report, RunFolder, checkpoint};

/// A task of a case. All of it is done by the threads of the case.
pub(super) trait Task {
    /// Report of a run that has not begun.
    fn report(&self) -> Report;

    /// Finds what can be wrong before the first step, and says what a run would do, a line for each thing.
    ///
    /// # Errors
    /// What [`Task::run`] would fail with before its first step.
    fn check(&self) -> Result<String>;

    /// Does the task, and fills the report on the way.
    ///
    /// # Errors
    /// All kinds of [`Error`].
    fn run(&self, run: Run<'_>, report: &mut Report) -> Result<()>;
}

/// What a case asks for.
///
/// # Errors
/// [`Error::Input`] for a volume that cannot be a coefficient.
pub(super) fn of<'a>(config: &'a Config, cpu: Arc<Cpu>) -> Result<Box<dyn Task + 'a>> {
    Ok(match (&config.domain, &config.distance) {
        (Domain::Mesh(_), Some(distance)) => Box::new(DistanceTask { config, distance, cpu }),
        (Domain::Mesh(_), None) => Box::new(EvolveTask { config, cpu }),
        (Domain::Tiled(source), _) => Box::new(TiledCase::new(config, source, cpu)?),
        (Domain::Cloud(source), _) => Box::new(ReconstructTask { config, source, cpu }),
    })
}

/// A run of a task.
pub(super) struct Run<'a> {
    pub folder: &'a RunFolder,
    /// When this part of the run began.
    pub begun: Instant,
    pub stage: Stages<'a>,
    /// The run that stopped early and goes on, and its state.
    pub stopped: Option<(Stopped, checkpoint::State)>,
}

/// Times the stages of a run; between them it can be interrupted.
pub(super) struct Stages<'a> {
    start: Instant,
    pub observer: &'a dyn Observer,
    pub interrupt: &'a AtomicBool,
}

impl<'a> Stages<'a> {
    pub fn new(observer: &'a dyn Observer, interrupt: &'a AtomicBool) -> Self {
        Stages { start: Instant::now(), observer, interrupt }
    }

    /// Seconds of the stage that ends here; the next one begins.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub fn next(&mut self, name: &str) -> Result<f64> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let seconds = self.start.elapsed().as_secs_f64();
        self.start = Instant::now();
        self.observer.stage(name);
        Ok(seconds)
    }
}
