//! Level sets and distances on triangle meshes, triangulated surfaces, tetrahedral meshes and
//! sparse grids, and surfaces from point clouds and volumes.
//!
//! The functions at the crate root do one job each, with plain arrays and with the defaults of the
//! command line ([`api`]):
//!
//! | function | computes |
//! |---|---|
//! | [`read`] | a mesh from a file |
//! | [`distance`] | the distance from sources to every vertex |
//! | [`evolve`] | the states of a moving interface |
//! | [`reconstruct`](fn@reconstruct) | a surface from a point cloud |
//! | [`isosurface`] | a surface from a volume |
//! | [`edt`] | the distance from every voxel to a set of voxels |
//! | [`nearest`] | the nearest of given points |
//! | [`sdf`] | signed distances from points to a surface |
//!
//! ```
//! use zeroset::Source;
//!
//! let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
//! let found = zeroset::distance(&mesh, &[Source::Vertex(0)])?;
//! let farthest = found.values.iter().copied().fold(0.0, f64::max);
//! assert!(farthest > 200.0); // mm
//! # Ok::<(), zeroset::Error>(())
//! ```
//!
//! [`run::run`] runs a whole case, from its TOML file to results on disk.
//!
//! The layers below can also be used on their own. A [`mesh::Mesh`] is read ([`io::read_mesh`]) or
//! generated ([`mesh::generate`]), cleaned ([`mesh::clean`]) and partitioned into patches
//! ([`patches::Patches`]). A solver then works on the patches: [`levelset::eikonal`] computes
//! distances, and [`levelset::evolution`] moves an interface by
//!
//! ```text
//! phi_t + a . grad phi + eps |grad phi| = beta kappa |grad phi|
//! ```
//!
//! with the velocity a, the normal speed eps, the curvature kappa and its coefficient beta.
//!
//! All lengths are in the units of the mesh. All errors are variants of one enum, [`Error`], and
//! each variant maps to one exit code of the program. By default, results are bitwise identical in
//! every run and for every number of threads. The pages in
//! [docs](https://github.com/zeroset-developers/zeroset/blob/main/docs/README.md) describe the
//! equations, their sources and their limits.
//!
//! Lower layers are separate crates, re-exported here under the same names: `zeroset-core` (errors,
//! geometry, meshes, volumes), `zeroset-gpu`, `zeroset-io`, `zeroset-cloud` and `zeroset-view`.
//! docs/architecture.md describes how they fit together.

pub mod api;
pub mod batch;
/// The command line, public for packages that include the program.
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
pub mod compare;
pub mod config;
pub mod converge;
pub mod grid;
pub mod levelset;
pub mod output;
pub mod patches;
pub mod reconstruct;
pub mod run;
pub mod surface;
mod table;

pub use api::{
    Mesh, ReadOptions, Source, Terms, Values, begin, distance, distance_with, edt, edt_between,
    evolve, evolve_with, isosurface, nearest, nearest_between, nearest_voxels, read, read_with,
    reconstruct, sdf,
};
pub use zeroset_cloud::{cloud, point_distance};
pub use zeroset_core::{Cpu, Error, Result};
pub use zeroset_core::{atomic, words};
pub use zeroset_core::{error, expression, geometry, mesh, points, primitives, volume};
pub use zeroset_gpu as gpu;
pub use zeroset_io as io;
pub use zeroset_view::{html, picture, plot, render};

pub(crate) use zeroset_core::parallel;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../docs/rust.md")]
struct Guide;
