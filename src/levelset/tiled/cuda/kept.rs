//! Coefficients kept with the tiles in 16 bits: [`Coefficient::Steady`](crate::levelset::tiled::Coefficient::Steady)
//! on a card. Kernels of their own make them, for the tiles that come, in the places they are told
//! (`kernels/tiles/kept.cuh`).

use std::fmt;

use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Argument, Array, Cuda};
use crate::grid::cuda::TileGridArgument;

/// Numbers beside the values of a tile.
const EXTREMES: usize = 3;

/// What makes a coefficient of tiles.
pub trait KeepCoefficient: fmt::Debug + Send + Sync {
    /// Launches what makes the coefficient of the tiles that came with the last change of the tile set,
    /// `created` of the control block, whose places in the list are at `created_at`; or of all tiles.
    /// It is recorded with the steps, so it waits for nothing and takes no memory; it does nothing while
    /// steps are paused.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if the card does not answer.
    fn launch(
        &self,
        cuda: &Cuda,
        tiles: TileGridArgument,
        kept: KeptArgument,
        of_all: bool,
    ) -> Result<()>;
}

/// `struct Kept` of the kernels: places by the ids of tiles.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct KeptArgument {
    /// `[capacity][components][E^3]` i16.
    pub values: u64,
    /// `[capacity][3]` reals: what one step of the 16 bits is worth, the largest sum of the sizes of
    /// all components at a voxel, and the smallest component, 0 at most; not numbers where a value is none.
    /// Of a velocity nobody asks for the smallest component.
    pub extremes: u64,
}

// SAFETY: laid out as in C.
unsafe impl Argument for KeptArgument {}

/// Values of a coefficient by the ids of tiles.
pub(super) struct Kept<R: Real> {
    values: Array<i16>,
    extremes: Array<R>,
    /// Values of a tile; 0 where nothing is kept.
    size: usize,
}

impl<R: Real> Kept<R> {
    /// Bytes of a tile with `size` values.
    pub fn bytes_per_tile(size: usize) -> usize {
        size * size_of::<i16>() + if size > 0 { EXTREMES * size_of::<R>() } else { 0 }
    }

    /// Room for `capacity` tiles of `size` values, 0 where nothing is kept.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn new(cuda: &Cuda, capacity: usize, size: usize) -> Result<Self> {
        let tiles = if size > 0 { capacity } else { 0 };
        let values = cuda.zeros(tiles * size)?;
        Ok(Kept { values, extremes: cuda.zeros(tiles * EXTREMES)?, size })
    }

    /// Makes room for more tiles.
    ///
    /// # Errors
    /// As [`Kept::new`].
    pub fn grow(&mut self, cuda: &Cuda, capacity: usize) -> Result<()> {
        if self.size > 0 {
            self.values = cuda.lengthened(&self.values, capacity * self.size)?;
            self.extremes = cuda.lengthened(&self.extremes, capacity * EXTREMES)?;
        }
        Ok(())
    }

    /// What kernels take.
    pub fn argument(&self) -> KeptArgument {
        KeptArgument { values: self.values.address(), extremes: self.extremes.address() }
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
