//! The task [evolve] on sparse tiles: sets up the motion and starts or resumes it.

mod coefficient_volumes;
mod coefficients;
mod expected;
mod failure;
mod gpu;
mod levels;
mod motion;
mod region_block;
mod resolution;
mod solver;
mod source;
mod start;
mod states;
mod thin;

use std::sync::{Arc, OnceLock};

use super::checkpointing::{Stopped, identify};
use super::device::Device;
use super::evolve::Begun;
use super::motion::{Motion, other};
use super::task::{Run, Stages, Task};
use super::{clock, factory, identity};
use crate::Cpu;
use crate::config::{Config, HalfWidth, Method, Rule, TiledSource, Units};
use crate::error::{Error, Result};
use crate::grid::{Pool, Stored, TiledGrid};
use crate::levelset::tiled::{self, Reinitialize, SavedNumber, Wide};
use crate::output::Report;
use crate::output::checkpoint::{self, Identity, Work};
use crate::primitives::memory::gibibytes;
use crate::surface::cubes::Placement;
use coefficient_volumes::Arrays;
use failure::Named;
use levels::Levels;
use motion::{Room, TiledMotion};
use solver::Start;
use states::States;
pub(super) use states::TiledState;

/// A case on tiles. Its task is `[evolve]`.
pub(super) struct TiledCase<'a> {
    pub config: &'a Config,
    pub source: &'a TiledSource,
    cpu: Arc<Cpu>,
    /// The volumes used as coefficients.
    arrays: Arc<Arrays>,
    /// The time at which the run begins, once `[initial]` has been read.
    start_time: OnceLock<f64>,
    /// The units of length and time, once `[initial]` has been read.
    units: OnceLock<Units>,
}

/// A motion on tiles that is ready to start or to resume.
pub(super) struct BegunTiles<'a> {
    motion: Box<dyn Motion + 'a>,
    start_time: f64,
    /// The identity stored in checkpoints, if the run writes any.
    identity: Option<Identity>,
    device: Device,
}

impl<'a> TiledCase<'a> {
    /// Creates the case and reads its coefficient volumes.
    ///
    /// # Errors
    /// Returns [`Error::Input`](crate::Error::Input) for a volume that cannot be used as a
    /// coefficient.
    pub(super) fn new(config: &'a Config, source: &'a TiledSource, cpu: Arc<Cpu>) -> Result<Self> {
        let arrays = Arc::new(cpu.run(|| Arrays::read(config))?);
        Ok(TiledCase {
            config,
            source,
            cpu,
            arrays,
            start_time: OnceLock::new(),
            units: OnceLock::new(),
        })
    }
}

impl Task for TiledCase<'_> {
    fn report(&self) -> Report {
        let mut report = Report::new(self.config, self.cpu.threads());
        report.warnings.extend(self.arrays.warnings.iter().cloned());
        report
    }

    fn check(&self) -> Result<String, Vec<Error>> {
        let mut problems: Vec<Error> = self.terms::<f64>().err().into_iter().collect();
        match factory::check_tiles(self) {
            Ok(said) if problems.is_empty() => Ok(format!("task    evolve\ntiles   {said}\n")),
            found => {
                problems.extend(found.err());
                Err(problems)
            }
        }
    }

    fn run(&self, mut run: Run<'_>, report: &mut Report) -> Result<()> {
        let (stopped, state) = run.stopped.take().unzip();
        let goes_on = stopped.as_ref().zip(state);
        let begun = factory::tiled_motion(self, goes_on, report, &mut run.stage)?;
        let BegunTiles { motion, start_time, identity, device } = begun;
        let units = self.units.get().unwrap_or(&self.config.units);
        let files = Box::new(States::new(self.config, units, run.folder, device.gpu.as_ref()));
        let (config, threads) = (self.config, self.cpu.threads());
        let (first, kind) = (None, None);
        let begun = Begun { config, start_time, motion, files, identity, first, kind, threads };
        begun.run(run, stopped, report)
    }
}

