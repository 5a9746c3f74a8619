//! Level-set functions on meshes: distances, bands, evolution.

pub mod eikonal;
pub mod evolution;
