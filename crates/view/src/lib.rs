//! Pictures of meshes and volumes, and plots of curves.
//!
//! [`picture`] draws meshes and writes PNG files. [`render`] casts rays through volumes. Both run
//! on the CPU and on a GPU and produce the same pixels. [`plot`] draws curves as SVG. [`html`]
//! writes pages with a 3-D view.
//!
//! This crate draws data in memory and reads no files. The compiler enforces this:
//!
//! ```compile_fail,E0432
//! use zeroset_io::read_mesh; // another layer
//! ```

pub mod html;
mod markup;
pub mod picture;
pub mod plot;
pub mod render;
