//! Signed distances of points on a GPU.

use std::sync::Arc;

use super::SignedSurface;
use crate::api::device::{alone, shared};
use crate::error::Result;
use crate::gpu::Cuda;
use crate::surface::{DeviceResults, DeviceTriangleIndex, doubts};

/// A surface on a GPU, prepared for signed distances of points that are on this GPU.
pub struct DeviceSignedSurface {
    gpu: Arc<Cuda>,
    process: u32,
    index: DeviceTriangleIndex,
}

impl SignedSurface {
    /// Copies the surface to the GPU with the given index.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU is not available, or if its
    /// memory is too small.
    pub fn on_gpu(&self, ordinal: u32) -> Result<DeviceSignedSurface> {
        let gpu = shared(ordinal)?;
        let _alone = alone();
        let named = |triangle| (self.solid.stored[triangle as usize], self.face_normal(triangle));
        let index = DeviceTriangleIndex::new(&gpu, &self.index, named)?;
        Ok(DeviceSignedSurface { gpu, process: std::process::id(), index })
    }
}

impl DeviceSignedSurface {
    /// Returns whether the surface is on the GPU with this index, and was copied to it by this
    /// process.
    pub fn is_on(&self, ordinal: u32) -> bool {
        (self.process, self.gpu.info().ordinal) == (std::process::id(), ordinal)
    }

    /// Computes the signed distances of `n` points, and waits for them. Nothing but two counts is
    /// copied to the host. Returns warnings about the signs, one sentence each.
    ///
    /// Distances are those of [`SignedSurface::at`], except where rounding decides about the side.
    /// If several triangles are equally near, another one may be found.
    ///
    /// ```no_run
    /// use zeroset::api::{DeviceResults, SignedSurface};
    /// # let (points, values) = (0_u64, 0_u64);
    /// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
    /// let surface = SignedSurface::new(mesh.stored())?.on_gpu(0)?;
    /// // `points` and `values` are addresses in the memory of GPU 0, from another library.
    /// let results = DeviceResults { values, normals: 0, triangles: 0 };
    /// // SAFETY: The arrays have a million entries, and all work on them has ended.
    /// unsafe { surface.at_between(points, 1_000_000, results)? };
    /// # Ok::<(), zeroset::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails.
    ///
    /// # Safety
    /// `points` (`[f64; 3]`) and the results must be arrays with `n` entries in the memory of the
    /// primary context of this GPU. No work that is still running may use them.
    pub unsafe fn at_between(
        &self,
        points: u64,
        n: usize,
        results: DeviceResults,
    ) -> Result<Vec<String>> {
        let _alone = alone();
        // SAFETY: The caller promises that the arrays are valid.
        let found = unsafe { self.index.signed_distances(&self.gpu, points, n, results) }?;
        let [undecided, inverted] = found.map(|n| n as usize);
        Ok(doubts("points", undecided, inverted))
    }
}
