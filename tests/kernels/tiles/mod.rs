//! Sparse tiled grids: kernels of `kernels/tiles/` against the CPU, bit by bit.

mod cubes;
pub mod grid;
mod manage;
mod range;
mod step;
mod upsample;
mod volumes;
