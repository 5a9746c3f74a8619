//! The motion on sparse tiles: memory and time go with the interface, and the domain has no border.

use std::sync::Arc;
use std::time::Instant;

use super::blocks::Blocks;
use super::breakdown::Breakdown;
use super::lanes::Wide;
use super::motion::{Motion, Seconds, StepInfo};
use super::options::Options;
use super::terms::Terms;
use crate::Cpu;
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::grid::{Band, Halo, Pool, Stored, Tile, TiledGrid, gather};

impl<R: Real, S: Stored<R>, const E: usize> Blocks<R, S, E> for TiledGrid<E> {
    type Place = Tile;

    fn fold_into<T: Send>(
        &self,
        out: &mut Pool<S, E>,
        work: impl Fn(&Tile, &mut [S]) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T> {
        TiledGrid::fold_into(self, out, work, combine)
    }

    fn fold<T: Send>(
        &self,
        work: impl Fn(&Tile) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T> {
        TiledGrid::fold(self, work, combine)
    }

    fn gather<const REACH: usize>(
        &self,
        phi: &Pool<S, E>,
        place: &Tile,
        gamma: R,
        halo: Halo,
        out: &mut [R],
    ) {
        gather::<E, REACH, R, S>(phi, place, gamma, halo, out);
    }

    fn id(place: &Tile) -> u32 {
        place.id
    }

    fn first_voxel(place: &Tile) -> [i32; 3] {
        place.key.first_voxel(E)
    }

    fn extent(&self, _place: &Tile) -> [usize; 3] {
        [E; 3]
    }

    fn dimension(&self) -> usize {
        3
    }

    fn n_blocks(&self) -> usize {
        self.n_tiles()
    }
}

/// A level-set function in motion on sparse tiles of `E^3` voxels, kept as `S`: as it is, or in 16
/// bits.
///
/// Before a step tiles come where its band may get to, with a layer of voxels to spare, so that the tile set
/// need not change before each; and now and then those go that the band has left.
pub struct TiledEvolution<R: Wide, const E: usize, S: Stored<R> = R> {
    pub(super) grid: TiledGrid<E>,
    pub(super) motion: Motion<R, S, E>,
    cpu: Arc<Cpu>,
}

impl<R: Wide, const E: usize, S: Stored<R>> TiledEvolution<R, E, S> {
    /// Starts from tiles and their values of phi, made for a band of half width `options.gamma` and
    /// any reach.
    ///
    /// # Errors
    /// [`Error::Case`] for options out of range.
    pub fn new(
        grid: TiledGrid<E>,
        phi: Pool<S, E>,
        terms: &Terms<R>,
        options: Options,
        cpu: Arc<Cpu>,
    ) -> Result<Self> {
        if !options.gamma.is_finite() {
            return Err(Error::usage(
                "sparse tiles without a band",
                "take a finite half width, such as 3 voxels",
            ));
        }
        let mut motion = Motion::new(phi, terms, options, cpu.clone())?;
        cpu.run(|| motion.evaluate_all(&grid))?;
        Ok(TiledEvolution { grid, motion, cpu })
    }

    /// Goes on from a time and a number of steps, as after a checkpoint: with the same tiles and values
    /// the bits are those of a run that never stopped.
    pub fn starting_at(mut self, time: f64, steps: u64) -> Self {
        (self.motion.time, self.motion.steps) = (time, steps);
        self
    }

    /// Finds the tiles of the next step, and takes a step of at most `max_dt`.
    ///
    /// # Errors
    /// [`Error::Numerical`] naming voxel and likely cause (see [`TiledEvolution::breakdown`]) for
    /// coefficients that cannot be computed with, if phi is not a number after the step, and for a
    /// step too short to change the time; if nothing moves and `max_dt` is infinite, and if the
    /// interface leaves the range of tiles; [`Error::Device`] if there is no memory for more tiles, which
    /// gives up that of the stages. phi and its time are those of the step before.
    pub fn step(&mut self, max_dt: f64) -> Result<StepInfo> {
        let start = Instant::now();
        let cpu = self.cpu.clone();
        let band = self.motion.band();
        let found = cpu.run(|| {
            if self.motion.is_tidy_due() || self.grid.is_pressed(&self.motion.phi, band) {
                return self.manage();
            }
            // As after a checkpoint, where stages have no room yet.
            self.motion.grow(self.grid.capacity())
        });
        if found.is_err() {
            // Who writes the state takes memory for it.
            self.motion.stages = Default::default();
        }
        found?;
        self.motion.seconds.blocks += start.elapsed().as_secs_f64();
        self.motion.step(&self.grid, max_dt)
    }

    /// Tiles come and go with the band.
    fn manage(&mut self) -> Result<()> {
        let band = self.motion.band();
        self.grid.refresh_activity(&self.motion.phi, band.roomy::<E>());
        let status = self.grid.plan()?;
        self.motion.grow(status.capacity)?;
        self.grid.update();
        let full = Band { gamma: self.motion.gamma(), ..band };
        self.grid.fill_created(&mut self.motion.phi, full);
        let created = self.grid.created().iter();
        self.motion.evaluate(created.map(|tile| (tile.id, tile.key.first_voxel(E))));
        Ok(())
    }

    /// Makes phi a distance, directly.
    ///
    /// # Errors
    /// Those of finding tiles, as in [`TiledEvolution::step`].
    pub fn reinitialize(&mut self) -> Result<()> {
        let cpu = self.cpu.clone();
        cpu.run(|| {
            self.manage()?;
            self.motion.reinitialize_directly(&self.grid);
            Ok(())
        })
    }

    /// Makes phi a distance by so many steps of the reinitialization equation.
    ///
    /// # Errors
    /// As [`TiledEvolution::reinitialize`].
    pub fn relax(&mut self, iterations: usize) -> Result<()> {
        let cpu = self.cpu.clone();
        cpu.run(|| {
            self.manage()?;
            let room = self.motion.phi.n_tiles();
            self.motion.stages[1].grow(room)?;
            self.motion.relax(&self.grid, iterations);
            Ok(())
        })
    }

    /// Why the last step broke down, if it did, and was not for want of memory or room.
    pub fn breakdown(&self) -> Option<&Breakdown> {
        self.motion.breakdown.as_ref()
    }

    /// The tiles, and phi by their ids.
    pub fn into_parts(self) -> (TiledGrid<E>, Pool<S, E>) {
        (self.grid, self.motion.phi)
    }

    /// Time reached.
    pub fn time(&self) -> f64 {
        self.motion.time
    }

    /// Steps taken.
    pub fn steps(&self) -> u64 {
        self.motion.steps
    }

    /// Seconds spent so far.
    pub fn seconds(&self) -> Seconds {
        self.motion.seconds
    }

    /// The tiles.
    pub fn grid(&self) -> &TiledGrid<E> {
        &self.grid
    }

    /// The band: what phi is clamped to, and how far a step looks.
    pub fn band(&self) -> Band<R> {
        self.motion.band()
    }

    /// Half width of the band, voxels: what missing tiles and voxels beyond the band hold.
    pub fn half_width(&self) -> R {
        self.motion.gamma()
    }

    /// phi of the tiles, by their ids.
    pub fn phi(&self) -> &Pool<S, E> {
        &self.motion.phi
    }

    /// Bytes held by tiles and values.
    pub fn bytes(&self) -> u64 {
        let values: u64 = self.motion.stages.iter().map(Pool::bytes).sum();
        self.grid.bytes() + self.motion.phi.bytes() + values + self.motion.coefficient_bytes()
    }
}
