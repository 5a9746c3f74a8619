//! Running a case: `task` selects the task, `device` the device, and `factory` the solver types.

mod arrays;
mod check;
mod checkpointing;
mod cleaned_mesh;
mod clock;
mod conduction;
mod device;
pub(crate) mod distance;
mod distance_to_file;
mod error_norms;
mod estimate;
pub(crate) mod evolve;
mod expressions;
mod factory;
pub mod fields;
mod frames;
mod identity;
mod initial_from_group;
mod initial_from_image;
mod initial_from_region;
mod initial_from_surface;
mod initial_from_volume;
mod marks;
mod mean_weight;
mod memory;
pub(crate) mod mesh_setup;
mod misfit;
mod motion;
mod names;
mod offsets;
mod out_of_plane;
mod parts;
mod picture;
mod read_mesh;
mod read_volumes;
mod reconstruct;
mod region;
mod report_page;
mod rows;
mod schedule;
pub mod setup;
mod size;
pub mod sources;
mod speed_volume;
mod states;
pub(crate) mod task;
pub mod terms;
mod thin_layers;
mod thin_walls;
mod tiled;
mod time_loop;
mod units;
mod whole_mesh;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::Cpu;
use crate::config::Config;
use crate::error::Result;
use crate::output::checkpoint::{CHECKPOINT, Checkpoint, State};
use crate::output::{Report, RunFolder, RunNames, Status, remove};
pub use check::{Checked, check, check_all, check_read};
use checkpointing::Stopped;
pub use cleaned_mesh::CleanedMesh;
pub use distance_to_file::distance;
pub use estimate::{Estimate, FileEstimate, Sample, Span, estimate};
pub(crate) use read_mesh::ReadMesh;
pub use size::MeshSize;
pub use task::Part;
use task::{Run, Stages};

/// Options of a run that are not part of its case.
#[non_exhaustive]
pub struct Options<'a> {
    /// Folder of the run. `None` selects the folder that the case names, or else `results/NAME`,
    /// where `NAME` is the name of the case.
    pub folder: Option<PathBuf>,
    /// Whether to replace an earlier run in the folder.
    pub overwrite: bool,
    /// Whether to continue the run in the folder from its checkpoint.
    pub resume: bool,
    /// A flag that ends the run cleanly when it becomes true.
    pub interrupt: &'a AtomicBool,
    /// The receiver of the progress of the run.
    pub observer: &'a dyn Observer,
}

impl<'a> Options<'a> {
    /// Creates options without a folder (see [`Options::folder`]) that neither replace nor continue
    /// an earlier run.
    pub fn new(interrupt: &'a AtomicBool, observer: &'a dyn Observer) -> Self {
        Options { folder: None, overwrite: false, resume: false, interrupt, observer }
    }

    /// Sets the folder, and whether an earlier run in it is replaced.
    pub fn into_folder(mut self, folder: Option<PathBuf>, overwrite: bool) -> Self {
        (self.folder, self.overwrite) = (folder, overwrite);
        self
    }

    /// Sets whether to continue the interrupted run in the folder.
    pub fn resuming(mut self, resume: bool) -> Self {
        self.resume = resume;
        self
    }
}

/// A receiver for the progress of a run.
pub trait Observer: Sync {
    /// Called when a stage begins, such as "reading the mesh".
    fn stage(&self, name: &str);
    /// Called before the run changes the first file in its folder. Until then, a program that calls
    /// [`atomic::abandon`](crate::atomic::abandon) may end at any time and leaves nothing behind.
    fn writes(&self) {}
    /// Called after one or more steps.
    fn step(&self, progress: &Progress);
}

/// The progress of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Number of steps done.
    pub step: u64,
    /// Time reached, in the unit of the case.
    pub time: f64,
    /// Length of the last time step, in the same unit.
    pub dt: f64,
    /// The end time, in the same unit, if the case states one.
    pub end_time: Option<f64>,
    /// The largest number of steps, if the case states one.
    pub max_steps: Option<u64>,
    /// Step and time at which this run began or was resumed.
    pub start: (u64, f64),
}

/// Returns the run folder: `folder` if it is given, otherwise the folder that the case names, and
/// otherwise `results/<case name>`.
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) if an environment variable in the path is not set.
pub fn folder_of(config: &Config, folder: Option<&Path>) -> Result<PathBuf> {
    match (folder, &config.output.folder) {
        (Some(folder), _) => Ok(folder.to_path_buf()),
        (None, Some(path)) => config.resolve(path),
        (None, None) => Ok(Path::new("results").join(config.name())),
    }
}

