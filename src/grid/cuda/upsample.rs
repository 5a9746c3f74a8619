//! From one lattice to the next finer one, on a card: the twin of `src/grid/upsample.rs`.

use std::sync::Arc;

use super::DeviceTiledGrid;
use crate::backend::cuda::{Array, Cuda, Element};
use crate::error::Result;
use crate::geometry::Real;
use crate::grid::{Band, Pool, Stored};

impl DeviceTiledGrid {
    /// [`TiledGrid::upsample`](crate::grid::TiledGrid::upsample) of tiles of `E^3` voxels with values `phi` by id: the same tiles, ids and
    /// bits, with the room and the blocks of [`DeviceTiledGrid::new`]; without a capacity, room for a
    /// twelfth more than there are.
    ///
    /// # Errors
    /// Those of [`TiledGrid::upsample`](crate::grid::TiledGrid::upsample).
    pub fn upsample<R: Real, S: Stored<R> + Element, const E: usize>(
        &self,
        cuda: &Arc<Cuda>,
        phi: &Array<S>,
        gamma: R,
        band: Band<R>,
        capacity: Option<usize>,
        blocks: u32,
    ) -> Result<(Self, Array<S>)> {
        let coarse = self.download::<E>()?;
        let mut pool = Pool::<S, E>::new();
        pool.grow(coarse.capacity())?;
        let n = coarse.capacity() * Pool::<S, E>::TILE;
        pool.values_mut()[..n].copy_from_slice(&cuda.download_part(phi, 0..n)?);
        let (fine, pool) = coarse.upsample(&pool, gamma, band)?;
        let n = fine.capacity();
        let capacity = capacity.unwrap_or(n + n / 12 + 64).max(n);
        let grid = Self::new(cuda, &fine, capacity, blocks)?;
        let mut values = cuda.zeros(capacity * Pool::<S, E>::TILE)?;
        cuda.write(&mut values, &pool.values()[..n * Pool::<S, E>::TILE])?;
        Ok((grid, values))
    }
}
