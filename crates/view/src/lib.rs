//! Pictures of meshes and volumes.
//!
//! [`picture`] draws meshes and writes PNG files; [`render`] sends rays through volumes. Both run on
//! the CPU and on a GPU, with the same pixels.

pub mod picture;
pub mod render;
