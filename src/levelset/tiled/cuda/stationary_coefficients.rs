//! Coefficients kept with the tiles in 16 bits: [`Coefficient::Stationary`](crate::levelset::tiled::Coefficient::Stationary)
//! on a GPU. Kernels of their own make them, for the tiles that come, in the places they are told
//! (`kernels/tiles/stationary_values.cuh`).

use std::fmt;

use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Array, Cuda};
use crate::grid::cuda::TileGridArgument;

/// What makes a coefficient of tiles.
pub trait KeepCoefficient: fmt::Debug + Send + Sync {
    /// Launches what makes the coefficient of the tiles that came with the last change of the tile set,
    /// `created` of the control block, whose places in the list are at `created_at`; or of all tiles.
    /// It is recorded with the steps, so it waits for nothing and takes no memory; it does nothing while
    /// steps are paused.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if the GPU does not answer.
    fn launch(
        &self,
        cuda: &Cuda,
        tiles: TileGridArgument,
        kept: StationaryArgument,
        of_all: bool,
    ) -> Result<()>;
}

zeroset_gpu::cuda_header! {
    "tile_stationary_values", include "common/real.cuh";

    /// What stands for the largest component of a tile.
    pub const KEPT_MOST: i32 = 32767;
    /// What is known of the values of a tile: what one step of the 16 bits is worth, ...
    pub const KEPT_UNIT: usize = 0;
    /// ... the largest sum of the sizes of all components at a voxel, ...
    pub const KEPT_LARGEST: usize = 1;
    /// ... and the smallest component, 0 at most, which is asked of single numbers only.
    pub const KEPT_LEAST: usize = 2;
    /// How many numbers that are.
    pub const KEPT_EXTREMES: usize = 3;

    /// A coefficient kept with the tiles, by their ids.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct StationaryArgument as StationaryValues {
        /// `[capacity][components][E^3]`
        pub values: u64 as "short *",
        /// `[capacity][KEPT_EXTREMES]`, not numbers where a value is none.
        pub extremes: u64 as "real *",
    }
}

/// Values of a coefficient by the ids of tiles.
pub(super) struct StationaryValues<R: Real> {
    values: Array<i16>,
    extremes: Array<R>,
    /// Values of a tile; 0 where nothing is kept.
    size: usize,
}

impl<R: Real> StationaryValues<R> {
    /// Bytes of a tile with `size` values.
    pub fn bytes_per_tile(size: usize) -> usize {
        size * size_of::<i16>() + if size > 0 { KEPT_EXTREMES * size_of::<R>() } else { 0 }
    }

    /// Room for `capacity` tiles of `size` values, 0 where nothing is kept.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn new(cuda: &Cuda, capacity: usize, size: usize) -> Result<Self> {
        let tiles = if size > 0 { capacity } else { 0 };
        let values = cuda.zeros(tiles * size)?;
        Ok(StationaryValues { values, extremes: cuda.zeros(tiles * KEPT_EXTREMES)?, size })
    }

    /// Makes room for more tiles.
    ///
    /// # Errors
    /// As [`StationaryValues::new`].
    pub fn grow(&mut self, cuda: &Cuda, capacity: usize) -> Result<()> {
        if self.size > 0 {
            self.values = cuda.lengthened(&self.values, capacity * self.size)?;
            self.extremes = cuda.lengthened(&self.extremes, capacity * KEPT_EXTREMES)?;
        }
        Ok(())
    }

    /// What kernels take.
    pub fn argument(&self) -> StationaryArgument {
        StationaryArgument { values: self.values.address(), extremes: self.extremes.address() }
    }

    /// Bytes of a tile.
    pub fn tile_bytes(&self) -> usize {
        Self::bytes_per_tile(self.size)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.values.len() * size_of::<i16>() + self.extremes.len() * size_of::<R>()
    }
}
