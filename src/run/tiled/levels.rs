//! Coarser lattices first: the interface moves on each until it comes to rest there, and the next
//! finer one begins with what it has become.
//!
//! At rest means that in the time a flat front takes to cross a tile the inside has changed by few
//! voxels. Numerics 8 asks for old tiles and small changes of phi; but where the normal speed has a
//! gradient phi changes off the interface for ever, and tiles come and go with it.

use std::sync::atomic::{AtomicBool, Ordering};

use super::Job;
use super::start::is_distance;
use crate::config::TiledSource;
use crate::error::{Error, Result};
use crate::grid::{Pool, Stored, TiledGrid};
use crate::levelset::tiled::{TiledEvolution, Wide};

/// Voxels that may change their side at rest, or a thousandth of the inside.
const FEW_VOXELS: u64 = 4;

/// Most steps on one lattice.
const MOST_STEPS: u64 = 20_000;

impl Job<'_> {
    /// The first tiles on the lattice of the case, by way of the coarser ones, and whether phi is a
    /// distance.
    ///
    /// # Errors
    /// Those of [`Job::start`] and of steps; [`Error::Numerical`] if the interface vanishes on a
    /// coarser lattice or does not come to rest; [`Error::Interrupted`].
    pub(super) fn start_by_levels<R: Wide, S: Stored<R>, const E: usize>(
        &self,
        interrupt: &AtomicBool,
        warnings: &mut Vec<String>,
    ) -> Result<(TiledGrid<E>, Pool<S, E>, bool)> {
        let coarse = |level: u32| {
            let dx = self.source.dx * f64::from(1_u32 << level);
            TiledSource { dx, ..self.source.clone() }
        };
        let levels = self.source.levels;
        let source = coarse(levels - 1);
        let first = self.on(&source);
        let (mut grid, mut phi) = first.start::<R, S, E>(warnings)?;
        let mut distance = is_distance(self.config);
        for level in (1..levels).rev() {
            let source = coarse(level);
            let job = self.on(&source);
            let (terms, options) = (job.terms::<R>()?, job.options());
            let mut evolution =
                TiledEvolution::<R, E, S>::new(grid, phi, &terms, options, self.cpu.clone())?;
            if !distance {
                evolution.redistance()?;
            }
            let steps = job.settle(&mut evolution, interrupt)?;
            tracing::info!("at rest on voxels of {} after {steps} steps", source.dx);
            let finer = coarse(level - 1);
            let band = self.on(&finer).band::<R>();
            let gamma = evolution.half_width();
            let (coarse_grid, coarse_phi) = (evolution.grid(), evolution.phi());
            (grid, phi) = self.cpu.run(|| coarse_grid.upsample(coarse_phi, gamma, band))?;
            distance = false;
        }
        Ok((grid, phi, distance))
    }

    /// The same on another lattice.
    fn on<'a>(&'a self, source: &'a TiledSource) -> Job<'a> {
        Job { config: self.config, source, cpu: self.cpu.clone() }
    }

    /// Steps until nothing moves any more; how many.
    fn settle<R: Wide, S: Stored<R>, const E: usize>(
        &self,
        evolution: &mut TiledEvolution<R, E, S>,
        interrupt: &AtomicBool,
    ) -> Result<u64> {
        let crossing = (E as f64 / self.config.cfl()).ceil() as u64 + 1;
        let dx = self.source.dx;
        let (mut inside, mut unchanged) = (0, 0_u64);
        for step in 1..=MOST_STEPS {
            if interrupt.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            let done = evolution.step(f64::INFINITY)?;
            if !done.has_interface {
                let what = format!("the interface vanishes on voxels of {dx} in step {step}");
                let remedy = "take fewer domain.tiled.levels";
                return Err(Error::Numerical { what, remedy: remedy.into() });
            }
            unchanged += 1;
            if done.inside_voxels.abs_diff(inside) > (inside / 1000).max(FEW_VOXELS) {
                (inside, unchanged) = (done.inside_voxels, 0);
            }
            if !done.dt.is_finite() || unchanged >= crossing {
                return Ok(step);
            }
        }
        let what = format!(
            "the interface does not come to rest on voxels of {dx} within {MOST_STEPS} steps"
        );
        let remedy = "leave domain.tiled.levels out: it is for motions that end by themselves";
        Err(Error::Numerical { what, remedy: remedy.into() })
    }
}
