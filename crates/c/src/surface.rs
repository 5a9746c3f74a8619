//! Surfaces, and their reconstruction from points.

use zeroset::cloud::PointCloud;
use zeroset::mesh::Mesh;
use zeroset::reconstruct;

use crate::arrays::{free, optional, slice, store};
use crate::status::{ZerosetStatus, call};

/// A surface of triangles.
pub struct ZerosetSurface {
    pub(crate) mesh: Mesh,
}

/// Reconstructs a surface from `n` points: x, y and z of each, in any unit of length, which is also
/// that of the surface. `normals` are three numbers for each point that point outward, or NULL if
/// there are none. The caller frees `*surface` with `zeroset_surface_free`.
///
/// # Safety
/// `points`, and `normals` unless it is NULL, must point to 3 * `n` numbers, and `surface` to a
/// pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_reconstruct(
    points: *const f64,
    normals: *const f32,
    n: usize,
    surface: *mut *mut ZerosetSurface,
) -> ZerosetStatus {
    call(|| {
        // SAFETY: The caller promises that the pointers are valid.
        unsafe {
            let points = slice("points", points.cast::<[f64; 3]>(), n)?.to_vec();
            let mut cloud = PointCloud::new(points);
            cloud.normals = optional(normals.cast::<[f32; 3]>(), n).map(<[_]>::to_vec);
            let found = reconstruct(cloud, &Default::default())?;
            store("surface", ZerosetSurface { mesh: found.mesh }, surface)
        }
    })
}

/// Returns the number of vertices, or 0 for NULL.
///
/// # Safety
/// `surface` must be NULL or point to a surface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_surface_n_vertices(surface: *const ZerosetSurface) -> usize {
    // SAFETY: The caller promises that the pointer is valid.
    unsafe { surface.as_ref() }.map_or(0, |surface| surface.mesh.n_vertices())
}

/// Returns the number of triangles, or 0 for NULL.
///
/// # Safety
/// `surface` must be NULL or point to a surface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_surface_n_triangles(surface: *const ZerosetSurface) -> usize {
    // SAFETY: The caller promises that the pointer is valid.
    unsafe { surface.as_ref() }.map_or(0, |surface| surface.mesh.n_cells())
}

/// Returns x, y and z of each vertex. The array belongs to the surface. Returns NULL for NULL.
///
/// # Safety
/// `surface` must be NULL or point to a surface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_surface_vertices(surface: *const ZerosetSurface) -> *const f64 {
    // SAFETY: The caller promises that the pointer is valid.
    let surface = unsafe { surface.as_ref() };
    surface.map_or(std::ptr::null(), |surface| surface.mesh.vertices.as_ptr().cast())
}

/// Returns the three vertices of each triangle, counted from 0. The array belongs to the surface.
/// Returns NULL for NULL.
///
/// # Safety
/// `surface` must be NULL or point to a surface.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_surface_triangles(surface: *const ZerosetSurface) -> *const u32 {
    // SAFETY: The caller promises that the pointer is valid.
    let surface = unsafe { surface.as_ref() };
    surface.map_or(std::ptr::null(), |surface| surface.mesh.cells.as_ptr())
}

/// Frees a surface. NULL is ignored.
///
/// # Safety
/// `surface` must be NULL or come from this library, and must not have been freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn zeroset_surface_free(surface: *mut ZerosetSurface) {
    // SAFETY: The caller promises that the surface comes from this library.
    unsafe { free(surface) }
}
