//! Storage of time-independent coefficients on a GPU. They are stored with the tiles in 16 bits.
//!
//! This is the counterpart of
//! [`Coefficient::Stationary`](crate::levelset::tiled::Coefficient::Stationary). Separate kernels
//! compute the values of new tiles and write them to the given addresses
//! (`kernels/tiles/stationary_values.cuh`).

use std::fmt;

use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Array, Cuda};
use crate::grid::cuda::TileGridArgument;

/// A kernel that computes a coefficient on tiles.
pub trait KeepCoefficient: fmt::Debug + Send + Sync {
    /// Launches the computation of the coefficient for all tiles, or for the tiles that the last
    /// change to the tile set created. Their number is in the control block (`created`), and their
    /// list positions are in `created_at`.
    ///
    /// The launch is recorded together with the steps. It must not wait for anything or allocate
    /// memory, and the kernel must do nothing while the steps are paused.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the launch fails.
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

    /// The integer that represents the largest absolute value of a component in a tile.
    pub const KEPT_MOST: i32 = 32767;
    /// Index of the quantization step of the 16-bit numbers among the extremes of a tile.
    pub const KEPT_UNIT: usize = 0;
    /// Index of the largest sum of the absolute values of all components at a voxel.
    pub const KEPT_LARGEST: usize = 1;
    /// Index of the smallest component, or of the number 0 if none is negative. It is used only for
    /// coefficients with one component.
    pub const KEPT_LEAST: usize = 2;
    /// The number of extremes of a tile.
    pub const KEPT_EXTREMES: usize = 3;

    /// A coefficient stored with the tiles, by tile id.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct StationaryArgument as StationaryValues {
        /// `[capacity][components][E^3]` values.
        pub values: u64 as "short *",
        /// `[capacity][KEPT_EXTREMES]` extremes, NaN if a value is not finite.
        pub extremes: u64 as "real *",
    }
}

/// The values of a coefficient by tile id.
pub(super) struct StationaryValues<R: Real> {
    values: Array<i16>,
    extremes: Array<R>,
    /// The number of values of a tile, or 0 if nothing is stored.
    size: usize,
}

impl<R: Real> StationaryValues<R> {
    /// Returns the number of bytes of a tile with `size` values.
    pub fn bytes_per_tile(size: usize) -> usize {
        size * size_of::<i16>() + if size > 0 { KEPT_EXTREMES * size_of::<R>() } else { 0 }
    }

    /// Allocates memory for `capacity` tiles of `size` values, or none if `size` is 0.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn new(cuda: &Cuda, capacity: usize, size: usize) -> Result<Self> {
        let tiles = if size > 0 { capacity } else { 0 };
        let values = cuda.zeros(tiles * size)?;
        Ok(StationaryValues { values, extremes: cuda.zeros(tiles * KEPT_EXTREMES)?, size })
    }

    /// Makes room for `capacity` tiles. Existing values are kept.
    ///
    /// # Errors
    /// See [`StationaryValues::new`].
    pub fn grow(&mut self, cuda: &Cuda, capacity: usize) -> Result<()> {
        if self.size > 0 {
            self.values = cuda.lengthened(&self.values, capacity * self.size)?;
            self.extremes = cuda.lengthened(&self.extremes, capacity * KEPT_EXTREMES)?;
        }
        Ok(())
    }

    /// Returns the kernel argument.
    pub fn argument(&self) -> StationaryArgument {
        StationaryArgument { values: self.values.address(), extremes: self.extremes.address() }
    }

    /// Returns the number of bytes that the coefficient takes per tile.
    pub fn tile_bytes(&self) -> usize {
        Self::bytes_per_tile(self.size)
    }

    /// Returns the number of bytes that the values and extremes take on the GPU.
    pub fn bytes(&self) -> usize {
        self.values.len() * size_of::<i16>() + self.extremes.len() * size_of::<R>()
    }
}
