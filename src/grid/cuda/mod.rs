//! Sparse tiled grids on a GPU. The kernels are in `kernels/tiles/`.
//!
//! ```text
//! control   the control block of steps, and the lists as kernels see them
//! grid      the tile lists
//! pool      the values of the tiles
//! upsample  refinement to a finer grid
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

// SAFETY: the type is a single integer, with the layout that kernels expect.
unsafe impl Plain for Fixed16 {}
