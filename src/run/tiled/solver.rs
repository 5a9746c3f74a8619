//! What moves on tiles, on either device.

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

/// What a motion begins with.
pub(super) enum Start<S, const E: usize> {
    /// Tiles and values; phi is made a distance first if it may be none.
    Tiles { grid: Box<TiledGrid<E>>, phi: Pool<S, E>, is_distance: bool },
    /// The state of a run that stopped early.
    Snapshot(TiledSnapshot),
}

impl<S, const E: usize> Start<S, E> {
    /// Whether phi is a distance already.
    pub fn is_distance(&self) -> bool {
        !matches!(self, Start::Tiles { is_distance: false, .. })
    }
}

/// What was done of a stretch of steps.
pub(super) struct Done {
    /// Rates in voxels per time.
    pub advance: Advance,
    /// Whether both signs are left.
    pub has_interface: bool,
    pub voxel_updates: u64,
    pub reinitializations: u64,
}

/// The tiles and their values, here.
pub(super) struct Seen<'a, R, S, const E: usize> {
    pub grid: &'a TiledGrid<E>,
    pub phi: &'a Pool<S, E>,
    /// What a voxel of the band lies below.
    pub band: Band<R>,
    /// Half width of the band, voxels.
    pub gamma: R,
}

/// What phi is on all tiles, in voxels.
pub(super) struct Range<R> {
    /// The smallest and the largest; 0 where there are no tiles.
    pub low: R,
    pub high: R,
    /// Voxels in the band.
    pub active: u64,
}

impl<R: Wide, S: Stored<R>, const E: usize> Seen<'_, R, S, E> {
    /// As surfaces are made from them.
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

/// An evolution on tiles on the device of the run; lengths are in voxels.
pub(super) enum TiledSolver<'a, R: Wide, S: Stored<R> + SavedNumber, const E: usize> {
    Cpu {
        evolution: Box<TiledEvolution<R, E, S>>,
        /// Names the voxel where a step broke down.
        named: Named<'a>,
    },
    Gpu(Box<GpuTiles<'a, R, S, E>>),
}

impl<R: Wide, S: Stored<R> + SavedNumber, const E: usize> TiledSolver<'_, R, S, E> {
    /// Steps of a stretch, one at least; its rate is in voxels per time.
    ///
    /// # Errors
    /// Those of [`TiledEvolution::step`]; where a voxel is known, it is named in world units.
    pub fn advance(&mut self, stretch: &StepTarget) -> Result<Done> {
        let (evolution, named) = match self {
            TiledSolver::Cpu { evolution, named } => (evolution, named),
            TiledSolver::Gpu(tiles) => return tiles.advance(stretch),
        };
        let step = evolution.step(stretch.largest_step());
        let step = step.map_err(|error| match evolution.breakdown() {
            Some(found) => named.error(found),
            None => error,
        })?;
        Ok(Done {
            advance: stretch.after(step.dt, step.rate),
            has_interface: step.has_interface,
            voxel_updates: step.active_voxels,
            reinitializations: u64::from(step.reinitialized),
        })
    }

    /// Tiles and values of now.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if a GPU fails.
    pub fn look(&mut self) -> Result<Seen<'_, R, S, E>> {
        match self {
            TiledSolver::Cpu { evolution, .. } => {
                let (grid, phi) = (evolution.grid(), evolution.phi());
                Ok(Seen { grid, phi, band: evolution.band(), gamma: evolution.half_width() })
            }
            TiledSolver::Gpu(tiles) => tiles.look(),
        }
    }

    /// The interface in world units.
    ///
    /// # Errors
    /// Those of [`extract`]; [`Error::Device`](crate::Error::Device) if a GPU fails.
    pub fn surface(&mut self, placement: &Placement, normals: bool) -> Result<Mesh> {
        match self {
            TiledSolver::Cpu { .. } => extract(&self.look()?.tiles(), placement, normals),
            TiledSolver::Gpu(tiles) => tiles.surface(placement, normals),
        }
    }

    /// The range of phi over all tiles.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if a GPU fails.
    pub fn range(&mut self) -> Result<Range<R>> {
        match self {
            TiledSolver::Cpu { .. } => Ok(self.look()?.range()),
            TiledSolver::Gpu(tiles) => tiles.range(),
        }
    }

    /// Number of tiles of now.
    pub fn n_tiles(&self) -> usize {
        match self {
            TiledSolver::Cpu { evolution, .. } => evolution.grid().n_tiles(),
            TiledSolver::Gpu(tiles) => tiles.n_tiles(),
        }
    }

    /// Bytes held by tiles and values.
    pub fn bytes(&self) -> u64 {
        match self {
            TiledSolver::Cpu { evolution, .. } => evolution.bytes(),
            TiledSolver::Gpu(tiles) => tiles.bytes(),
        }
    }

    /// Seconds spent so far.
    pub fn seconds(&self) -> Seconds {
        match self {
            TiledSolver::Cpu { evolution, .. } => evolution.seconds(),
            TiledSolver::Gpu(tiles) => tiles.seconds(),
        }
    }

    /// The state between two steps.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if a GPU fails, or there is no memory for the copy.
    pub fn snapshot(&self) -> Result<TiledSnapshot> {
        match self {
            TiledSolver::Cpu { evolution, .. } => evolution.snapshot(),
            TiledSolver::Gpu(tiles) => tiles.snapshot(),
        }
    }
}

impl TiledCase<'_> {
    /// An evolution on the GPU, or on the CPU where there is none.
    ///
    /// # Errors
    /// Those of [`TiledEvolution::new`] and [`TiledEvolution::resume`]; [`Error::Device`](crate::Error::Device)
    /// if the GPU has too little memory.
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

    /// An evolution on the CPU.
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
