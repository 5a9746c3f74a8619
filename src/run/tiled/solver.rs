//! The solver of a motion on tiles, on the CPU or a GPU.

use super::TiledCase;
use super::failure::Named;
use super::gpu::GpuTiles;
use crate::error::Result;
use crate::grid::{Band, Pool, Stored, TiledGrid};
use crate::levelset::eikonal::cuda::Gpu;
use crate::levelset::evolution::{Advance, StepTarget};
use crate::levelset::tiled::{SavedNumber, Seconds, Terms, TiledEvolution, TiledSnapshot, Wide};
use crate::mesh::Mesh;
use crate::surface::cubes::{Placement, Tiles, extract};

/// The initial data of a motion.
pub(super) enum Start<S, const E: usize> {
    /// Tiles and values. If `is_distance` is false, phi must be reinitialized first.
    Tiles { grid: Box<TiledGrid<E>>, phi: Pool<S, E>, is_distance: bool },
    /// The state of an interrupted run.
    Snapshot(TiledSnapshot),
}

impl<S, const E: usize> Start<S, E> {
    /// Returns whether phi is already a signed distance function.
    pub fn is_distance(&self) -> bool {
        !matches!(self, Start::Tiles { is_distance: false, .. })
    }
}

/// The result of [`TiledSolver::advance`].
pub(super) struct Done {
    /// The time reached and the steps taken. Rates are in voxels per unit of time.
    pub advance: Advance,
    /// Whether phi still has both signs.
    pub has_interface: bool,
    pub voxel_updates: u64,
    pub reinitializations: u64,
}

/// Tiles and values in host memory.
pub(super) struct Seen<'a, R, S, const E: usize> {
    pub grid: &'a TiledGrid<E>,
    pub phi: &'a Pool<S, E>,
    /// The narrow band. A voxel belongs to it if |phi| < `band.gamma`.
    pub band: Band<R>,
    /// Half width of the narrow band in voxels.
    pub gamma: R,
}

/// The range of phi over all tiles, in voxels.
pub(super) struct Range<R> {
    /// Smallest and largest value. Both are 0 if there are no tiles.
    pub low: R,
    pub high: R,
    /// Number of voxels in the narrow band.
    pub active: u64,
}

impl<R: Wide, S: Stored<R>, const E: usize> Seen<'_, R, S, E> {
    /// Returns the tiles as input for surface extraction.
    pub fn tiles(&self) -> Tiles<'_, R, S, E> {
        Tiles { grid: self.grid, phi: self.phi, band: self.band }
    }

    fn range(&self) -> Range<R> {
        let (phi, gamma) = (self.phi, self.band.gamma);
        let start = (0, R::INFINITY, R::of(f64::NEG_INFINITY));
        let join = |a: (u64, R, R), b: (u64, R, R)| (a.0 + b.0, a.1.min(b.1), a.2.max(b.2));
        let of_tile = |tile: &crate::grid::Tile| {
            phi.tile(tile.id)
                .iter()
                .map(|v| v.load(gamma))
                .fold(start, |all, v| join(all, (u64::from(v.abs() < gamma), v, v)))
        };
        let all = self.grid.fold(of_tile, join);
        let (active, low, high) = all.unwrap_or((0, R::zero(), R::zero()));
        Range { low, high, active }
    }
}

/// An evolution on tiles on the device of the run. Lengths are in voxels.
pub(super) enum TiledSolver<'a, R: Wide, S: Stored<R> + SavedNumber, const E: usize> {
    Cpu {
        evolution: Box<TiledEvolution<R, E, S>>,
        /// The data needed to describe the voxel at which a step broke down.
        named: Named<'a>,
    },
    Gpu(Box<GpuTiles<'a, R, S, E>>),
}

