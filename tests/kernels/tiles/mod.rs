//! Compares the sparse grid kernels in `kernels/tiles/` with the CPU. Results must be bitwise
//! identical.

pub mod grid;
mod manage;
mod step;
mod volumes;
