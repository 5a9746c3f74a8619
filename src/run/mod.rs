//! From a case to a finished run: the only place that picks backend, precision and task.

mod distance;
mod evolve;
pub mod fields;
mod identity;
mod initial;
mod keep;
mod norms;
mod picture;
mod ready;
mod schedule;
pub mod setup;
pub mod sources;
mod states;
mod weight;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::backend::Cpu;
use crate::config::{Checkpoints, Config, DeviceKind, Drawn, Evolve, HalfWidth, Precision, Rule};
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::io::vtk::Compression;
use crate::levelset::check::gradient_norm_error;
use crate::levelset::evolution::{self, Evolution, Slivers, Snapshot, Terms};
use crate::mesh::Kind;
use crate::output::checkpoint::{CHECKPOINT, Checkpoint, Position};
use crate::output::{
    Drift, MeasuresFile, MeshCounts, Report, RunFolder, Seconds, Status, Verdict, remove,
};
use crate::patches::{Coordinates, Partition, Patches};
use crate::surface::{self, Measurer};
use evolve::{Loop, Moving, Point};
use keep::Keeper;
use picture::Pictures;
pub use ready::Ready;
use states::{State, States, StoredMesh};

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
#[non_exhaustive]
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

/// The backend a case gets, and why.
///
/// # Errors
/// [`Error::Device`] if the case asks for one that is not there.
pub fn backend(config: &Config) -> Result<(Cpu, &'static str)> {
    let reason = match config.device.kind {
        DeviceKind::Cpu => "the case asks for it",
        DeviceKind::Auto => "auto: this version computes on the CPU only",
        DeviceKind::Cuda => {
            return Err(Error::Device {
                what: "this version has no CUDA backend".into(),
                remedy: "write use = \"auto\" or \"cpu\" in [device]".into(),
            });
        }
    };
    Ok((Cpu::new(config.device.threads)?, reason))
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
    let (cpu, reason) = backend(config)?;
    let cpu = Arc::new(cpu);
    // Everything inside the pool: measures and output take no more threads than were asked for.
    cpu.clone().run(|| run_on(cpu, reason, config, options))
}

