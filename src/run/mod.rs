//! From a case to a finished run: the only place that picks backend, precision and task.

mod device;
mod distance;
mod evolve;
pub mod fields;
mod identity;
mod initial;
mod keep;
mod level;
mod memory;
mod motion;
mod norms;
mod on_mesh;
mod picture;
mod planar;
mod prepared;
mod ready;
mod reconstruct;
mod schedule;
pub mod setup;
pub mod sources;
mod states;
mod tiled;
mod volume;
mod weight;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use crate::Cpu;
use crate::atomic;
use crate::config::{Config, Domain, Precision};
use crate::error::{Error, Result};
use crate::io::vtk::Compression;
use crate::mesh::Kind;
use crate::output::checkpoint::{CHECKPOINT, Checkpoint};
use crate::output::{Report, RunFolder, Status, remove};
use crate::patches::{Coordinates, Partition, Patches};
use picture::Pictures;
use prepared::{Prepared, Stages};
pub use ready::Ready;
use states::State;

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
/// [`Error::Case`] if an environment variable in the path is not set.
pub fn folder_of(config: &Config, folder: Option<&Path>) -> Result<PathBuf> {
    match (folder, &config.output.folder) {
        (Some(folder), _) => Ok(folder.to_path_buf()),
        (None, Some(path)) => config.resolve(path),
        (None, None) => Ok(Path::new("results").join(config.name())),
    }
}

