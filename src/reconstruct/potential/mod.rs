//! Reconstructs a closed surface from samples without normals: a level set moves in the potential
//! of the samples.
//!
//! phi is negative inside. It starts as a box around the samples on a coarse grid and moves by
//!
//! ```text
//! phi_t = - U . grad phi + alpha kappa |grad phi|
//! ```
//!
//! with U along the gradient of `P(x) = sum d_i^(1-p)`, `d_i^2 = |x - x_i|^2 + s^2`, toward the
//! samples x_i. On each grid but the finest, the interface stops one voxel outside of the samples,
//! and the next finer grid starts from there. On the finest grid, it stops on the ridge of P.
//!
//! Source: A. C. Jalba, W. J. van der Laan, J. B. T. M. Roerdink, "Fast sparse level sets on
//! graphics hardware", IEEE TVCG 19 (2013), section 4. `docs/potential.md` lists the differences
//! and their reasons.
//!
//! ```text
//! options       the options of a reconstruction
//! octree_cube   the cube around the cloud, which the octree divides
//! octree        centroids and sample counts of cubes
//! sample_sums   P, its gradient and weighted means
//! field         the velocity on the voxels of a tile
//! levels        the motion from the coarsest grid to the finest
//! report        the report of a reconstruction
//! droplets      removes remains of single samples and of sheets
//! fit_residual  the distance of the samples from the interface
//! memory        memory estimates
//! cuda          the same on a GPU
//! ```

#[doc(hidden)]
pub mod cuda;
mod droplets;
mod field;
mod fit_residual;
mod levels;
mod memory;
mod octree;
mod octree_cube;
mod options;
mod report;
pub mod sample_sums;

pub use levels::reconstruct;
pub use octree::{Node, Octree};
pub use octree_cube::Frame;
pub(super) use options::{DEPTHS, depth_of};
pub use options::{Options, Storage};
pub use report::{Level, Levels};
