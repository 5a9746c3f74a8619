//! Level sets and distances on triangle meshes, triangulated surfaces and tetrahedral meshes.
//!
//! A [`mesh::Mesh`] is read ([`io::read_mesh`]) or generated ([`mesh::generate`]), cleaned
//! ([`mesh::clean`]), cut into patches ([`patches::Patches`]) and handed to a solver:
//! [`levelset::eikonal`] computes distances, [`levelset::evolution`] moves an interface by
//!
//! ```text
//! phi_t + a . grad phi + eps |grad phi| = beta kappa |grad phi|
//! ```
//!
//! A whole case, from its TOML file to results on disk, is one call ([`run::run`]). The parts can be
//! used alone; here the distance from one vertex over a sphere:
//!
//! ```
//! use std::sync::Arc;
//! use zeroset::levelset::eikonal::{EikonalState, Slowness, solve, source};
//! use zeroset::mesh::generate::{Generate, Sphere, generate};
//! use zeroset::patches::{Coordinates, PATCH_SIZE, Partition, Patches};
//!
//! let (mesh, _) = zeroset::mesh::clean(generate(&Generate::Sphere(Sphere::default()))?)?;
//! let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, PATCH_SIZE)?);
//! let coordinates = Arc::new(Coordinates::new(&mesh, &patches));
//! let mut state = EikonalState::<f64>::new(patches, coordinates, Slowness::Uniform(1.0));
//! state.seed(&source::around_simplices(&mesh, &[0], 1, 0.0, &Slowness::Uniform(1.0)));
//! solve(&zeroset::Cpu::new(0)?, &mut state, None);
//!
//! let farthest = state.u_in_mesh_order().into_iter().fold(0.0, f64::max);
//! assert!((farthest - std::f64::consts::PI).abs() < 0.07); // half a great circle
//! # Ok::<(), zeroset::Error>(())
//! ```
//!
//! All lengths are in the units of the mesh. Errors are one enum, [`Error`], each variant one exit
//! code of the program. Results have the same bits in every run and for every number of threads.
//! The equations, with their sources and limits, are in the folder `docs` of the repository;
//! comments that say "numerics 5.4" mean the section of that number there.
//!
//! Lower layers are crates of their own, re-exported here under the same names: `zeroset-core`
//! (errors, geometry, meshes, volumes), `zeroset-gpu`, `zeroset-io`, `zeroset-cloud` and
//! `zeroset-view`. docs/architecture.md has the whole picture.

pub mod config;
pub mod grid;
pub mod levelset;
pub mod output;
pub mod patches;
pub mod reconstruct;
pub mod run;
pub mod surface;

pub use zeroset_cloud::{cloud, point_distance};
pub use zeroset_core::{Cpu, Error, Result};
pub use zeroset_core::{atomic, words};
pub use zeroset_core::{error, expression, geometry, mesh, points, primitives, volume};
pub use zeroset_gpu as gpu;
pub use zeroset_io as io;
pub use zeroset_view::{picture, render};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
