//! The facade: one function per job, with plain arrays as inputs and results.
//!
//! Its functions are re-exported at the crate root: [`read`], [`distance`], [`evolve`],
//! [`reconstruct()`], [`isosurface`], [`edt`], [`nearest`] and [`sdf`]. They use the same code, the
//! same defaults and the same choice of device as the command line, so their values are bitwise
//! identical to those that the program writes. Results refer to the vertices and cells of the file,
//! although the solvers work on a repaired and cleaned mesh. Warnings are part of the results, and
//! nothing is printed.
//!
//! Options have defaults and one method for each setting: `EvolveOptions::default().until(2.0)`.
//! By default, a call uses all cores, or a GPU if there is one and the work is large enough. A
//! [`Device`](crate::config::Device) selects another device: `Device::cpu().threads(2)` or
//! `Device::gpu(0)`. For a mesh, it is an option of [`read_with`].

mod conduction;
mod control;
pub(crate) mod device;
mod distance;
mod edt;
mod evolve;
mod farthest;
mod isosurface;
mod isosurface_on_gpu;
mod mesh;
mod nearest;
mod read_options;
mod reconstruct;
mod sdf;
mod sensitivity;
mod source;
mod subject;
mod threads;

pub use crate::run::distance::Sensitivity;
pub use crate::surface::DeviceResults;
pub use conduction::{Conduction, Directions, Fibers};
pub use control::Control;
pub use device::wait_for_stream;
pub use distance::{DistanceOptions, Distances, distance, distance_with};
#[cfg(feature = "cli")]
pub(crate) use edt::edt_on;
pub use edt::{
    DeviceMarks, VoxelDistances, edt, edt_between, nearest_voxels, nearest_voxels_between,
};
pub use evolve::{
    DeviceTerms, Evolution, EvolveOptions, Phi, State, Terms, Velocity, begin, begin_between,
    evolve, evolve_with,
};
#[cfg(feature = "cli")]
pub(crate) use farthest::farthest_points_with;
pub use farthest::{FarthestPoints, farthest_points};
#[cfg(feature = "cli")]
pub(crate) use isosurface::isosurface_with;
pub use isosurface::{Isosurface, IsosurfaceOptions, isosurface};
pub use isosurface_on_gpu::{DeviceVoxels, IsosurfaceOnGpu};
pub use mesh::{Mesh, read, read_with};
pub use nearest::{DeviceQueries, NearestSites, nearest, nearest_between};
#[cfg(feature = "cli")]
pub(crate) use nearest::{is_worth_a_gpu, serves};
pub use read_options::ReadOptions;
pub use reconstruct::{ReconstructOptions, Reconstruction, reconstruct};
#[cfg(feature = "cli")]
pub(crate) use sdf::MOST_ALONG;
pub use sdf::{
    DeviceSignedSurface, Extras, Grid, GridDistances, GridOptions, PointDistances, SignedSurface,
    sdf,
};
pub use sensitivity::sensitivity;
pub use source::{Source, Values};
pub use subject::Subject;
