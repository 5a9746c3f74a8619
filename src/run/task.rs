//! The common interface of all tasks of a case: check, run and report.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use serde::Serialize;

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

/// A task of a case. All its work runs on the threads of the case's thread pool.
pub(super) trait Task {
    /// Returns the report of a run that has not yet begun.
    fn report(&self) -> Report;

    /// Checks everything that can be wrong before the first step, and describes the run with one
    /// line per item.
    ///
    /// # Errors
    /// Returns the errors that [`Task::run`] would return before its first step: all of them,
    /// except those from checks that depend on a failed check.
    fn check(&self) -> Result<String, Vec<Error>>;

    /// Performs the task and fills in the report.
    ///
    /// # Errors
    /// Returns any kind of [`Error`].
    fn run(&self, run: Run<'_>, report: &mut Report) -> Result<()>;

    /// Performs a part of the task, for an estimate of its resources. A task with steps runs until
    /// its flag stops it. Another task chooses a part that takes about `seconds` seconds, or
    /// performs the whole task if that is not longer, and returns the size of the part.
    ///
    /// # Errors
    /// Returns the errors of [`Task::run`].
    fn sample(&self, run: Run<'_>, report: &mut Report, _seconds: f64) -> Result<Option<Part>> {
        self.run(run, report)?;
        Ok(None)
    }
}

/// The part of a task without steps that was performed for an estimate.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Part {
    /// Number of items in the part.
    pub done: usize,
    /// Number of all items.
    pub whole: usize,
    /// Name of the items: "vertices" or "samples".
    pub items: &'static str,
    /// Seconds for computing the part.
    pub seconds: f64,
    /// Seconds for setting up the computation, besides reading and partitioning.
    pub setup: f64,
    /// Whether the written files have as many values as those of the whole task.
    pub is_output_whole: bool,
}

/// Returns the task of a case.
///
/// # Errors
/// Returns [`Error::Input`] for a volume that cannot be used as a coefficient.
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
    /// The time at which this part of the run began.
    pub begun: Instant,
    pub stage: Stages<'a>,
    /// The interrupted run to resume, with the state of its solver.
    pub stopped: Option<(Stopped, checkpoint::State)>,
}

/// Timer of the stages of a run. The run can be interrupted between stages.
pub(crate) struct Stages<'a> {
    start: Instant,
    pub observer: &'a dyn Observer,
    pub interrupt: &'a AtomicBool,
}

impl<'a> Stages<'a> {
    pub fn new(observer: &'a dyn Observer, interrupt: &'a AtomicBool) -> Self {
        Stages { start: Instant::now(), observer, interrupt }
    }

    /// Announces that the run is about to change the first file in its folder.
    ///
    /// # Errors
    /// Returns [`Error::Interrupted`] if the user has interrupted the run.
    pub fn writes(&self) -> Result<()> {
        self.observer.writes();
        self.check()
    }

    /// Checks whether the user has interrupted the run.
    ///
    /// # Errors
    /// Returns [`Error::Interrupted`] in that case.
    pub fn check(&self) -> Result<()> {
        match self.interrupt.load(Ordering::Relaxed) {
            true => Err(Error::Interrupted),
            false => Ok(()),
        }
    }

    /// Ends the current stage, begins the stage `name`, and returns the seconds that the ended
    /// stage took.
    ///
    /// # Errors
    /// Returns [`Error::Interrupted`] if the user has interrupted the run.
    pub fn next(&mut self, name: &str) -> Result<f64> {
        self.check()?;
        let seconds = self.start.elapsed().as_secs_f64();
        self.start = Instant::now();
        self.observer.stage(name);
        Ok(seconds)
    }
}
