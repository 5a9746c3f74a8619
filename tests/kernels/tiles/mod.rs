//! Sparse tiled grids: kernels of `kernels/tiles/` against the CPU, bit by bit.

pub mod grid;
mod manage;
mod step;
mod volumes;
