//! One voxel of each scheme on regular tiles: pure functions of a few values, unit of length one
//! voxel (numerics 8).
//!
//! They compute with [`Lanes`](super::lanes::Lanes), several voxels at a time, so choices are selections
//! and never branches; sums are ordered so that a mirrored stencil gives the same bits.

pub mod advection;
pub mod curvature;
pub mod eikonal;
pub mod godunov;
pub mod nearest;
pub mod reinitialize;
pub mod upwind;
pub mod weno;
