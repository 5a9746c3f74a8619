//! Sparse tiled grids: kernels of `kernels/tiles/` against the CPU, bit by bit.

mod cubes;
pub mod grid;
mod manage;
mod step;
mod upsample;
