//! Meshes.

use std::ffi::{CStr, c_char};

use zeroset::mesh::{self, Kind};
use zeroset::{Error, Mesh};

use crate::arrays::{free, object, slice, store};
use crate::status::{ZerosetStatus, call};

/// A mesh of triangles or tetrahedra. The first call that uses it prepares it, and later calls
/// reuse the preparation.
pub struct ZerosetMesh {
    pub(crate) mesh: Mesh,
}

/// Reads a mesh from a file in any format that the program reads. `path` is UTF-8. The caller frees
/// `*mesh` with `zeroset_mesh_free`.
///
/// # Safety
/// `path` must point to a string that ends with a zero byte, and `mesh` to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_mesh_read(
    path: *const c_char,
    mesh: *mut *mut ZerosetMesh,
) -> ZerosetStatus {
    call(|| {
        // SAFETY: The caller promises that the pointers are valid.
        unsafe {
            object("path", path)?;
            let path = CStr::from_ptr(path).to_str();
            let path = path.map_err(|_| Error::usage("path is not valid UTF-8", "rename it"))?;
            store("mesh", ZerosetMesh { mesh: zeroset::read(path)? }, mesh)
        }
    })
}

/// Creates a mesh from arrays, which are copied: x, y and z of each of `n_vertices` vertices, in
/// any unit of length, and the vertices of each of `n_cells` cells, counted from 0. `corners` is 3
/// for triangles and 4 for tetrahedra. The caller frees `*mesh` with `zeroset_mesh_free`.
///
/// # Safety
/// `vertices` must point to 3 * `n_vertices` numbers, `cells` to `corners` * `n_cells` numbers, and
/// `mesh` to a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_mesh_new(
    vertices: *const f64,
    n_vertices: usize,
    cells: *const u32,
    n_cells: usize,
    corners: u32,
    mesh: *mut *mut ZerosetMesh,
) -> ZerosetStatus {
    call(|| {
        if corners != 3 && corners != 4 {
            let what = format!("cells with {corners} corners");
            return Err(Error::usage(what, "give 3 for triangles or 4 for tetrahedra"));
        }
        // SAFETY: The caller promises that the pointers are valid.
        unsafe {
            let vertices = slice("vertices", vertices.cast::<[f64; 3]>(), n_vertices)?.to_vec();
            let cells = slice("cells", cells, n_cells.saturating_mul(corners as usize))?;
            let is_planar = vertices.windows(2).all(|pair| pair[0][2] == pair[1][2]);
            let kind = match (corners, is_planar) {
                (4, _) => Kind::Volume,
                (_, true) => Kind::Planar,
                (_, false) => Kind::Surface,
            };
            let made = mesh::Mesh::new(kind, vertices, cells.to_vec());
            let made = Mesh::with_options(made, &Default::default())?;
            store("mesh", ZerosetMesh { mesh: made }, mesh)
        }
    })
}

/// Returns the number of vertices, or 0 for NULL.
///
/// # Safety
/// `mesh` must be NULL or point to a mesh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_mesh_n_vertices(mesh: *const ZerosetMesh) -> usize {
    // SAFETY: The caller promises that the pointer is valid.
    unsafe { mesh.as_ref() }.map_or(0, |mesh| mesh.mesh.n_vertices())
}

/// Returns the number of triangles or tetrahedra, or 0 for NULL.
///
/// # Safety
/// `mesh` must be NULL or point to a mesh.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_mesh_n_cells(mesh: *const ZerosetMesh) -> usize {
    // SAFETY: The caller promises that the pointer is valid.
    unsafe { mesh.as_ref() }.map_or(0, |mesh| mesh.mesh.n_cells())
}

/// Frees a mesh. NULL is ignored.
///
/// # Safety
/// `mesh` must be NULL or come from this library, and must not have been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_mesh_free(mesh: *mut ZerosetMesh) {
    // SAFETY: The caller promises that the mesh comes from this library.
    unsafe { free(mesh) }
}
