//! Level-set functions on meshes: distances, bands, evolution.

pub mod check;
pub mod eikonal;
pub mod evolution;
pub mod tiled;
