//! The task [evolve] on sparse tiles: from the case to the end of its motion, judged.

mod arrays;
mod card;
mod coefficients;
mod device;
mod expected;
mod failure;
mod levels;
mod moving;
mod resolution;
mod start;
mod states;

use std::sync::Arc;
use std::time::Instant;

use super::device::Device;
use super::evolve::{Loop, Point};
use super::identity;
use super::keep::Keeper;
use super::prepared::Stages;
use super::writer::Files;
use super::{Options, norms};
use crate::Cpu;
use crate::config::{
    Checkpoints, Config, Evolve, HalfWidth, Method, Precision, Rule, Storage, TiledSource,
};
use crate::error::{Error, Result};
use crate::grid::{Fixed16, Stored};
use crate::levelset::tiled::{self, Kept, Reinitialize, Wide};
use crate::output::checkpoint::{CHECKPOINT, Checkpoint, Position, State, Work};
use crate::output::{Drift, MeasuresFile, Report, RunFolder, Seconds, Status, TileCounts, Verdict};
use crate::primitives::memory::gibibytes;
use crate::surface::cubes::Placement;
use arrays::Arrays;
use device::Start;
use failure::Named;
use levels::Levels;
use moving::{OnTiles, Room};
use states::States;

/// Does something for the numbers `R` that are computed with, `S` that are kept, and the edge `E`
/// of a case.
macro_rules! with_kind {
    ($job:ident => $body:expr) => {{
        macro_rules! with {
            ($r:ty, $s:ty, $e:literal) => {{
                type R = $r;
                type S = $s;
                const E: usize = $e;
                $body
            }};
        }
        match ($job.config.precision(), $job.source.storage, $job.source.tile_edge) {
            (Precision::F64, _, 4) => with!(f64, f64, 4),
            (Precision::F64, ..) => with!(f64, f64, 8),
            (Precision::F32, Storage::Full, 4) => with!(f32, f32, 4),
            (Precision::F32, Storage::Full, _) => with!(f32, f32, 8),
            (Precision::F32, Storage::Fixed16, 4) => with!(f32, Fixed16, 4),
            (Precision::F32, Storage::Fixed16, _) => with!(f32, Fixed16, 8),
        }
    }};
}

/// A run that can go on.
struct Begun<'a, R: Wide, S: Stored<R> + Kept, const E: usize> {
    moving: OnTiles<'a, R, S, E>,
    states: States<'a>,
    measures: MeasuresFile,
    keeper: Option<Keeper>,
    point: Option<Point>,
}

/// A case on tiles.
pub(super) struct Job<'a> {
    config: &'a Config,
    source: &'a TiledSource,
    cpu: Arc<Cpu>,
    /// Volumes that are coefficients.
    arrays: Arc<Arrays>,
}

impl<'a> Job<'a> {
    /// # Errors
    /// [`Error::Input`] for a volume that cannot be a coefficient.
    pub(super) fn new(config: &'a Config, source: &'a TiledSource, cpu: Arc<Cpu>) -> Result<Self> {
        let arrays = Arc::new(cpu.run(|| Arrays::read(config))?);
        Ok(Job { config, source, cpu, arrays })
    }
}

