//! A dense box of voxels that is divided into blocks, and evolutions on it. Tests compare sparse
//! tiles with it, and use it for planar problems.
//!
//! Values outside the box are those of the nearest voxel inside, so interfaces meet the sides of
//! the box at right angles. A box that is one voxel thick along z represents a planar problem.

use std::sync::Arc;

use rayon::prelude::*;

use zeroset::geometry::Real;
use zeroset::grid::{ACTIVE, Band, DIRECTIONS, Halo, Pool, Stored, activity, step_of};
use zeroset::levelset::tiled::{Blocks, Motion, Options, StepInfo, Terms, Wide};
use zeroset::primitives::DisjointRows;
use zeroset::{Cpu, Error, Result};

/// A box of voxels, divided into blocks of E^3 voxels.
#[derive(Clone, Debug)]
pub struct DenseGrid<const E: usize> {
    /// Number of voxels along each axis.
    voxels: [usize; 3],
    /// The number of blocks along each axis. The last blocks may extend beyond the box.
    blocks: [usize; 3],
    /// The indices of the blocks to compute, in ascending order. The other blocks do not change.
    computed: Vec<u32>,
}

/// A block during a pass over a dense grid.
pub struct Place<const E: usize> {
    id: u32,
    block: [usize; 3],
}

impl<const E: usize> DenseGrid<E> {
    /// Creates a box with these numbers of voxels along x, y and z.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Case`] for an empty box or a box with too many blocks.
    pub fn new(voxels: [usize; 3]) -> Result<Self> {
        let blocks = voxels.map(|n| n.div_ceil(E));
        let total = blocks.iter().try_fold(1usize, |all, n| all.checked_mul(*n));
        let total = total.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
        let total = total.ok_or_else(|| {
            Error::usage(format!("a box of {voxels:?} voxels"), "take 1 to some thousand per axis")
        })?;
        Ok(DenseGrid { voxels, blocks, computed: (0..total).collect() })
    }

    fn n(&self) -> usize {
        self.blocks.iter().product()
    }

    fn place(&self, id: u32) -> Place<E> {
        let [x, y, _] = self.blocks;
        let n = id as usize;
        Place { id, block: [n % x, n / x % y, n / (x * y)] }
    }

    /// Returns the index of the value of a voxel in a pool.
    fn position(&self, voxel: [usize; 3]) -> usize {
        let [nx, ny, _] = self.blocks;
        let [x, y, z] = voxel.map(|v| v / E);
        let [i, j, k] = voxel.map(|v| v % E);
        ((z * ny + y) * nx + x) * E * E * E + (k * E + j) * E + i
    }

    /// Returns, for each block, whether it has a voxel in the band or lies within `band.reach`
    /// voxels of such a voxel.
    fn in_reach<R: Real>(&self, phi: &Pool<R, E>, band: Band<R>) -> Vec<bool> {
        let mut is_computed = vec![false; self.n()];
        for id in 0..self.n() as u32 {
            let mask = activity::<E, R, R>(phi.tile(id), band);
            if mask & ACTIVE == 0 {
                continue;
            }
            let at = self.place(id).block;
            for d in (0..DIRECTIONS).filter(|d| mask & 1 << d != 0) {
                let step = step_of(d);
                let to = [0, 1, 2].map(|k| at[k].wrapping_add_signed(step[k] as isize));
                if (0..3).all(|k| to[k] < self.blocks[k]) {
                    let [nx, ny, _] = self.blocks;
                    is_computed[(to[2] * ny + to[1]) * nx + to[0]] = true;
                }
            }
        }
        is_computed
    }

    /// Selects the blocks that a sparse grid would have. As on a sparse grid, the selection changes
    /// only if a step needs a missing block, or if `anew` is true. If the selection changes, all
    /// other blocks are set to gamma or -gamma.
    fn hold<R: Real>(&mut self, phi: &mut Pool<R, E>, band: Band<R>, gamma: R, anew: bool) {
        let mut needed = self.in_reach(phi, band);
        self.computed.iter().for_each(|&id| needed[id as usize] = false);
        if !anew && !needed.contains(&true) {
            return;
        }
        let is_computed = self.in_reach(phi, band.roomy::<E>());
        for id in (0..self.n() as u32).filter(|&id| !is_computed[id as usize]) {
            for value in phi.tile_mut(id) {
                *value = if *value < R::zero() { -gamma } else { gamma };
            }
        }
        self.computed.clear();
        self.computed.extend((0..self.n() as u32).filter(|&id| is_computed[id as usize]));
    }
}

impl<R: Real, S: Stored<R>, const E: usize> Blocks<R, S, E> for DenseGrid<E> {
    type Place = Place<E>;