fn run_on(
    cpu: Arc<Cpu>,
    reason: &'static str,
    config: &Config,
    options: &Options<'_>,
) -> Result<Outcome> {
    let start = Instant::now();
    picture::check(config)?;
    let folder = folder_of(config, options.folder.as_deref())?;
    let (folder, checkpoint) = match options.resume {
        false => (RunFolder::open(&folder, options.overwrite)?, None),
        true => {
            let folder = RunFolder::reopen(&folder)?;
            let checkpoint = Checkpoint::read(&folder.file(CHECKPOINT))?;
            identity::check_case(config, &checkpoint)?;
            (folder, Some(checkpoint))
        }
    };
    let earlier = checkpoint.as_ref().map_or(0.0, |checkpoint| checkpoint.seconds.total);
    let mut stage = Stages::new(options.observer, options.interrupt);
    let prepared = Prepared::new(config, cpu, reason, &mut stage)?;
    let (job, mut report) = (prepared.job(config), prepared.report(config));
    let done = match &config.distance {
        Some(distance) => job
            .distance(distance, &mut report, &mut stage)
            .and_then(|found| job.write_distance(&folder, &mut report, found)),
        None => job.evolve(&folder, checkpoint, options, &mut report, &mut stage),
    };
    report.close(earlier + start.elapsed().as_secs_f64());
    if let Err(error) = &done {
        report.ended_by = error.to_string();
    }
    let begun = report.states > 0;
    let written = if begun {
        report.write(&folder.file("report.json"))
    } else {
        // A run that failed before its first state leaves nothing behind; one that was not
        // resumed stays as it is.
        if !options.resume {
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
/// `output` ends in `.vtu`, `.vtp`, `.shape.gii` or `.morph`. Paths, if the case asks for some, go
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
    let (cpu, reason) = backend(config)?;
    let cpu = Arc::new(cpu);
    cpu.clone().run(|| distance_on(cpu, reason, config, output, paths, observer))
}

fn distance_on(
    cpu: Arc<Cpu>,
    reason: &'static str,
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
    let beside = output.with_file_name(format!("{}_paths.vtp", stem.trim_end_matches(".shape")));
    let paths = paths.unwrap_or(&beside);
    if !distance.paths_from.is_empty() {
        states::check_lines(paths)?;
    }
    picture::check(config)?;
    let picture = config.output.picture.as_ref().and_then(|picture| picture.file.as_deref());
    let mut outputs = vec![output];
    outputs.extend((!distance.paths_from.is_empty()).then_some(paths));
    outputs.extend(picture);
    check_apart(config, &outputs)?;
    // Without a run to end in order, Ctrl-C ends the program.
    let never = AtomicBool::new(false);
    let mut stage = Stages::new(observer, &never);
    let prepared = Prepared::new(config, cpu, reason, &mut stage)?;
    states::check_single(output, Some(prepared.ready.mesh.kind))?;
    let mut report = prepared.report(config);
    let found = prepared.job(config).distance(distance, &mut report, &mut stage)?;
    states::write_single(output, &prepared.ready, "distance", &found.values, &found.extras)?;
    distance::write_paths(paths, &found.paths, Compression::default())?;
    if let Some(mut pictures) = Pictures::new(config, &prepared.ready)? {
        pictures.finish(&State { phi: found.values, ..State::default() }, None)?;
    }
    report.seconds.output = stage.next("done")?;
    report.status = Status::Finished;
    report.close(start.elapsed().as_secs_f64());
    Ok(report)
}

/// Refuses outputs that would replace each other or the mesh.
fn check_apart(config: &Config, outputs: &[&Path]) -> Result<()> {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mesh = config.mesh().path.as_ref().map(|path| config.resolve(path)).transpose()?;
    for (k, output) in outputs.iter().enumerate() {
        let same = |other: &&Path| whole(other) == whole(output);
        let what = if mesh.as_deref().is_some_and(|mesh| same(&mesh)) {
            "is the mesh, which the results would replace"
        } else if outputs[..k].iter().any(same) {
            "is named for two results, of which one would replace the other"
        } else {
            continue;
        };
        let what = format!("{}: {what}", output.display());
        return Err(Error::usage(what, "give each result a file of its own"));
    }
    Ok(())
}

/// Finds all that can be wrong with a case before its first step, and says what a run would do.
///
/// # Errors
/// What [`run()`] would fail with before its first step.
pub fn check(config: &Config, folder: Option<&Path>, overwrite: bool) -> Result<String> {
    let (cpu, _) = backend(config)?;
    picture::check(config)?;
    let folder = folder_of(config, folder)?;
    RunFolder::probe(&folder, overwrite)?;
    let ready = cpu.run(|| Ready::new(config))?;
    config.check_for(ready.mesh.kind)?;
    picture::check_array(config, &ready)?;
    if config.distance.is_some() {
        let slowness = cpu.run(|| setup::slowness(config, &ready))?;
        let front = sources::front(config, &slowness, &ready)?;
        cpu.run(|| sources::sources(config, &slowness, front, &ready, false))?;
        sources::path_starts(config, &ready)?;
    } else {
        cpu.run(|| setup::terms(config, &ready))?;
    }
    if config.initial.is_some() {
        cpu.run(|| setup::initial_phi(config, &ready))?;
    }
    let source = config.mesh();
    let method = source.partition.unwrap_or(Partition::fit_for(&ready.mesh));
    let patches = cpu.run(|| Patches::new(&ready.mesh, method, source.patch_size))?;
    if config.precision == Precision::F32 {
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

/// Why curvature steps are semi-implicit, in a sentence.
fn implicit_because(slivers: &Slivers, ready: &Ready) -> String {
    let cell = ready.cleaning.kept_cells.get(slivers.cell as usize).copied();
    format!(
        "curvature steps are semi-implicit: cell {}, whose inradius is {:.3e}, would make explicit \
         steps {:.0} times shorter than typical cells do, with {:.3e} (curvature_step = \
         \"explicit\" forces them)",
        cell.unwrap_or(slivers.cell),
        slivers.inradius,
        slivers.factor(),
        slivers.typical_inradius
    )
}

/// A mesh that is read, cleaned and cut, and how long that took.
struct Prepared {
    cpu: Arc<Cpu>,
    reason: &'static str,
    ready: Ready,
    patches: Arc<Patches>,
    method: Partition,
    seconds: Seconds,
}

impl Prepared {
    fn new(
        config: &Config,
        cpu: Arc<Cpu>,
        reason: &'static str,
        stage: &mut Stages<'_>,
    ) -> Result<Self> {
        stage.next("reading the mesh")?;
        let ready = cpu.run(|| Ready::new(config))?;
        config.check_for(ready.mesh.kind)?;
        picture::check_array(config, &ready)?;
        let read = stage.next("cutting the mesh into patches")?;
        let source = config.mesh();
        let method = source.partition.unwrap_or(Partition::fit_for(&ready.mesh));
        let patches = cpu.run(|| Patches::new(&ready.mesh, method, source.patch_size))?;
        let partition = stage.next("setting up")?;
        let seconds = Seconds { read, partition, ..Seconds::default() };
        Ok(Prepared { cpu, reason, method, ready, patches: Arc::new(patches), seconds })
    }

    fn job<'a>(&'a self, config: &'a Config) -> Job<'a> {
        let (cpu, patches) = (self.cpu.clone(), self.patches.clone());
        Job { config, cpu, ready: &self.ready, patches }
    }

    /// Report of a run that has not begun.
    fn report(&self, config: &Config) -> Report {
        let ready = &self.ready;
        let mesh = MeshCounts {
            kind: ready.mesh.kind,
            stored_vertices: ready.stored_vertices.len(),
            vertices: ready.mesh.n_vertices(),
            cells: ready.mesh.n_cells(),
            patches: self.patches.len(),
            partition: self.method,
            cleaning: ready.cleaning.clone(),
        };
        let mut report = Report::new(config, mesh, self.seconds, ready.warnings.clone());
        report.backend_reason = self.reason.to_string();
        report.threads = self.cpu.threads();
        report
    }
}

/// Everything a task needs.
struct Job<'a> {
    config: &'a Config,
    cpu: Arc<Cpu>,
    ready: &'a Ready,
    patches: Arc<Patches>,
}

impl Job<'_> {
    /// The task [evolve].
    fn evolve(
        &self,
        folder: &RunFolder,
        checkpoint: Option<Checkpoint>,
        run: &Options<'_>,
        report: &mut Report,
        stage: &mut Stages<'_>,
    ) -> Result<()> {
        let (config, ready) = (self.config, self.ready);
        let default = Evolve::default();
        let evolve = config.evolve.as_ref().unwrap_or(&default);
        let mesh = &ready.mesh;
        let phi = self.cpu.run(|| setup::initial_phi(config, ready))?;
        let half_width = self.half_width();
        let terms = setup::terms(config, ready)?;
        let mut options = evolution::Options::new(half_width)
            .with_cfl(evolve.cfl)
            .with_advection(evolve.advection())
            .with_normal_motion(evolve.normal_motion)
            .with_one_pass(evolve.one_pass)
            .with_clip(evolve.clip)
            .with_curvature_step(evolve.curvature_step)
            .with_least_quality(evolve.least_quality);
        options = options.with_rule(match config.reinitialize.rule {
            Rule::Displacement => evolution::Rule::Displacement,
            Rule::Published => evolution::Rule::Published,
            Rule::Every(n) => evolution::Rule::Every(usize::try_from(n).unwrap_or(usize::MAX)),
            Rule::Never => evolution::Rule::Never,
        });
        let rule = config.output.checkpoint;
        let keeps = rule != Checkpoints::Never || checkpoint.is_some();
        let identity =
            keeps.then(|| identity::of(config, mesh, &self.patches, &phi)).transpose()?;
        if let (Some(now), Some(checkpoint)) = (&identity, &checkpoint) {
            identity::check_mesh(config, now, &checkpoint.identity)?;
        }
        let snapshot = checkpoint.as_ref().map(|checkpoint| &checkpoint.snapshot);
        let begin = |snapshot| -> Result<Box<dyn Moving>> {
            let options = options.clone();
            Ok(match config.precision {
                Precision::F64 => Box::new(self.evolution::<f64>(&phi, &terms, options, snapshot)?),
                Precision::F32 => Box::new(self.evolution::<f32>(&phi, &terms, options, snapshot)?),
            })
        };
        let mut moving = begin(snapshot)?;
        // Pictures of a series have the camera and the colors of the first state.
        let is_series = config.output.picture.as_ref().is_some_and(|p| p.every == Drawn::State);
        let first = match snapshot.is_some() && is_series {
            true => Some(begin(None)?.phi()),
            false => None,
        };
        let choices = moving.choices();
        report.poor_cells = choices.poor_cells;
        if let Some(slivers) = choices.slivers {
            tracing::warn!("{}", implicit_because(&slivers, ready));
        }
        let first_weight = self.mean_weight(&terms, &phi, 0.0);
        let measurer = self.cpu.run(|| Measurer::new(mesh));
        let patch_of = self.patches.patch_of_vertex();
        let stored = StoredMesh::new(ready, config.output.compression);
        let mut states = States::new(config, &stored, &patch_of, "phi", folder)?;
        let earlier = checkpoint.as_ref().map_or(0.0, |checkpoint| checkpoint.seconds.total);
        let keeper = identity
            .filter(|_| rule != Checkpoints::Never)
            .map(|identity| Keeper::new(folder.file(CHECKPOINT), rule, identity, earlier));
        let start = if checkpoint.is_some() { 0.0 } else { moving.totals().reinitialize_seconds };
        report.seconds.setup = (stage.next("moving the interface")? - start).max(0.0);
        let path = folder.file("measures.csv");
        let (mut measures, point) = match checkpoint {
            None => {
                folder.clear()?;
                (MeasuresFile::create(&path, mesh.kind)?, None)
            }
            Some(kept) => {
                let Position { steps, state_due, .. } = kept.position;
                let measures = MeasuresFile::resume(&path, &kept.written.measures)?;
                folder.tidy()?;
                states.resume(kept.written.states, steps, state_due)?;
                if let Some(phi) = first {
                    states.settle(&State { phi, ..State::default() })?;
                }
                report.states = states.len();
                (report.first, report.last) = (kept.first, kept.last);
                report.seconds.add(&kept.seconds);
                (measures, Some(Point::resumed(evolve, &config.output, &kept.position)))
            }
        };

        let work = Loop {
            mesh,
            evolve,
            output: &config.output,
            states: &mut states,
            measures: &mut measures,
            interrupt: run.interrupt,
            observer: run.observer,
            measurer,
            keeper,
        };
        let done = work.run(moving.as_mut(), point, report);
        let totals = moving.totals();
        report.seconds.evolve = totals.evolve_seconds;
        report.seconds.reinitialize = totals.reinitialize_seconds;
        report.reinitializations = totals.reinitializations;
        report.cell_updates = totals.cell_updates;
        report.curvature_iterations = choices.implicit.then_some(totals.iterations);
        measures.finish()?;
        done?;
        let phi = moving.phi();
        let last_weight = self.mean_weight(&terms, &phi, report.time);
        report.mean_weight =
            first_weight.zip(last_weight).and_then(|(first, last)| Drift::between(first, last));
        let band = moving.band();
        let error = self.cpu.run(|| gradient_norm_error(mesh, &phi, &band));
        report.grad_norm_error = Some(error);
        if let (Some(first), Some(last)) = (&report.first, &report.last) {
            report.drift = Drift::between(first.enclosed, last.enclosed);
        }
        // Bounds are for the end that was planned.
        if report.status == Status::Finished {
            self.judge(report, &phi);
        }
        let timer = Instant::now();
        let (step, time) = (report.steps, report.time);
        states.finish(&State { step, time, phi, band, ..State::default() })?;
        report.seconds.output += timer.elapsed().as_secs_f64();
        Ok(())
    }

    /// An evolution that starts from `phi`, or goes on from a snapshot.
    fn evolution<R: Real>(
        &self,
        phi: &[f64],
        terms: &Terms,
        options: evolution::Options,
        snapshot: Option<&Snapshot>,
    ) -> Result<Evolution<R>> {
        let (cpu, mesh, patches) = (self.cpu.clone(), &self.ready.mesh, self.patches.clone());
        match snapshot {
            None => Evolution::new(cpu, mesh, patches, phi, terms, options),
            Some(snapshot) => Evolution::resume(cpu, mesh, patches, terms, options, snapshot),
        }
    }

    /// Half width of the band in mesh units; `None` for the whole domain.
    fn half_width(&self) -> Option<f64> {
        match self.config.reinitialize.half_width {
            HalfWidth::Whole => None,
            HalfWidth::Length { length } => Some(length),
            HalfWidth::Edges(n) => Some(self.cpu.run(|| n * setup::mean_edge(&self.ready.mesh))),
        }
    }

    /// Mean weight along the interface of a weighted curvature flow.
    fn mean_weight(&self, terms: &Terms, phi: &[f64], t: f64) -> Option<f64> {
        if terms.weight.is_zero() {
            return None;
        }
        self.cpu.run(|| weight::mean_weight(&self.ready.mesh, phi, &terms.weight, t))
    }

    /// Compares `[expect]` with the end of an evolution.
    fn judge(&self, report: &mut Report, phi: &[f64]) {
        let expect = &self.config.expect;
        let bounds = expect.bounds();
        let errors = expect.exact.as_ref().map(|exact| {
            let interface = surface::extract(&self.ready.mesh, phi);
            norms::interface_errors(&interface.vertices, exact)
        });
        let [interface, enclosed] = MeasuresFile::names(self.ready.mesh.kind);
        let last = report.last;
        let found = |name: &str| -> Option<f64> {
            let last = last.as_ref()?;
            match name {
                "time" => Some(report.time),
                "steps" => Some(report.steps as f64),
                "components" => Some(last.components as f64),
                "euler_number" => Some(last.euler_number as f64),
                "phi_min" => Some(last.phi_min),
                "phi_max" => Some(last.phi_max),
                "mean_weight_drift" => report.mean_weight.map(|weight| weight.relative),
                "enclosed_drift" => report.drift.map(|drift| drift.relative),
                "grad_norm_error" => report.grad_norm_error,
                "interface_error_mean" => errors.flatten().map(|(mean, _)| mean),
                "interface_error_max" => errors.flatten().map(|(_, max)| max),
                name if name == interface => Some(last.interface),
                name if name == enclosed => Some(last.enclosed),
                _ => None,
            }
        };
        let verdict = Verdict::of(&bounds, found);
        report.expect = verdict;
    }
}

/// Times the stages of a run; between them it can be interrupted.
struct Stages<'a> {
    start: Instant,
    observer: &'a dyn Observer,
    interrupt: &'a AtomicBool,
}

impl<'a> Stages<'a> {
    fn new(observer: &'a dyn Observer, interrupt: &'a AtomicBool) -> Self {
        Stages { start: Instant::now(), observer, interrupt }
    }

    /// Seconds of the stage that ends here; the next one begins.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    fn next(&mut self, name: &str) -> Result<f64> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let seconds = self.start.elapsed().as_secs_f64();
        self.start = Instant::now();
        self.observer.stage(name);
        Ok(seconds)
    }
}
