//! Sparse tiled grids on a GPU: kernels in `kernels/tiles/`.
//!
//! ```text
//! control   what steers steps, and the lists, as the kernels know them
//! grid      the lists
//! pool      values of the tiles
//! upsample  a grid from a coarser one
//! ```

mod control;
mod grid;
mod pool;
mod upsample;

use zeroset_core::Plain;

pub use control::{
    BELOW_ZERO, Halt, NOT_FINITE, PRESSING, PRESSING_NOW, STIRRED, TileControl, TileGridArgument,
};
pub use grid::{DeviceTiledGrid, NEAR_WORDS};
pub use pool::{DevicePool, Storage};
pub use upsample::{UpsampleArgument, UpsampleStatus};

use super::Fixed16;

// SAFETY: one integer, as kernels know it.
unsafe impl Plain for Fixed16 {}
