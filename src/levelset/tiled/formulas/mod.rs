//! The schemes at one voxel of a regular grid: pure functions of a few values, with phi and lengths
//! in voxels, so that gradients have no unit (docs/tiles.md, section 8).
//!
//! The functions compute with [`Lanes`](super::lanes::Lanes), several voxels at a time. Choices are
//! therefore selections, never branches. Sums are ordered so that a mirrored stencil gives a
//! bitwise identical result.

pub mod advection;
pub mod curvature;
pub mod eikonal;
pub mod godunov;
pub mod nearest;
pub mod reinitialize;
pub mod upwind;
pub mod weno;
