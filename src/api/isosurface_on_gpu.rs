//! Isosurfaces of volumes that are on a GPU.

use std::sync::Arc;

use super::device::{alone, shared};
use crate::error::Result;
use crate::gpu::Cuda;
use crate::gpu::volume::Stored;
use crate::surface::{self, DeviceSurface, IsosurfaceOptions};
use crate::volume::Placement;

/// A volume on a GPU.
#[derive(Clone, Debug)]
pub struct DeviceVoxels {
    /// The address of the values, x fastest.
    pub values: u64,
    /// The number type of the values.
    pub stored: Stored,
    /// The number of voxels along x, y and z.
    pub shape: [usize; 3],
    /// The position of the voxels in space.
    pub placement: Placement,
}

/// An isosurface on a GPU.
pub struct IsosurfaceOnGpu {
    gpu: Arc<Cuda>,
    surface: DeviceSurface,
    has_missing: bool,
}

impl DeviceVoxels {
    /// Extracts the surface where the values cross `level`, as [`isosurface`](super::isosurface())
    /// does, on the GPU with the given index. Zero-area triangles stay in the surface.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) if the level is not finite, and
    /// [`Error::Device`](crate::Error::Device) if the GPU is not available, if its memory is too
    /// small, or if the volume is too large for it.
    ///
    /// # Safety
    /// The values must be an array in the memory of the primary context of this GPU, with one
    /// number per voxel. No work that is still running may use it.
    pub unsafe fn isosurface(
        &self,
        level: f64,
        options: &IsosurfaceOptions,
        ordinal: u32,
    ) -> Result<IsosurfaceOnGpu> {
        let gpu = shared(ordinal)?;
        let _alone = alone();
        let (values, place) = ((self.values, self.stored), (self.shape, &self.placement));
        // SAFETY: The caller promises that the values are valid.
        let found = unsafe { surface::isosurface_between(&gpu, values, place, level, options) }?;
        let (surface, has_missing) = found;
        Ok(IsosurfaceOnGpu { gpu, surface, has_missing })
    }
}

impl IsosurfaceOnGpu {
    /// Returns the number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.surface.n_vertices
    }

    /// Returns the number of triangles.
    pub fn n_triangles(&self) -> usize {
        self.surface.n_triangles
    }

    /// Returns whether a value of the volume is not finite. Some vertices may then belong to no
    /// triangle.
    pub fn has_missing(&self) -> bool {
        self.has_missing
    }

    /// Copies the surface to arrays on the GPU, and waits: the vertices (`[f64; 3]`), the vertices
    /// of the triangles (`[u32; 3]`) and, unless their address is 0, the normals (`[f64; 3]`),
    /// which are NaN where there is no gradient.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails.
    ///
    /// # Safety
    /// The arrays must be in the memory of the primary context of this GPU and have one entry per
    /// vertex or triangle. No work that is still running may use them. An address of normals needs
    /// the option for normals.
    pub unsafe fn copy_to(&self, vertices: u64, triangles: u64, normals: u64) -> Result<()> {
        let _alone = alone();
        let DeviceSurface { n_vertices, n_triangles, .. } = self.surface;
        // SAFETY: The caller promises that the arrays are valid.
        unsafe {
            self.gpu.copy_to(&self.surface.vertices, n_vertices, vertices)?;
            self.gpu.copy_to(&self.surface.triangles, n_triangles, triangles)?;
            if let (Some(all), 1..) = (&self.surface.normals, normals) {
                self.gpu.copy_to(all, n_vertices, normals)?;
            }
        }
        self.gpu.synchronize()
    }
}
