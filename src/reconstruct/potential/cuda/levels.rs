//! The levels from the coarsest grid to the finest, on a GPU. The counterpart of
//! [`levels`](super::super::levels).

use std::sync::Arc;
use std::time::Instant;

use super::droplets;
use super::octree::DeviceOctree;
use super::velocity::{DeviceVelocity, at_samples};
use crate::error::{DeviceFault, Error, Result};
use crate::gpu::{Cuda, Element};
use crate::grid::Stored;
use crate::grid::cuda::DeviceTiledGrid;
use crate::levelset::evolution::StepTarget;
use crate::levelset::tiled::cuda::{
    DeviceCoefficient, DeviceInterface, DeviceTerms, DeviceTiledEvolution,
};
use crate::levelset::tiled::{self, Reinitialize};
use crate::mesh::Mesh;
use crate::primitives::memory::gibibytes;
use crate::reconstruct::potential::field::Rest;
use crate::reconstruct::potential::levels::{
    BAND, DROPLET, EDGE, GAMMA, HULL, LOOK, MOVING, RESCALING, finished, of_motion, start, vanished,
};
use crate::reconstruct::potential::memory::expected_tiles;
use crate::reconstruct::potential::{Frame, Level, Levels, Options};
use crate::surface::cubes::cuda::DeviceTiles;

type Motion<S> = DeviceTiledEvolution<f32, EDGE, S>;

/// A reconstruction in progress.
pub(super) struct Run<'a> {
    pub cuda: &'a Arc<Cuda>,
    pub tree: Arc<DeviceOctree>,
    pub options: &'a Options,
}

