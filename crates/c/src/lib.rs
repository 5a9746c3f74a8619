//! A C interface to zeroset. `include/zeroset.h` is generated from this crate.
//!
//! Every function that can fail returns a [`ZerosetStatus`], and [`zeroset_error`] then returns the
//! text of the error. Arrays belong to the caller, unless a function says otherwise. Functions that
//! return an object through a pointer leave it unchanged if they fail. Several threads may call
//! functions at the same time, even on the same mesh, but only one thread may use an object that is
//! being freed.
//!
//! This crate uses only the crate `zeroset`. The compiler enforces this:
//!
//! ```compile_fail,E0432
//! use zeroset_io::read_mesh; // another layer
//! ```

mod arrays;
mod distance;
mod evolve;
mod mesh;
mod status;
mod surface;
mod volume;

pub use distance::zeroset_distance;
pub use evolve::{ZerosetTerms, zeroset_evolve};
pub use mesh::{
    ZerosetMesh, zeroset_mesh_free, zeroset_mesh_n_cells, zeroset_mesh_n_vertices,
    zeroset_mesh_new, zeroset_mesh_read,
};
pub use status::{ZerosetStatus, zeroset_error};
pub use surface::{
    ZerosetSurface, zeroset_reconstruct, zeroset_surface_free, zeroset_surface_n_triangles,
    zeroset_surface_n_vertices, zeroset_surface_triangles, zeroset_surface_vertices,
};
pub use volume::{ZerosetGrid, zeroset_edt, zeroset_isosurface};
