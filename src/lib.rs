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
//! solve(&zeroset::backend::Cpu::new(0)?, &mut state, None);
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
//! Dependencies point downwards only: `error` <- `geometry`, `expression` <- `mesh`, `volume`, `grid`,
//! `io` <- `backend` <- `primitives` <- `patches`, `point_distance`, `cloud` <- `surface`, `render` <- `picture`, `levelset` <- `reconstruct` <- `run` <- `cli`.
#![warn(missing_docs)]

pub mod backend;
pub mod cli;
pub mod cloud;
pub mod config;
pub mod error;
pub mod expression;
pub mod geometry;
pub mod grid;
pub mod io;
pub mod levelset;
pub mod mesh;
pub mod output;
pub mod patches;
pub mod picture;
pub mod point_distance;
pub mod points;
pub mod primitives;
pub mod reconstruct;
pub mod render;
pub mod run;
pub mod surface;
pub mod volume;
mod words;

pub use error::{Error, Result};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
