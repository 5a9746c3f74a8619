//! The evolution on tiles on a GPU, with the host data needed for error messages and measures.

use std::sync::Arc;

use super::TiledCase;
use super::failure::Named;
use super::solver::{Done, Range, Seen, Start};
use crate::Cpu;
use crate::error::{Error, Result};
use crate::gpu::Cuda;
use crate::grid::{Band, Pool, Stored, TiledGrid};
use crate::levelset::eikonal::cuda::Gpu;
use crate::levelset::evolution::StepTarget;
use crate::levelset::tiled::cuda::DeviceTiledEvolution;
use crate::levelset::tiled::{SavedNumber, Seconds, Terms, TiledSnapshot, Wide};
use crate::mesh::Mesh;
use crate::surface::cubes::{Placement, extract};

impl TiledCase<'_> {
    /// Creates an evolution on a GPU. The initial reinitialization runs on the CPU.
    ///
    /// # Errors
    /// Returns the same errors as [`TiledCase::solver`].
    pub(super) fn on_gpu<'a, R: Wide, S: Stored<R> + SavedNumber, const E: usize>(
        &'a self,
        gpu: &Gpu,
        start: Start<S, E>,
    ) -> Result<GpuTiles<'a, R, S, E>> {
        let (terms, options) = (self.device_terms(&gpu.cuda)?, self.options());
        let evolution = match start {
            Start::Snapshot(snapshot) => {
                DeviceTiledEvolution::resume(&gpu.cuda, snapshot, &terms, options)?
            }
            start @ Start::Tiles { .. } => {
                // The terms are zero, because the CPU only reinitializes phi.
                let at_rest = self.with_terms::<R, S, E>(start, &Terms::default())?;
                let (grid, phi) = at_rest.into_parts();
                DeviceTiledEvolution::new(&gpu.cuda, &grid, &phi, &terms, options, None)?
            }
        };
        let (terms, cpu) = (self.terms::<R>()?, self.cpu.clone());
        Ok(GpuTiles::new(evolution, terms, (cpu, gpu.cuda.clone()), self.named()))
    }
}

/// An evolution on a GPU, with the data needed to explain a breakdown.
pub(super) struct GpuTiles<'a, R: Wide, S: Stored<R> + SavedNumber, const E: usize> {
    evolution: DeviceTiledEvolution<R, E, S>,
    terms: Terms<R>,
    cpu: Arc<Cpu>,
    cuda: Arc<Cuda>,
    named: Named<'a>,
    band: Band<R>,
    gamma: R,
    /// A copy of the tiles and values on the host, with the number of steps after which it was
    /// made.
    seen: Option<(u64, TiledGrid<E>, Pool<S, E>)>,
}

impl<'a, R: Wide, S: Stored<R> + SavedNumber, const E: usize> GpuTiles<'a, R, S, E> {
    pub fn new(
        evolution: DeviceTiledEvolution<R, E, S>,
        terms: Terms<R>,
        (cpu, cuda): (Arc<Cpu>, Arc<Cuda>),
        named: Named<'a>,
    ) -> Self {
        let (band, gamma) = (evolution.band(), evolution.half_width());
        GpuTiles { evolution, terms, cpu, cuda, named, band, gamma, seen: None }
    }

    /// Returns the error with its cause if the cause can be determined.
    fn named(&self, error: Error, max_dt: f64) -> Error {
        if !matches!(error, Error::Numerical { .. }) {
            return error;
        }
        match self.evolution.breakdown(&self.terms, self.cpu.clone(), max_dt) {
            Ok(Some(found)) => self.named.error(&found),
            // Only the GPU's error is known.
            _ => error,
        }
    }

    pub fn advance(&mut self, until: &StepTarget) -> Result<Done> {
        self.seen = None;
        let before = *self.evolution.control();
        let advance = self.evolution.advance(until);
        let advance = advance.map_err(|error| self.named(error, until.largest_step()))?;
        let now = self.evolution.control();
        Ok(Done {
            advance,
            has_interface: !self.evolution.is_extinct(),
            voxel_updates: now.voxel_steps - before.voxel_steps,
            reinitializations: now.reinitializations - before.reinitializations,
        })
    }

    pub fn look(&mut self) -> Result<Seen<'_, R, S, E>> {
        let steps = self.evolution.n_steps();
        let seen = match self.seen.take() {
            Some(seen) if seen.0 == steps => seen,
            _ => {
                let (grid, phi) = self.evolution.download()?;
                (steps, grid, phi)
            }
        };
        let (_, grid, phi) = self.seen.insert(seen);
        Ok(Seen { grid, phi, band: self.band, gamma: self.gamma })
    }

    pub fn surface(&mut self, placement: &Placement, normals: bool) -> Result<Mesh> {
        match self.evolution.surface(placement, normals).and_then(|made| made.mesh(&self.cuda)) {
            // If the surface does not fit in GPU memory, it is created on the CPU.
            Err(Error::Device { .. }) => extract(&self.look()?.tiles(), placement, normals),
            made => made,
        }
    }

    pub fn range(&mut self) -> Result<Range<R>> {
        if self.evolution.control().n_tiles == 0 {
            return Ok(Range { low: R::zero(), high: R::zero(), active: 0 });
        }
        let found = self.evolution.range()?;
        Ok(Range { low: found.low, high: found.high, active: found.active })
    }

    pub fn n_tiles(&self) -> usize {
        self.evolution.control().n_tiles as usize
    }

    pub fn bytes(&self) -> u64 {
        self.evolution.bytes() as u64
    }

    pub fn seconds(&self) -> Seconds {
        Seconds { stages: self.evolution.seconds(), ..Seconds::default() }
    }

    pub fn snapshot(&self) -> Result<TiledSnapshot> {
        self.evolution.snapshot()
    }
}
