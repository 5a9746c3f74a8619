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
//! Dependencies point downwards only: `error` <- `geometry` <- `mesh`, `io` <- `backend` <-
//! `primitives` <- `patches` <- `surface` <- `levelset` <- `run` <- `cli`.
#![warn(missing_docs)]

pub mod backend;
pub mod cli;
pub mod config;
pub mod error;
pub mod geometry;
pub mod io;
pub mod levelset;
pub mod mesh;
pub mod patches;
pub mod primitives;
pub mod surface;

pub use error::{Error, Result};