    fn fold_into<T: Send>(
        &self,
        out: &mut Pool<S, E>,
        work: impl Fn(&Place<E>, &mut [S]) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T> {
        let size = Pool::<S, E>::TILE;
        let rows = DisjointRows::new(out.values_mut());
        let on = |id: &u32| {
            let start = *id as usize * size;
            // SAFETY: the list contains each block once.
            work(&self.place(*id), unsafe { rows.range(start..start + size) })
        };
        let results: Vec<T> = self.computed.par_iter().map(on).collect();
        results.into_iter().reduce(combine)
    }

    fn fold<T: Send>(
        &self,
        work: impl Fn(&Place<E>) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T> {
        let results: Vec<T> = self.computed.par_iter().map(|id| work(&self.place(*id))).collect();
        results.into_iter().reduce(combine)
    }

    fn gather<const REACH: usize>(
        &self,
        phi: &Pool<S, E>,
        place: &Place<E>,
        gamma: R,
        _halo: Halo,
        out: &mut [R],
    ) {
        let side = E + 2 * REACH;
        let [of_x, of_y, of_z] = [0, 1, 2].map(|k| {
            let last = self.voxels[k] - 1;
            let first = place.block[k] * E;
            move |n: usize| (first + n).saturating_sub(REACH).min(last)
        });
        let [_, _, rows] = Blocks::<R, S, E>::extent(self, place);
        let values = phi.values();
        for (z, slab) in out.chunks_exact_mut(side * side).take(rows + 2 * REACH).enumerate() {
            for (y, row) in slab.chunks_exact_mut(side).enumerate() {
                for (x, value) in row.iter_mut().enumerate() {
                    let at = self.position([of_x(x), of_y(y), of_z(z)]);
                    *value = values[at].load(gamma);
                }
            }
        }
    }

    fn id(place: &Place<E>) -> u32 {
        place.id
    }

    fn first_voxel(place: &Place<E>) -> [i32; 3] {
        place.block.map(|b| (b * E) as i32)
    }

    fn extent(&self, place: &Place<E>) -> [usize; 3] {
        [0, 1, 2].map(|k| (self.voxels[k] - place.block[k] * E).min(E))
    }

    fn dimension(&self) -> usize {
        self.voxels.iter().filter(|n| **n > 1).count().max(1)
    }

    fn n_blocks(&self) -> usize {
        self.computed.len()
    }
}

/// The evolution of a level-set function on a dense grid.
pub struct DenseEvolution<R: Wide, const E: usize> {
    grid: DenseGrid<E>,
    motion: Motion<R, R, E>,
    is_held: bool,
}

impl<R: Wide, const E: usize> DenseEvolution<R, E> {
    /// Creates an evolution that starts from `phi`, which has one value per voxel in voxel units,
    /// with x varying fastest. Values are clamped to `-gamma..=gamma`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Case`] if the number of values is not the number of voxels, or if options
    /// are out of range.
    pub fn new(
        grid: DenseGrid<E>,
        phi: &[R],
        terms: &Terms<R>,
        options: Options,
        cpu: Arc<Cpu>,
    ) -> Result<Self> {
        let [nx, ny, nz] = grid.voxels;
        if phi.len() != nx * ny * nz {
            let what = format!("{} values of phi for {nx} x {ny} x {nz} voxels", phi.len());
            return Err(Error::usage(what, "give one per voxel"));
        }
        let gamma = R::of(options.gamma);
        let mut pool = Pool::new();
        pool.grow(grid.n())?;
        // Voxels beyond the box in the last blocks are never read and do not change.
        pool.values_mut().fill(gamma);
        for (n, value) in phi.iter().enumerate() {
            let at = grid.position([n % nx, n / nx % ny, n / (nx * ny)]);
            let value = if *value > gamma { gamma } else { *value };
            pool.values_mut()[at] = if value < -gamma { -gamma } else { value };
        }
        let mut motion = Motion::new(pool, terms, options, cpu.clone())?;
        motion.grow(grid.n())?;
        cpu.run(|| motion.evaluate_all(&grid))?;
        Ok(DenseEvolution { grid, motion, is_held: false })
    }

    /// Limits the computation to the blocks that sparse tiles would have.
    pub fn held(mut self) -> Self {
        self.is_held = true;
        self
    }

    /// Takes a step of at most `max_dt`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Numerical`] for invalid coefficients, or if phi is NaN after the step.
    pub fn step(&mut self, max_dt: f64) -> Result<StepInfo> {
        self.prepare(self.motion.is_tidy_due());
        self.motion.step(&self.grid, max_dt)
    }

    /// Reinitializes phi by the direct method.
    pub fn reinitialize(&mut self) {
        self.prepare(true);
        self.motion.reinitialize_directly(&self.grid);
    }

    /// If the computation is limited, selects the blocks to compute and copies phi to all stages.
    /// In the other blocks, all arrays then have the same values.
    fn prepare(&mut self, anew: bool) {
        if self.is_held {
            let (gamma, band) = (self.motion.gamma(), self.motion.band());
            self.grid.hold(&mut self.motion.phi, band, gamma, anew);
            let values = self.motion.phi.values();
            for stage in &mut self.motion.stages {
                let n = stage.values().len();
                stage.values_mut().copy_from_slice(&values[..n]);
            }
        }
    }

    /// Takes steps until a time is reached.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`DenseEvolution::step`].
    pub fn run_to(&mut self, end: f64) -> Result<()> {
        while self.time() < end {
            let left = end - self.time();
            if self.step(left)?.dt == left {
                self.motion.time = end;
            }
        }
        Ok(())
    }

    /// Returns the current time.
    pub fn time(&self) -> f64 {
        self.motion.time
    }

    /// Returns phi with one value per voxel, x varying fastest.
    pub fn phi(&self) -> Vec<R> {
        let [nx, ny, nz] = self.grid.voxels;
        let at = |n: usize| self.grid.position([n % nx, n / nx % ny, n / (nx * ny)]);
        (0..nx * ny * nz).map(|n| self.motion.phi.values()[at(n)]).collect()
    }
}