/// Creates the CPU of a case and checks that the GPU that the case requires is available.
fn cpu(config: &Config) -> Result<Cpu> {
    device::check(config)?;
    Cpu::new(config.device.threads)
}

/// The result of a run that finished or was interrupted.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The report, which is also written to `report.json`.
    pub report: Report,
    /// Folder with the files of the run.
    pub folder: PathBuf,
    /// Whether [`Options::resume`] can continue the run.
    pub resumable: bool,
}

/// Runs a case to its end, or until the user interrupts it.
///
/// When this function returns, the folder contains the states, the report and, for the task evolve,
/// the measures. This also holds for interrupted runs ([`Status::Interrupted`] in the report).
/// After an error, the folder contains the outputs that were due before it, or nothing of this run
/// if it failed before its first state. With [`Options::resume`], an interrupted run continues from
/// its checkpoint. Its states, interface and measures, and all values in its report except times,
/// are then bitwise identical to those of an uninterrupted run.
///
/// ```
/// use zeroset::{api::Control, config::Config, run};
/// let case = std::path::Path::new("configs/cortex_distance.toml");
/// let config = Config::load(case, &["device.threads=2".into()])?;
/// let folder = std::env::temp_dir().join(format!("zeroset-run-{}", std::process::id()));
/// let control = Control::default(); // reports nothing, and ends the run when its flag is set
/// let options = run::Options::new(&control.interrupt, &control);
/// let outcome = run::run(&config, &options.into_folder(Some(folder.clone()), false))?;
/// assert!(folder.join("report.json").exists() && outcome.report.distances.is_some());
/// # std::fs::remove_dir_all(&folder).map_err(|e| zeroset::Error::usage(e.to_string(), ""))?;
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns any kind of [`Error`](crate::Error).
pub fn run(config: &Config, options: &Options<'_>) -> Result<Outcome> {
    let cpu = Arc::new(cpu(config)?);
    // Everything runs inside the thread pool, so that measures use no more threads than requested.
    // A second pool of the same size writes the states.
    cpu.clone().run(|| run_on(cpu, config, options))
}

fn run_on(cpu: Arc<Cpu>, config: &Config, options: &Options<'_>) -> Result<Outcome> {
    let begun = Instant::now();
    let config = &*config.with_stimuli()?;
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
    let written = leave(config, &folder, &mut report);
    // The first error is the one to fix.
    done.and(written)?;
    let checkpoint = folder.file(CHECKPOINT);
    if report.status == Status::Finished {
        // The checkpoint is removed only now, when nothing is left to resume.
        remove(&checkpoint)?;
    }
    folder.close()?;
    let resumable = checkpoint.exists();
    Ok(Outcome { report, folder: folder.path().to_path_buf(), resumable })
}

/// Opens a run folder. If the run is resumed, also reads its checkpoint.
fn open(config: &Config, options: &Options<'_>) -> Result<(RunFolder, Option<(Stopped, State)>)> {
    let folder = folder_of(config, options.folder.as_deref())?;
    let (names, claims) = (RunNames::of(config, &folder), picture::claims(config)?);
    if !options.resume {
        let folder = RunFolder::open(&folder, names, claims.read(), options.overwrite)?;
        return Ok((folder, None));
    }
    let folder = RunFolder::reopen(&folder, names, claims.read())?;
    let checkpoint = Checkpoint::read(&folder.file(CHECKPOINT))?;
    if let Some(warning) = identity::check_case(config, &checkpoint, |_| false)? {
        tracing::warn!("{warning}");
    }
    Ok((folder, Some(Stopped::of(checkpoint))))
}

/// Writes the reports of a run that has written a state. A run that failed before its first state
/// leaves nothing behind. An earlier run that was neither resumed nor replaced stays unchanged.
fn leave(config: &Config, folder: &RunFolder, report: &mut Report) -> Result<()> {
    if report.states == 0 {
        folder.discard();
        return Ok(());
    }
    // The list of files in the report includes the page. If the page fails, the report is still
    // written.
    let page = report_page::write(config, folder, report);
    report.files = folder.records(report.status == Status::Finished);
    report.write(&folder.file("report.json"))?;
    page
}
