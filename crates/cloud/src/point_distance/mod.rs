//! Distances to sets of points and voxels.
//!
//! [`nearest`] is the point-wise distance transform: it finds the distance from each query point to
//! the nearest of a set of feature points ([`Sites`]). Queries can be few and anywhere in space.
//! [`Index`] is a search tree for many queries. [`Edt`] is the Euclidean distance transform: the
//! distance of every voxel of a volume to the nearest voxel of a set.
//!
//! The method, its working set, perforation and cones follow N. Khan and M. Zahran, Space-efficient
//! pointwise computation of the distance transform on GPUs. See docs/point-distances.md for
//! details. Distances along a mesh are computed by `zeroset::levelset::eikonal`.
//!
//! ```
//! use zeroset_core::Cpu;
//! use zeroset_cloud::point_distance::{Edt, Options, Sites, nearest};
//!
//! let sites = Sites::new(&[[0, 0, 0], [5, 1, 2]])?;
//! let found = nearest(&Cpu::current(), &sites, &[[4, 1, 0]], &Options::default())?;
//! assert_eq!((found.found[0].key, found.found[0].site), (5, 1)); // 1 + 0 + 4, exact
//!
//! let inside = [false, false, true, false];
//! let edt = Edt::default().spacing([0.5, 1.0, 1.0]);
//! let distance = edt.transform(&Cpu::current(), &inside, [4, 1, 1])?;
//! assert_eq!(distance, [1.0, 0.5, 0.0, 0.5]);
//! # Ok::<(), zeroset_core::Error>(())
//! ```

mod brute;
mod cone;
mod coordinate;
#[doc(hidden)]
pub mod cuda;
mod edt;
mod nearest;
mod neighbors;
mod norm;
mod perforation_error;
mod sites;
mod tree;
mod working_set;

pub use cone::{Cone, Directions};
pub use coordinate::Coordinate;
pub use edt::Edt;
#[doc(hidden)]
pub use edt::{DeviceEdt, DeviceFaces};
pub use nearest::{Found, Kernel, Method, NO_SITE, Nearest, Options, nearest};
pub use norm::Norm;
pub use perforation_error::Perforation;
pub use sites::Sites;
pub use tree::Index;
pub use working_set::Plan;
