//! From a case to a finished run: `task` picks the task, `device` the backend, `factory` the types of the solver.

mod checkpointing;
mod cleaned;
mod device;
mod distance;
mod evolve;
mod expressions;
mod factory;
pub mod fields;
mod identity;
mod initial_from_surface;
mod initial_from_volume;
mod memory;
mod mesh_setup;
mod motion;
mod norms;
mod out_of_plane;
mod picture;
mod reconstruct;
mod schedule;
pub mod setup;
mod single;
pub mod sources;
mod states;
mod task;
mod tiled;
mod time_loop;
mod volume;
mod weight;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::Cpu;
use crate::config::Config;
use crate::error::Result;
use crate::output::checkpoint::{CHECKPOINT, Checkpoint, State};
use crate::output::{Report, RunFolder, Status, remove};
use checkpointing::Stopped;
pub use cleaned::CleanedMesh;
pub use single::distance;
use task::{Run, Stages};

/// What a run needs beside its case.
#[non_exhaustive]
pub struct Options<'a> {
    /// Folder of the run; `None` takes that of the case.
    pub folder: Option<PathBuf>,
    /// Replaces a run that is in the folder.
    pub overwrite: bool,
    /// Goes on with the run in the folder, from its checkpoint.
    pub resume: bool,
    /// Ends the run in order when it becomes true.
    pub interrupt: &'a AtomicBool,
    /// Is told what happens.
    pub observer: &'a dyn Observer,
}

impl<'a> Options<'a> {
    /// Runs into the folder of the case and replaces nothing.
    pub fn new(interrupt: &'a AtomicBool, observer: &'a dyn Observer) -> Self {
        Options { folder: None, overwrite: false, resume: false, interrupt, observer }
    }

    /// Sets the folder, and whether a run in it is replaced.
    pub fn into_folder(mut self, folder: Option<PathBuf>, overwrite: bool) -> Self {
        (self.folder, self.overwrite) = (folder, overwrite);
        self
    }

    /// Sets whether the run in the folder, which stopped early, is continued.
    pub fn resuming(mut self, resume: bool) -> Self {
        self.resume = resume;
        self
    }
}

/// Told what a run is doing.
pub trait Observer: Sync {
    /// A stage begins, such as "reading the mesh".
    fn stage(&self, name: &str);
    /// A step is done.
    fn step(&self, progress: &Progress);
}

/// Where a run is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub step: u64,
    /// Time reached.
    pub time: f64,
    /// Length of the last step.
    pub dt: f64,
    /// Time at the end, if the case states it.
    pub end_time: Option<f64>,
    /// Steps at most, if the case states it.
    pub max_steps: Option<u64>,
    /// Step and time this run began or was resumed at.
    pub start: (u64, f64),
}

/// Folder of the run: `folder`, or that of the case, or `results/<case name>`.
///
/// # Errors
/// [`Error::Case`](crate::Error::Case) if an environment variable in the path is not set.
pub fn folder_of(config: &Config, folder: Option<&Path>) -> Result<PathBuf> {
    match (folder, &config.output.folder) {
        (Some(folder), _) => Ok(folder.to_path_buf()),
        (None, Some(path)) => config.resolve(path),
        (None, None) => Ok(Path::new("results").join(config.name())),
    }
}

/// The CPU as a case asks for it; a GPU that it asks for is there.
fn cpu(config: &Config) -> Result<Cpu> {
    device::check(config)?;
    Cpu::new(config.device.threads)
}

/// A finished run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// All that is said about it; also written to `report.json`.
    pub report: Report,
    /// Where its files are.
    pub folder: PathBuf,
    /// True if [`Options::resume`] can continue it.
    pub resumable: bool,
}

/// Runs a case to its end, or until the user interrupts it.
///
/// States, measures and the report are in the folder when this returns, also after an interrupt
/// ([`Status::Interrupted`] in the report) and, as far as they were due, after an error. With
/// [`Options::resume`] a run that stopped early goes on from its checkpoint: states, interface,
/// measures and the numbers of the report but times get the bits they would have had without the
/// stop.
///
/// # Errors
/// All kinds of [`Error`](crate::Error).
pub fn run(config: &Config, options: &Options<'_>) -> Result<Outcome> {
    let cpu = Arc::new(cpu(config)?);
    // Everything inside the pool: measures take no more threads than were asked for. States are
    // written by as many again.
    cpu.clone().run(|| run_on(cpu, config, options))
}

fn run_on(cpu: Arc<Cpu>, config: &Config, options: &Options<'_>) -> Result<Outcome> {
    let begun = Instant::now();
    picture::check(config)?;
    let (folder, stopped) = open(config, options)?;
    let earlier = stopped.as_ref().map_or(0.0, |(stopped, _)| stopped.seconds.total);
    let stage = Stages::new(options.observer, options.interrupt);
    let task = task::of(config, cpu)?;
    let mut report = task.report();
    let done = task.run(Run { folder: &folder, begun, stage, stopped }, &mut report);
    report.close(earlier + begun.elapsed().as_secs_f64());
    if let Err(error) = &done {
        report.ended_by = error.to_string();
    }
    let written = leave(&folder, &report);
    // The first error is the one to mend.
    done.and(written)?;
    let checkpoint = folder.file(CHECKPOINT);
    if report.status == Status::Finished {
        // Only now is there nothing left to resume.
        remove(&checkpoint)?;
    }
    let resumable = checkpoint.exists();
    Ok(Outcome { report, folder: folder.path().to_path_buf(), resumable })
}

/// The folder of a run, and what it goes on from, if it is resumed.
fn open(config: &Config, options: &Options<'_>) -> Result<(RunFolder, Option<(Stopped, State)>)> {
    let folder = folder_of(config, options.folder.as_deref())?;
    if !options.resume {
        let folder = RunFolder::open(&folder, options.overwrite)?;
        folder.check_inputs(&config.inputs()?)?;
        return Ok((folder, None));
    }
    let folder = RunFolder::reopen(&folder)?;
    let checkpoint = Checkpoint::read(&folder.file(CHECKPOINT))?;
    identity::check_case(config, &checkpoint)?;
    Ok((folder, Some(Stopped::of(checkpoint))))
}

/// Writes the report of a run that has begun. A run that failed before its first state leaves nothing behind; one that was
/// not resumed or replaced stays as it is.
fn leave(folder: &RunFolder, report: &Report) -> Result<()> {
    if report.states > 0 {
        return report.write(&folder.file("report.json"));
    }
    if folder.is_cleared() {
        let _ = std::fs::remove_file(folder.file("measures.csv"));
    }
    Ok(())
}

/// Finds all that can be wrong with a case before its first step, and says what a run would do.
///
/// # Errors
/// What [`run()`] would fail with before its first step.
pub fn check(config: &Config, folder: Option<&Path>, overwrite: bool) -> Result<String> {
    let cpu = Arc::new(cpu(config)?);
    picture::check(config)?;
    let folder = folder_of(config, folder)?;
    RunFolder::probe(&folder, overwrite, &config.inputs()?)?;
    let said = cpu.clone().run(|| task::of(config, cpu)?.check())?;
    Ok(format!("{said}folder  {}\n", folder.display()))
}
