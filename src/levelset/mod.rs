//! Level-set functions on meshes and on sparse grids: distances, narrow bands and evolution.

pub mod check;
pub mod eikonal;
pub mod evolution;
pub mod tiled;
