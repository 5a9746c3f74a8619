//! A closed surface round samples without normals: a level set drawn into their potential.
//!
//! phi is negative inside; it begins as a box round the samples on a coarse grid and moves by
//!
//! ```text
//! phi_t = - F |grad phi| - U . grad phi + alpha kappa |grad phi|
//! ```
//!
//! with U along the gradient of `P(x) = sum d_i^(1-p)`, `d_i^2 = |x - x_i|^2 + s^2`, towards the
//! samples x_i. On each grid but the finest the interface comes to rest a voxel outside of the
//! samples, and the next finer grid begins with it; on the finest it comes to rest on the ridge of P.
//!
//! Source: A. C. Jalba, W. J. van der Laan, J. B. T. M. Roerdink, "Fast sparse level sets on
//! graphics hardware", IEEE TVCG 19 (2013), section 4; numerics 9. `docs/potential.md` says what is
//! done in another way, and why.
//!
//! ```text
//! options   what can be chosen
//! frame     where the cube of the octree lies
//! octree    centroids and numbers of samples of cubes
//! sum       P, its gradient and weighted means
//! field     the velocity on the voxels of a tile
//! levels    from the coarsest grid to the finest
//! report    what was done
//! droplets  what is left of single samples and of sheets
//! error     how far samples are from the interface
//! memory    whether there is room
//! cuda      the same on a GPU
//! ```

pub mod cuda;
mod droplets;
mod field;
mod fit_residual;
mod frame;
mod levels;
mod memory;
mod octree;
mod options;
mod report;
pub mod sum;

pub use frame::Frame;
pub use levels::reconstruct;
pub use octree::{Node, Octree};
pub(super) use options::{DEPTHS, depth_of};
pub use options::{Options, Storage};
pub use report::{Level, Levels};
