//! Pictures of meshes and volumes.
//!
//! [`picture`] draws meshes and writes PNG files; [`render`] sends rays through volumes. Both run on
//! the CPU and on a GPU, with the same pixels.
//!
//! What is drawn comes from memory, not from files. The compiler keeps it so:
//!
//! ```compile_fail,E0432
//! use zeroset_io::read_mesh; // another layer
//! ```

pub mod picture;
pub mod render;