impl TiledCase<'_> {
    /// Finds the initial tiles, or estimates their number if finding all of them would take too
    /// long. Returns a description of their number and memory.
    ///
    /// # Errors
    /// Returns the errors that [`TiledCase::begin`] would return before the first step.
    pub(super) fn check_start<R: Wide, S: Stored<R>, const E: usize>(&self) -> Result<String> {
        let warnings = &mut Vec::new();
        let source = self.read(warnings)?;
        clock::start_time(self.config, source.dated().as_ref())?;
        self.doubt_layers(&source, warnings)?;
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
        Ok(format!("{expected}, {}", gibibytes(self.bytes::<S, E>(&expected))))
    }

    /// Refuses an `output.volume` that is too large.
    ///
    /// `extent` contains the first and the last voxel of the tiles on the grid on which the run
    /// begins. If it is `None`, the size is checked only if the case gives the whole box.
    fn check_volume<R>(&self, extent: Option<([i32; 3], [i32; 3])>) -> Result<()> {
        let Some(of) = &self.config.output.volume else { return Ok(()) };
        let finer = |voxel: i32| voxel.saturating_mul(1 << (self.source.levels - 1));
        let extent = extent.map(|(low, high)| (low.map(finer), high.map(finer)));
        if extent.is_none() && (of.min.is_none() || of.max.is_none()) {
            return Ok(());
        }
        Room::<R>::of(of, &self.placement(), extent.unwrap_or_default()).map(drop)
    }

    /// Chooses the device, and creates the motion from its start or from the state of an
    /// interrupted run.
    ///
    /// # Errors
    /// Returns the errors of finding the initial tiles and of the steps on coarser grids. Returns
    /// [`Error::Case`](crate::Error::Case) for the state of another run, and
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub(super) fn begin<'a, R: Wide, S: Stored<R> + SavedNumber, const E: usize>(
        &'a self,
        stopped: Option<(&Stopped, checkpoint::State)>,
        report: &mut Report,
        stage: &mut Stages<'_>,
    ) -> Result<BegunTiles<'a>> {
        let config = self.config;
        stage.next("finding the tiles of the initial interface")?;
        let source = self.read(&mut report.warnings)?;
        let dated = source.dated();
        let start_time = clock::start_time(config, dated.as_ref())?;
        clock::note(config, dated.as_ref(), start_time, report);
        let start_time = *self.start_time.get_or_init(|| start_time);
        let units = || config.units.or(&source.units());
        report.units = self.units.get_or_init(units).clone();
        self.doubt_layers(&source, &mut report.warnings)?;
        let (grid, phi) = self.first_tiles::<R, S, E>(&source, &mut report.warnings)?;
        drop(source);
        let (stopped, state) = stopped.unzip();
        let identity = identify(config, stopped, || {
            identity::of_tiles(config, self.arrays.iter(), &grid, &phi, R::of(self.gamma()))
        })?;
        let device = Device::choose(config, self.counted(&grid).size())?;
        let gpu = device.gpu.as_ref();
        report.backend = if gpu.is_some() { "cuda" } else { "cpu" };
        report.backend_reason = device.reason.clone();
        let output = (self.placement(), config.output.volume.as_ref());
        let motion = match state {
            Some(checkpoint::State::Tiles(snapshot, work)) => {
                drop((grid, phi));
                let solver = self.solver::<R, S, E>(gpu, Start::Snapshot(snapshot))?;
                TiledMotion::new(solver, output, work)
            }
            Some(checkpoint::State::Mesh(_)) => return Err(other("a mesh", "tiles")),
            None => {
                let mut work = Work::default();
                let levels = Levels { gpu, interrupt: stage.interrupt, work: &mut work };
                let start = self.by_levels::<R, S, E>((grid, phi), levels, stage)?;
                work.reinitializations += u64::from(!start.is_distance());
                let solver = self.solver::<R, S, E>(gpu, start)?;
                let mut motion = TiledMotion::new(solver, output, work);
                motion.check_volume()?;
                motion
            }
        };
        Ok(BegunTiles { motion: Box::new(motion), start_time, identity, device })
    }

    /// Returns the initial tiles after checking that the run fits in memory.
    fn first_tiles<R: Wide, S: Stored<R>, const E: usize>(
        &self,
        source: &source::Source,
        warnings: &mut Vec<String>,
    ) -> Result<(TiledGrid<E>, Pool<S, E>)> {
        self.expected::<R, S, E>(source)?;
        self.start_of_all::<R, S, E>(source, warnings)
    }

    /// Returns the data needed to describe breakdowns.
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
            .with_max_step(self.max_step())
            .with_start_time(self.start_time())
            .with_reinitialize(reinitialize)
    }

    /// Returns the time at which the run begins, or 0 if it has not been determined yet.
    fn start_time(&self) -> f64 {
        *self.start_time.get().unwrap_or(&0.0)
    }

    /// Returns the longest step allowed if any coefficient depends on time.
    fn max_step(&self) -> f64 {
        self.config.max_step(self.start_time())
    }

    /// Returns the half width of the narrow band in voxels.
    fn gamma(&self) -> f64 {
        match self.config.half_width() {
            HalfWidth::Edges(n) => n,
            HalfWidth::Length { length } => length / self.source.dx,
            // Config validation refuses this value on tiles.
            HalfWidth::Whole => f64::INFINITY,
        }
    }

    fn placement(&self) -> Placement {
        Placement { origin: self.source.origin, spacing: self.source.dx }
    }
}