impl<R: Wide, S: Stored<R> + SavedNumber, const E: usize> TiledSolver<'_, R, S, E> {
    /// Takes at least one step toward a target. Rates are in voxels per unit of time.
    ///
    /// # Errors
    /// Returns the errors of [`TiledEvolution::step`]. If the voxel of a breakdown is known, the
    /// error gives its position in world units.
    pub fn advance(&mut self, until: &StepTarget) -> Result<Done> {
        let (evolution, named) = match self {
            TiledSolver::Cpu { evolution, named } => (evolution, named),
            TiledSolver::Gpu(tiles) => return tiles.advance(until),
        };
        let step = evolution.step(until.largest_step());
        let step = step.map_err(|error| match evolution.breakdown() {
            Some(found) => named.error(found),
            None => error,
        })?;
        Ok(Done {
            advance: until.after(step.dt, step.rate),
            has_interface: step.has_interface,
            voxel_updates: step.active_voxels,
            reinitializations: u64::from(step.reinitialized),
        })
    }

    /// Returns the current tiles and values.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails.
    pub fn look(&mut self) -> Result<Seen<'_, R, S, E>> {
        match self {
            TiledSolver::Cpu { evolution, .. } => {
                let (grid, phi) = (evolution.grid(), evolution.phi());
                Ok(Seen { grid, phi, band: evolution.band(), gamma: evolution.half_width() })
            }
            TiledSolver::Gpu(tiles) => tiles.look(),
        }
    }

    /// Returns the interface in world units.
    ///
    /// # Errors
    /// Returns the errors of [`extract`]. Returns [`Error::Device`](crate::Error::Device) if the
    /// GPU fails.
    pub fn surface(&mut self, placement: &Placement, normals: bool) -> Result<Mesh> {
        match self {
            TiledSolver::Cpu { .. } => extract(&self.look()?.tiles(), placement, normals),
            TiledSolver::Gpu(tiles) => tiles.surface(placement, normals),
        }
    }

    /// Returns the range of phi over all tiles.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails.
    pub fn range(&mut self) -> Result<Range<R>> {
        match self {
            TiledSolver::Cpu { .. } => Ok(self.look()?.range()),
            TiledSolver::Gpu(tiles) => tiles.range(),
        }
    }

    /// Returns the current number of tiles.
    pub fn n_tiles(&self) -> usize {
        match self {
            TiledSolver::Cpu { evolution, .. } => evolution.grid().n_tiles(),
            TiledSolver::Gpu(tiles) => tiles.n_tiles(),
        }
    }

    /// Returns the number of bytes that tiles and values take.
    pub fn bytes(&self) -> u64 {
        match self {
            TiledSolver::Cpu { evolution, .. } => evolution.bytes(),
            TiledSolver::Gpu(tiles) => tiles.bytes(),
        }
    }

    /// Returns the seconds spent so far.
    pub fn seconds(&self) -> Seconds {
        match self {
            TiledSolver::Cpu { evolution, .. } => evolution.seconds(),
            TiledSolver::Gpu(tiles) => tiles.seconds(),
        }
    }

    /// Returns a snapshot of the state between two steps.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails, or if there is not enough
    /// memory for the copy.
    pub fn snapshot(&self) -> Result<TiledSnapshot> {
        match self {
            TiledSolver::Cpu { evolution, .. } => evolution.snapshot(),
            TiledSolver::Gpu(tiles) => tiles.snapshot(),
        }
    }
}

impl TiledCase<'_> {
    /// Creates an evolution on the GPU, or on the CPU if `gpu` is `None`.
    ///
    /// # Errors
    /// Returns the errors of [`TiledEvolution::new`] and [`TiledEvolution::resume`]. Returns
    /// [`Error::Device`](crate::Error::Device) if the GPU does not have enough memory.
    pub(super) fn solver<'a, R: Wide, S: Stored<R> + SavedNumber, const E: usize>(
        &'a self,
        gpu: Option<&Gpu>,
        start: Start<S, E>,
    ) -> Result<TiledSolver<'a, R, S, E>> {
        match gpu {
            Some(gpu) => Ok(TiledSolver::Gpu(Box::new(self.on_gpu(gpu, start)?))),
            None => {
                let evolution = Box::new(self.with_terms(start, &self.terms::<R>()?)?);
                Ok(TiledSolver::Cpu { evolution, named: self.named() })
            }
        }
    }

    /// Creates an evolution on the CPU. Reinitializes phi if it is not yet a signed distance.
    pub(super) fn with_terms<R: Wide, S: Stored<R> + SavedNumber, const E: usize>(
        &self,
        start: Start<S, E>,
        terms: &Terms<R>,
    ) -> Result<TiledEvolution<R, E, S>> {
        let (options, cpu) = (self.options(), self.cpu.clone());
        match start {
            Start::Tiles { grid, phi, is_distance } => {
                let mut evolution = TiledEvolution::new(*grid, phi, terms, options, cpu)?;
                if !is_distance {
                    evolution.reinitialize()?;
                }
                Ok(evolution)
            }
            Start::Snapshot(snapshot) => TiledEvolution::resume(snapshot, terms, options, cpu),
        }
    }
}
