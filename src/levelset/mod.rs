//! Level-set functions on meshes and on sparse grids: distances, narrow bands and evolution.

pub mod eikonal;
pub mod evolution;
pub mod gradient_norm_error;
pub mod tiled;
pub mod volume;