impl Run<'_> {
    pub fn all<S: Stored<f32> + Element>(&self, levels: &mut Levels) -> Result<Mesh> {
        let (first, last) = (self.options.first_level, self.options.depth);
        let frame = *self.tree.frame();
        levels.expected_bytes = self.tree.bytes() + self.check_memory::<S>()?;
        let (grid, phi) = start::<S>(&frame, first)?;
        let mut motion = None;
        for level in first..=last {
            let begun = Instant::now();
            let mut done = Level { level, ..Level::default() };
            let moved = self.settle(&mut done, |terms, options| match motion.take() {
                None => Motion::<S>::new(self.cuda, &grid, &phi, terms, options, None),
                Some(coarse) => self.finer(coarse, terms, options),
            })?;
            let moved = if level == last { self.smooth(moved)? } else { moved };
            done.tiles = moved.control().n_tiles as usize;
            let found = at_samples(self.cuda, &self.tree, level, &moved)?;
            let mean = found.sum / levels.samples as f64 * frame.edge(level);
            (done.error, done.outside) = (100.0 * mean / frame.diagonal(), found.outside);
            done.seconds = begun.elapsed().as_secs_f64();
            tracing::info!("level {level}: {} steps, {} tiles", done.iterations, done.tiles);
            levels.levels.push(done);
            motion = Some(moved);
        }
        let begun = Instant::now();
        let Some((grid, phi)) = motion.map(Motion::into_parts) else {
            return Err(vanished(&frame, 0, last));
        };
        let tiles = DeviceTiles::<f32, S, EDGE> { grid: &grid, phi: &phi, gamma: GAMMA };
        let surface = tiles.extract(self.cuda, &frame.placement(last), false)?;
        drop((grid, phi));
        let left = droplets::without(self.cuda, surface, DROPLET * frame.voxel)?;
        finished(left, &frame, begun, levels)
    }

    /// Returns the motion of the next level, which starts from the steady state of the previous
    /// level.
    fn finer<S: Stored<f32> + Element>(
        &self,
        coarse: Motion<S>,
        terms: &DeviceTerms,
        options: tiled::Options,
    ) -> Result<Motion<S>> {
        let blocks = coarse.manage_blocks();
        let (grid, phi) = coarse.into_parts();
        let (fine, values) = grid.upsample::<f32, S, EDGE>(self.cuda, &phi, GAMMA, BAND, blocks)?;
        drop((grid, phi));
        Motion::of_gpu(self.cuda, fine, values, terms, options)
    }

    /// Returns the expected number of bytes of the finest level, or an error if that much memory is
    /// not free.
    fn check_memory<S: Element>(&self) -> Result<u64> {
        let (cuda, depth) = (self.cuda, self.options.depth);
        let n_cubes = |level| self.tree.n_cubes(cuda, level);
        let tiles = expected_tiles(self.tree.frame(), self.tree.n_cells(), n_cubes)? as usize;
        let values = EDGE * EDGE * EDGE * (2 * size_of::<S>() + 6) + 12;
        // An additional twelfth allows for growth.
        let need = tiles * (DeviceTiledGrid::tile_bytes::<S, EDGE>() + values) * 13 / 12
            + DeviceInterface::<S, EDGE>::bytes(tiles);
        let (free, _) = cuda.memory()?;
        let words = format!(
            "about {tiles} tiles at depth {depth} need {} on the GPU, which has {} free",
            gibibytes(need as u64),
            gibibytes(free as u64)
        );
        if need > free {
            let remedy = "use a smaller depth, 16-bit storage, or the CPU (use = \"cpu\")";
            let fault = DeviceFault::memory(need as u64, free as u64);
            return Err(Error::device_fault(fault, words, remedy));
        }
        tracing::info!("{words}");
        Ok(need as u64)
    }

    /// Moves the interface of a level until it reaches a steady state or the largest number of
    /// steps is taken.
    fn settle<S: Stored<f32> + Element>(
        &self,
        done: &mut Level,
        start: impl FnOnce(&DeviceTerms, tiled::Options) -> Result<Motion<S>>,
    ) -> Result<Motion<S>> {
        let (cuda, frame, is_last) =
            (self.cuda, self.tree.frame(), done.level == self.options.depth);
        let rest = if is_last { Rest::Ridge } else { Rest::Hull(HULL) };
        let rule = self.options.rule();
        let velocity = DeviceVelocity::new(cuda, self.tree.clone(), rule, done.level, rest)?;
        let velocity = DeviceCoefficient::Stationary(Arc::new(velocity));
        let mut terms = DeviceTerms::new([0.0; 3], 1.0).with_velocity(velocity);
        if is_last {
            terms = terms.with_curvature(DeviceCoefficient::Uniform([self.options.curvature]));
        }
        let options = of_motion(Reinitialize::Rescaling { factor: RESCALING });
        let mut motion = start(&terms, options)?;
        let mut interface = DeviceInterface::<S, EDGE>::new::<f32>(cuda)?;
        while done.iterations < self.options.most_steps && !done.at_rest {
            advance(&mut motion, LOOK, frame, done.level)?;
            let is_first = done.iterations == 0;
            done.iterations += LOOK;
            let crossed = interface.look(&motion)?;
            done.at_rest = !is_first && (crossed.tiles - crossed.old) * MOVING <= crossed.tiles;
        }
        if !done.at_rest {
            tracing::warn!("level {} is not steady after {} steps", done.level, done.iterations);
        }
        done.step_seconds = motion.seconds();
        let looked = DeviceInterface::<S, EDGE>::bytes(motion.control().n_tiles as usize);
        done.bytes = self.tree.bytes() + (motion.bytes() + looked) as u64;
        Ok(motion)
    }

    /// Takes the last steps, by curvature only, if the options request any and the curvature weight
    /// is not 0.
    fn smooth<S: Stored<f32> + Element>(&self, motion: Motion<S>) -> Result<Motion<S>> {
        let (steps, alpha) = (self.options.smoothing_steps, self.options.curvature);
        if steps == 0 || alpha == 0.0 {
            return Ok(motion);
        }
        let (grid, phi) = motion.into_parts();
        let terms =
            DeviceTerms::new([0.0; 3], 1.0).with_curvature(DeviceCoefficient::Uniform([alpha]));
        let options = of_motion(Reinitialize::Never);
        let mut motion = Motion::of_gpu(self.cuda, grid, phi, &terms, options)?;
        advance(&mut motion, steps, self.tree.frame(), self.options.depth)?;
        Ok(motion)
    }
}

/// Takes a number of steps on a level. Returns an error if the interface vanishes.
fn advance<S: Stored<f32> + Element>(
    motion: &mut Motion<S>,
    steps: u64,
    frame: &Frame,
    level: u32,
) -> Result<()> {
    let last = motion.n_steps() + steps;
    while motion.n_steps() < last {
        let (clock, steps) = (motion.time(), last - motion.n_steps());
        let until = StepTarget { clock, target: f64::INFINITY, steady: -1.0, steps };
        let done = motion.advance(&until)?;
        if motion.is_extinct() || done.steps == 0 {
            return Err(vanished(frame, motion.n_steps(), level));
        }
    }
    Ok(())
}
