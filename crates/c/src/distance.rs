//! Distances on a mesh.

use zeroset::{Source, distance};

use crate::arrays::{object, slice, write};
use crate::mesh::ZerosetMesh;
use crate::status::{ZerosetStatus, call};

/// Computes the distance of each vertex to the nearest of the vertices `sources`, `[n_sources]`,
/// counted from 0. `distances`, `[n_vertices]`, receives the distances in mesh units, and NaN where
/// no front arrives.
///
/// # Safety
/// `mesh` must point to a mesh, `sources` to `n_sources` numbers, and `distances` to as many
/// numbers as the mesh has vertices.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_distance(
    mesh: *const ZerosetMesh,
    sources: *const u32,
    n_sources: usize,
    distances: *mut f64,
) -> ZerosetStatus {
    call(|| {
        // SAFETY: The caller promises that the pointers are valid.
        unsafe {
            let mesh = &object("mesh", mesh)?.mesh;
            let sources = Source::Vertices(slice("sources", sources, n_sources)?.to_vec());
            write("distances", &distance(mesh, &[sources])?.values, distances)
        }
    })
}
