//! Grid levels: the interface moves on coarser grids first.
//!
//! On each coarser grid, the interface moves until it reaches a steady state
//! ([`steady_state`](crate::levelset::tiled::steady_state)). The next finer grid starts from the
//! result.

use std::sync::atomic::{AtomicBool, Ordering};

use super::TiledCase;
use super::solver::{Start, TiledSolver};
use super::source::Source;
use super::start::is_distance;
use crate::config::TiledSource;
use crate::error::{Error, Result};
use crate::grid::{Pool, Stored, TiledGrid};
use crate::levelset::eikonal::cuda::Gpu;
use crate::levelset::evolution::StepTarget;
use crate::levelset::tiled::steady_state::{Interface, crossing_steps};
use crate::levelset::tiled::{SavedNumber, Wide};
use crate::output::checkpoint::Work;
use crate::run::task::Stages;

/// Largest number of steps on one grid.
const MOST_STEPS: u64 = 20_000;

/// A target time that steps reach only if nothing moves.
const FOREVER: f64 = 1e30;

/// The device, the interrupt flag and the work counters for the steps on coarser grids.
pub(super) struct Levels<'a> {
    pub gpu: Option<&'a Gpu>,
    pub interrupt: &'a AtomicBool,
    pub work: &'a mut Work,
}

impl TiledCase<'_> {
    /// Returns the initial tiles of the run on the coarsest grid.
    ///
    /// # Errors
    /// Returns the errors of [`TiledCase::start`]. Returns [`Error::Device`] if there is not enough
    /// memory for the run.
    pub(super) fn start_of_all<R: Wide, S: Stored<R>, const E: usize>(
        &self,
        source: &Source,
        warnings: &mut Vec<String>,
    ) -> Result<(TiledGrid<E>, Pool<S, E>)> {
        let coarsest = self.coarse(self.source.levels - 1);
        let case = self.on(&coarsest);
        let (grid, phi) = case.start::<R, S, E>(source, warnings)?;
        case.doubt_resolution::<R, S, E>(&grid, &phi, warnings);
        case.doubt_walls::<R, S, E>(source, &grid, &phi, warnings);
        self.check_memory::<S, E>(&self.counted(&grid), grid.bytes() + phi.bytes())?;
        Ok((grid, phi))
    }

    /// Moves the interface on all coarser grids and returns the start for the grid of the case.
    ///
    /// # Errors
    /// Returns the errors of the steps. Returns [`Error::Numerical`] if the interface vanishes on a
    /// coarser grid or does not reach a steady state, and [`Error::Interrupted`] if the user
    /// interrupts the run.
    pub(super) fn by_levels<R: Wide, S: Stored<R> + SavedNumber, const E: usize>(
        &self,
        (mut grid, mut phi): (TiledGrid<E>, Pool<S, E>),
        mut levels: Levels<'_>,
        stage: &mut Stages<'_>,
    ) -> Result<Start<S, E>> {
        let mut is_distance = is_distance(self.config);
        for level in (1..self.source.levels).rev() {
            let (source, finer) = (self.coarse(level), self.coarse(level - 1));
            stage.next(&format!("moving the interface on voxels of {}", source.dx))?;
            let case = self.on(&source);
            levels.work.reinitializations += u64::from(!is_distance);
            let start = Start::Tiles { grid: Box::new(grid), phi, is_distance };
            let mut solver = case.solver::<R, S, E>(levels.gpu, start)?;
            let steps = case.settle(&mut solver, &mut levels)?;
            tracing::info!("steady state on voxels of {} after {steps} steps", source.dx);
            let seen = solver.look()?;
            (grid, phi) = seen.grid.upsample(seen.phi, seen.gamma, self.on(&finer).band::<R>())?;
            is_distance = false;
        }
        Ok(Start::Tiles { grid: Box::new(grid), phi, is_distance })
    }

    /// Returns the grid that is `level` levels coarser than the grid of the case.
    pub(super) fn coarse(&self, level: u32) -> TiledSource {
        let dx = self.source.dx * f64::from(1_u32 << level);
        TiledSource { dx, ..self.source.clone() }
    }

    /// Returns the same case on another grid.
    pub(super) fn on<'a>(&'a self, source: &'a TiledSource) -> TiledCase<'a> {
        let (cpu, arrays) = (self.cpu.clone(), self.arrays.clone());
        let (start_time, units) = (self.start_time.clone(), self.units.clone());
        TiledCase { config: self.config, source, cpu, arrays, start_time, units }
    }

    /// Takes steps until a steady state is reached, and returns the number of steps.
    fn settle<R: Wide, S: Stored<R> + SavedNumber, const E: usize>(
        &self,
        solver: &mut TiledSolver<'_, R, S, E>,
        levels: &mut Levels<'_>,
    ) -> Result<u64> {
        let crossing = crossing_steps::<E>(&self.options());
        let dx = self.source.dx;
        let mut before: Option<Interface<S, E>> = None;
        let (mut clock, mut steps) = (0.0, 0);
        while steps < MOST_STEPS {
            let next = steps + crossing;
            while steps < next {
                if levels.interrupt.load(Ordering::Relaxed) {
                    return Err(Error::Interrupted);
                }
                let left = next - steps;
                let until = StepTarget { clock, target: FOREVER, steady: -1.0, steps: left };
                let done = solver.advance(&until)?;
                clock = done.advance.clock;
                steps += done.advance.steps;
                levels.work.voxel_updates += done.voxel_updates;
                levels.work.reinitializations += done.reinitializations;
                if !done.has_interface {
                    let what = format!("the interface vanishes on voxels of {dx} in step {steps}");
                    let remedy = "use fewer domain.tiled.levels";
                    return Err(Error::Numerical { what, remedy: remedy.into() });
                }
                if done.advance.landed {
                    return Ok(steps);
                }
            }
            let seen = solver.look()?;
            let now = Interface::new(seen.grid, seen.phi, seen.gamma);
            if before.is_some_and(|before| now.rests_since(&before, seen.gamma)) {
                return Ok(steps);
            }
            before = Some(now);
        }
        let what = format!(
            "the interface does not reach a steady state on voxels of {dx} within {MOST_STEPS} \
             steps"
        );
        let remedy = "remove domain.tiled.levels, which is for motions that reach a steady state";
        Err(Error::Numerical { what, remedy: remedy.into() })
    }
}
