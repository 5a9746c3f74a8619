//! Level-set evolution on sparse tiles, whose memory and time grow with the area of the interface.

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

/// A level-set function that moves on sparse tiles of `E^3` voxels. phi and all lengths are in
/// voxels, and times in the unit of the case. `S` is the storage format: floating-point or 16-bit
/// fixed-point numbers.
///
/// Before a step, tiles are created wherever the band may move. One spare layer of voxels is kept,
/// so that the tile set need not change before every step. Tiles that the band has left are removed
/// at regular intervals.
pub struct TiledEvolution<R: Wide, const E: usize, S: Stored<R> = R> {
    pub(super) grid: TiledGrid<E>,
    pub(super) motion: Motion<R, S, E>,
    cpu: Arc<Cpu>,
}

impl<R: Wide, const E: usize, S: Stored<R>> TiledEvolution<R, E, S> {
    /// Creates an evolution from tiles and their values of phi, which must be computed for a band
    /// of half width `options.gamma` and any reach.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if an option is out of range, and [`Error::Device`] if there is no
    /// memory for the stored coefficients.
    pub fn new(
        grid: TiledGrid<E>,
        phi: Pool<S, E>,
        terms: &Terms<R>,
        options: Options,
        cpu: Arc<Cpu>,
    ) -> Result<Self> {
        if !options.gamma.is_finite() {
            return Err(Error::usage(
                "sparse tiles need a band",
                "use a finite half width, such as 3 voxels",
            ));
        }
        let mut motion = Motion::new(phi, terms, options, cpu.clone())?;
        cpu.run(|| motion.evaluate_all(&grid))?;
        Ok(TiledEvolution { grid, motion, cpu })
    }

    /// Sets the time and the number of steps, to continue from a checkpoint. With the same tiles
    /// and values, the results are bitwise identical to those of an uninterrupted run.
    pub fn starting_at(mut self, time: f64, steps: u64) -> Self {
        (self.motion.time, self.motion.steps) = (time, steps);
        self
    }

    /// Updates the tile set if necessary, and takes a step of at most `max_dt`.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] in the following cases. For the first three,
    /// [`TiledEvolution::breakdown`] gives the voxel and the likely cause.
    ///
    /// - The coefficients are not valid.
    /// - phi is NaN after the step.
    /// - The step is too short to change the time.
    /// - Nothing moves and `max_dt` is infinite.
    /// - The interface leaves the range of tiles.
    ///
    /// Returns [`Error::Device`] if there is no memory for more tiles. The memory of the stages is
    /// then released. After an error, phi and the time are those before the step.
    pub fn step(&mut self, max_dt: f64) -> Result<StepInfo> {
        let start = Instant::now();
        let cpu = self.cpu.clone();
        let band = self.motion.band();
        let found = cpu.run(|| {
            if self.motion.is_tidy_due() || self.grid.is_pressed(&self.motion.phi, band) {
                return self.manage();
            }
            // After a resume from a checkpoint, the stages have no room yet.
            self.motion.grow(self.grid.capacity())
        });
        if found.is_err() {
            // Release memory: the caller allocates its own copy to write the state.
            self.motion.stages = Default::default();
        }
        found?;
        self.motion.seconds.blocks += start.elapsed().as_secs_f64();
        self.motion.step(&self.grid, max_dt)
    }

    /// Updates the tile set to the current band.
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

    /// Reinitializes phi directly.
    ///
    /// # Errors
    /// Returns the errors of the tile update; see [`TiledEvolution::step`].
    pub fn reinitialize(&mut self) -> Result<()> {
        let cpu = self.cpu.clone();
        cpu.run(|| {
            self.manage()?;
            self.motion.reinitialize_directly(&self.grid);
            Ok(())
        })
    }

    /// Reinitializes phi by `iterations` steps of the reinitialization equation, at least one.
    ///
    /// # Errors
    /// See [`TiledEvolution::reinitialize`].
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

    /// Returns the location and cause of the failure, if a step broke down for numerical reasons.
    pub fn breakdown(&self) -> Option<&Breakdown> {
        self.motion.breakdown.as_ref()
    }

    /// Returns the tiles, and phi by tile id.
    pub fn into_parts(self) -> (TiledGrid<E>, Pool<S, E>) {
        (self.grid, self.motion.phi)
    }

    /// Returns the time reached.
    pub fn time(&self) -> f64 {
        self.motion.time
    }

    /// Returns the number of steps taken.
    pub fn steps(&self) -> u64 {
        self.motion.steps
    }

    /// Returns the time spent so far on each kind of work, in seconds.
    pub fn seconds(&self) -> Seconds {
        self.motion.seconds
    }

    /// Returns the tiles.
    pub fn grid(&self) -> &TiledGrid<E> {
        &self.grid
    }

    /// Returns the band of active voxels: its limit on |phi|, and how far a step reads.
    pub fn band(&self) -> Band<R> {
        self.motion.band()
    }

    /// Returns the half width of the band in voxels. |phi| has this value in missing tiles and at
    /// voxels beyond the band.
    pub fn half_width(&self) -> R {
        self.motion.gamma()
    }

    /// Returns phi by tile id.
    pub fn phi(&self) -> &Pool<S, E> {
        &self.motion.phi
    }

    /// Returns the number of bytes of tiles, values and stored coefficients.
    pub fn bytes(&self) -> u64 {
        let values: u64 = self.motion.stages.iter().map(Pool::bytes).sum();
        self.grid.bytes() + self.motion.phi.bytes() + values + self.motion.coefficient_bytes()
    }
}