/// The processor as a case asks for it; a GPU that it asks for is there.
fn processor(config: &Config) -> Result<Cpu> {
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
/// All kinds of [`Error`].
pub fn run(config: &Config, options: &Options<'_>) -> Result<Outcome> {
    let cpu = Arc::new(processor(config)?);
    // Everything inside the pool: measures take no more threads than were asked for. States are
    // written by as many again.
    cpu.clone().run(|| run_on(cpu, config, options))
}

fn run_on(cpu: Arc<Cpu>, config: &Config, options: &Options<'_>) -> Result<Outcome> {
    let start = Instant::now();
    picture::check(config)?;
    let folder = folder_of(config, options.folder.as_deref())?;
    let (folder, checkpoint) = match options.resume {
        false => {
            let folder = RunFolder::open(&folder, options.overwrite)?;
            folder.check_inputs(&config.inputs()?)?;
            (folder, None)
        }
        true => {
            let folder = RunFolder::reopen(&folder)?;
            let checkpoint = Checkpoint::read(&folder.file(CHECKPOINT))?;
            identity::check_case(config, &checkpoint)?;
            (folder, Some(checkpoint))
        }
    };
    let earlier = checkpoint.as_ref().map_or(0.0, |checkpoint| checkpoint.seconds.total);
    let mut stage = Stages::new(options.observer, options.interrupt);
    let (mut report, done);
    match &config.domain {
        Domain::Mesh(_) => {
            let prepared = Prepared::new(config, cpu, &mut stage)?;
            let job = prepared.job(config);
            report = prepared.report(config);
            done = match &config.distance {
                Some(distance) => job
                    .distance(distance, &mut report, &mut stage)
                    .and_then(|found| job.write_distance(&folder, &mut report, found)),
                None => job.evolve(&folder, checkpoint, options, &mut report, &mut stage),
            };
        }
        Domain::Tiled(source) => {
            let job = tiled::Job::new(config, source, cpu)?;
            report = job.report();
            done = job.evolve(&folder, checkpoint, options, &mut report, &mut stage);
        }
        Domain::Cloud(source) => {
            let job = reconstruct::Job { config, source, cpu };
            report = job.report();
            done = job.run(&folder, &mut report, &mut stage);
        }
    }
    report.close(earlier + start.elapsed().as_secs_f64());
    if let Err(error) = &done {
        report.ended_by = error.to_string();
    }
    let begun = report.states > 0;
    let written = if begun {
        report.write(&folder.file("report.json"))
    } else {
        // A run that failed before its first state leaves nothing behind; one that was not
        // resumed or replaced stays as it is.
        if folder.is_cleared() {
            let _ = std::fs::remove_file(folder.file("measures.csv"));
        }
        Ok(())
    };
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

/// Computes the distance of a case into one file, without a folder and a report file.
///
/// `output` ends in `.vtu`, `.vtp`, `.shape.gii`, `.label.gii`, `.morph` or `.label`. Paths, if the case asks for some, go
/// into `paths`, by default `<stem of output>_paths.vtp`.
///
/// # Errors
/// All kinds of [`Error`]; [`Error::Case`] if the case has another task.
pub fn distance(
    config: &Config,
    output: &Path,
    paths: Option<&Path>,
    observer: &dyn Observer,
) -> Result<Report> {
    let cpu = Arc::new(processor(config)?);
    cpu.clone().run(|| distance_on(cpu, config, output, paths, observer))
}

fn distance_on(
    cpu: Arc<Cpu>,
    config: &Config,
    output: &Path,
    paths: Option<&Path>,
    observer: &dyn Observer,
) -> Result<Report> {
    let start = Instant::now();
    let distance = config.distance.as_ref().ok_or_else(|| {
        Error::usage("the case does not compute a distance", "add a table [distance]")
    })?;
    states::check_single(output, None)?;
    states::check_extras(output, distance)?;
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    let beside = output.with_file_name(format!(
        "{}_paths.vtp",
        stem.trim_end_matches(".shape").trim_end_matches(".label")
    ));
    let paths = paths.unwrap_or(&beside);
    if !distance.paths_from.is_empty() {
        states::check_lines(paths)?;
    }
    picture::check(config)?;
    let picture = config.output.picture.as_ref().and_then(|picture| picture.file.as_deref());
    let mut outputs = vec![output];
    outputs.extend((!distance.paths_from.is_empty()).then_some(paths));
    outputs.extend(picture);
    atomic::check_apart(&config.inputs()?, &outputs)?;
    // Without a run to end in order, Ctrl-C ends the program.
    let never = AtomicBool::new(false);
    let mut stage = Stages::new(observer, &never);
    let prepared = Prepared::new(config, cpu, &mut stage)?;
    states::check_single(output, Some(prepared.ready.mesh.kind))?;
    let mut report = prepared.report(config);
    let found = prepared.job(config).distance(distance, &mut report, &mut stage)?;
    let (values, extras) = (&found.values, &found.extras);
    states::write_single(output, &prepared.ready, "distance", values, extras, distance.width)?;
    distance::write_paths(paths, &found.paths, Compression::default())?;
    let card = prepared.job(config).card;
    if let Some(mut pictures) = Pictures::new(config, &prepared.ready, card)? {
        pictures.finish(&State { phi: found.values, ..State::default() }, None)?;
    }
    report.seconds.output = stage.next("done")?;
    report.status = Status::Finished;
    report.close(start.elapsed().as_secs_f64());
    Ok(report)
}

/// Finds all that can be wrong with a case before its first step, and says what a run would do.
///
/// # Errors
/// What [`run()`] would fail with before its first step.
pub fn check(config: &Config, folder: Option<&Path>, overwrite: bool) -> Result<String> {
    let cpu = processor(config)?;
    picture::check(config)?;
    let folder = folder_of(config, folder)?;
    RunFolder::probe(&folder, overwrite, &config.inputs()?)?;
    if let Domain::Tiled(source) = &config.domain {
        let job = tiled::Job::new(config, source, Arc::new(cpu))?;
        let said = job.check()?;
        return Ok(said + &format!("folder  {}\n", folder.display()));
    }
    if let Domain::Cloud(source) = &config.domain {
        let job = reconstruct::Job { config, source, cpu: Arc::new(cpu) };
        let said = job.cpu.run(|| job.check())?;
        return Ok(said + &format!("folder  {}\n", folder.display()));
    }
    let ready = cpu.run(|| Ready::new(config))?;
    config.check_for(ready.mesh.kind)?;
    memory::check(config, &ready.mesh)?;
    picture::check_array(config, &ready)?;
    if config.distance.is_some() {
        let slowness = cpu.run(|| setup::slowness(config, &ready))?;
        let front = sources::front(config, &slowness, &ready)?;
        cpu.run(|| sources::sources(config, &slowness, front, &ready, false))?;
        sources::path_starts(config, &ready)?;
    } else {
        let terms = cpu.run(|| setup::terms(config, &ready))?;
        planar::leaves_the_plane(&ready.mesh, &terms).iter().for_each(|w| tracing::warn!("{w}"));
    }
    if config.initial.is_some() {
        cpu.run(|| setup::initial_phi(config, &ready))?;
    }
    let source = config.mesh_or_refuse()?;
    let method = source.partition.unwrap_or(Partition::fit_for(&ready.mesh));
    let patches = cpu.run(|| Patches::new(&ready.mesh, method, source.patch_size))?;
    if config.precision() == Precision::F32 {
        cpu.run(|| Coordinates::<f32>::new(&ready.mesh, &patches).check(&patches))?;
    }
    let cells = if ready.mesh.kind == Kind::Volume { "tetrahedra" } else { "triangles" };
    Ok(format!(
        "task    {}\nmesh    {} vertices, {} {cells}\nfolder  {}\n",
        if config.distance.is_some() { "distance" } else { "evolve" },
        ready.mesh.n_vertices(),
        ready.mesh.n_cells(),
        folder.display()
    ))
}