impl Job<'_> {
    /// Report of a run that has not begun.
    pub(super) fn report(&self) -> Report {
        let warnings = self.arrays.warnings.clone();
        let mut report = Report::new(self.config, Seconds::default(), warnings);
        report.threads = self.cpu.threads();
        report
    }

    /// Finds what can be wrong before the first step, and says what a run would do.
    ///
    /// # Errors
    /// What [`Job::evolve`] would fail with before its first step.
    pub(super) fn check(&self) -> Result<String> {
        self.cpu.run(|| self.check_here())
    }

    fn check_here(&self) -> Result<String> {
        let warnings = &mut Vec::new();
        self.terms::<f64>()?;
        let source = self.read(warnings)?;
        let said = with_kind!(self => {
            let expected = match self.expected::<R, S, E>(&source)? {
                Some(expected) => {
                    self.check_volume::<R>(None)?;
                    expected
                }
                None => {
                    let grid = self.start_of_all::<R, S, E>(&source, warnings)?.0;
                    self.check_volume::<R>(grid.extent())?;
                    self.counted(&grid)
                }
            };
            format!("{expected}, {}", gibibytes(self.bytes::<S, E>(&expected)))
        });
        Ok(format!("task    evolve\ntiles   {said}\n"))
    }

    /// Refuses an `output.volume` that is too large for tiles on the lattice that the run begins on, from the first to the
    /// last of their voxels; where these are not known, if it says its box itself.
    fn check_volume<R>(&self, extent: Option<([i32; 3], [i32; 3])>) -> Result<()> {
        let Some(of) = &self.config.output.volume else { return Ok(()) };
        let finer = |voxel: i32| voxel.saturating_mul(1 << (self.source.levels - 1));
        let extent = extent.map(|(low, high)| (low.map(finer), high.map(finer)));
        if extent.is_none() && (of.min.is_none() || of.max.is_none()) {
            return Ok(());
        }
        Room::<R>::of(of, &self.placement(), extent.unwrap_or_default()).map(drop)
    }

    /// The task [evolve].
    ///
    /// # Errors
    /// All kinds of [`Error`](crate::Error).
    pub(super) fn evolve(
        &self,
        folder: &RunFolder,
        checkpoint: Option<Checkpoint>,
        run: &Options<'_>,
        report: &mut Report,
        stage: &mut Stages<'_>,
    ) -> Result<()> {
        with_kind!(self => self.evolve_as::<R, S, E>(folder, checkpoint, run, report, stage))
    }

    fn evolve_as<R: Wide, S: Stored<R> + Kept, const E: usize>(
        &self,
        folder: &RunFolder,
        checkpoint: Option<Checkpoint>,
        run: &Options<'_>,
        report: &mut Report,
        stage: &mut Stages<'_>,
    ) -> Result<()> {
        let config = self.config;
        let default = Evolve::default();
        let evolve = config.evolve.as_ref().unwrap_or(&default);
        let begun: Begun<'_, R, S, E> = self.begin(folder, checkpoint, run, report, stage)?;
        let Begun { mut moving, mut states, mut measures, keeper, point } = begun;
        report.seconds.setup += stage.next("moving the interface")?;
        let work = Loop {
            evolve,
            output: &config.output,
            measures: &mut measures,
            interrupt: run.interrupt,
            observer: run.observer,
            keeper,
            threads: self.cpu.threads(),
        };
        let done = work.run(&mut moving, &mut states, point, report);
        let seconds = moving.seconds();
        report.seconds.evolve = seconds.blocks + seconds.speed + seconds.stages;
        report.seconds.reinitialize = seconds.reinitialize;
        let counted = moving.work();
        report.reinitializations = counted.reinitializations;
        report.cell_updates = counted.voxel_updates;
        let is_full = matches!(done, Err(Error::Device { .. }));
        report.tiles = Some(TileCounts {
            dx: self.source.dx,
            edge: E,
            first: report.first.map_or(0, |measured| measured.active_patches as usize),
            last: moving.n_tiles(),
            most: counted.most_tiles as usize,
            bytes: counted.most_bytes,
            surface: if is_full { None } else { moving.surface_counts() },
        });
        measures.finish()?;
        done?;
        if let (Some(first), Some(last)) = (&report.first, &report.last) {
            report.drift = Drift::between(first.enclosed, last.enclosed);
        }
        // Bounds are for the end that was planned.
        if report.status == Status::Finished {
            self.judge(report, &mut moving)?;
        }
        let timer = Instant::now();
        if states.has_pictures() {
            states.finish(report.steps, report.time, &moving.surface(false)?)?;
        }
        report.seconds.output += timer.elapsed().as_secs_f64();
        Ok(())
    }

    /// What moves, from the start or from a checkpoint, on the device that is chosen here.
    fn begin<'a, R: Wide, S: Stored<R> + Kept, const E: usize>(
        &'a self,
        folder: &'a RunFolder,
        checkpoint: Option<Checkpoint>,
        run: &Options<'_>,
        report: &mut Report,
        stage: &mut Stages<'_>,
    ) -> Result<Begun<'a, R, S, E>> {
        let config = self.config;
        stage.next("finding the tiles of the initial interface")?;
        let source = self.read(&mut report.warnings)?;
        self.expected::<R, S, E>(&source)?;
        let (grid, phi) = self.start_of_all::<R, S, E>(&source, &mut report.warnings)?;
        drop(source);
        let rule = config.output.checkpoint;
        let keeps = rule != Checkpoints::Never || checkpoint.is_some();
        let identity = keeps
            .then(|| {
                identity::of_tiles(config, self.arrays.iter(), &grid, &phi, R::narrow(self.gamma()))
            })
            .transpose()?;
        if let (Some(now), Some(checkpoint)) = (&identity, &checkpoint) {
            identity::check_domain(config, now, &checkpoint.identity)?;
        }
        let earlier = checkpoint.as_ref().map_or(0.0, |checkpoint| checkpoint.seconds.total);
        let keeper = identity
            .filter(|_| rule != Checkpoints::Never)
            .map(|identity| Keeper::new(folder.file(CHECKPOINT), rule, identity, earlier));
        let device = Device::choose(config, self.counted(&grid).size())?;
        let card = device.card.as_ref();
        report.backend = if card.is_some() { "cuda" } else { "cpu" };
        report.backend_reason = device.reason.clone();
        let (path, mut states) = (folder.file("measures.csv"), States::new(config, folder, card));
        let (placement, volume) = (self.placement(), config.output.volume.as_ref());
        let Some(kept) = checkpoint else {
            let mut work = Work::default();
            let levels = Levels { card, interrupt: run.interrupt, work: &mut work };
            let start = self.by_levels::<R, S, E>((grid, phi), levels, stage)?;
            work.reinitializations += u64::from(!start.is_distance());
            let motion = self.motion::<R, S, E>(card, start)?;
            let mut moving = OnTiles::new(motion, placement, volume, work);
            moving.check_volume()?;
            folder.clear()?;
            let measures = MeasuresFile::of_tiles(&path)?;
            return Ok(Begun { moving, states, measures, keeper, point: None });
        };
        let State::Tiles(snapshot, work) = kept.state else {
            let what = "the run to resume was on a mesh";
            return Err(Error::usage(what, "begin again with --overwrite"));
        };
        let motion = self.motion::<R, S, E>(card, Start::Snapshot(snapshot))?;
        let moving = OnTiles::new(motion, placement, volume, work);
        let measures = MeasuresFile::resume(&path, &kept.written.measures)?;
        folder.tidy()?;
        let Position { steps, state_due, .. } = kept.position;
        states.resume(kept.written.states, steps, state_due)?;
        report.states = states.written().len();
        (report.first, report.last) = (kept.first, kept.last);
        report.seconds.add(&kept.seconds);
        let default = Evolve::default();
        let evolve = config.evolve.as_ref().unwrap_or(&default);
        let point = Some(Point::resumed(evolve, &config.output, &kept.position));
        Ok(Begun { moving, states, measures, keeper, point })
    }

    /// What breakdowns are named by.
    fn named(&self) -> Named<'_> {
        Named { config: self.config, source: self.source }
    }

    fn options(&self) -> tiled::Options {
        let config = self.config;
        let every = match config.rule() {
            Rule::Every(n) => Some(n),
            _ => None,
        };
        let reinitialize = match (config.reinitialize.rescaling, every, config.method()) {
            (Some(speed), ..) => Reinitialize::Rescaling { factor: speed / self.source.dx },
            (None, None, _) => Reinitialize::Never,
            (None, Some(every), Method::Direct) => Reinitialize::Direct { every },
            (None, Some(every), Method::Equation) => {
                let iterations = config.reinitialize.iterations.unwrap_or(1);
                let iterations = usize::try_from(iterations).unwrap_or(usize::MAX);
                Reinitialize::Equation { iterations, every }
            }
        };
        tiled::Options::new(self.gamma())
            .with_scheme(config.scheme())
            .with_time(config.time_scheme())
            .with_nu(config.cfl())
            .with_reinitialize(reinitialize)
    }

    /// Half width of the band, voxels.
    fn gamma(&self) -> f64 {
        match self.config.half_width() {
            HalfWidth::Edges(n) => n,
            HalfWidth::Length { length } => length / self.source.dx,
            // The case has been checked for it.
            HalfWidth::Whole => f64::INFINITY,
        }
    }

    fn placement(&self) -> Placement {
        Placement { origin: self.source.origin, spacing: self.source.dx }
    }

    /// Compares `[expect]` with the end of an evolution.
    fn judge<R: Wide, S: Stored<R> + Kept, const E: usize>(
        &self,
        report: &mut Report,
        moving: &mut OnTiles<'_, R, S, E>,
    ) -> Result<()> {
        let expect = &self.config.expect;
        let errors = match &expect.exact {
            Some(exact) => norms::interface_errors(&moving.surface(false)?.vertices, exact),
            None => None,
        };
        let (last, drift) = (report.last, report.drift);
        let (time, steps) = (report.time, report.steps);
        let found = |name: &str| -> Option<f64> {
            let last = last.as_ref()?;
            match name {
                "time" => Some(time),
                "steps" => Some(steps as f64),
                "interface_area" => Some(last.interface),
                "enclosed_volume" => Some(last.enclosed),
                "components" => Some(last.components as f64),
                "euler_number" => Some(last.euler_number as f64),
                "phi_min" => Some(last.phi_min),
                "phi_max" => Some(last.phi_max),
                "enclosed_drift" => drift.map(|drift| drift.relative),
                "interface_error_mean" => errors.map(|(mean, _)| mean),
                "interface_error_max" => errors.map(|(_, max)| max),
                _ => None,
            }
        };
        report.expect = Verdict::of(&expect.bounds(), found);
        Ok(())
    }
}
