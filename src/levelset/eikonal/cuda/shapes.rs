//! Shape data of cells on a GPU, computed once because every update of a patch needs them.

use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Array, Cuda};
use crate::patches::Patches;
use crate::patches::cuda::Shape;

/// The cell shape data that a solve needs: nine numbers per triangle, or the heights of a
/// tetrahedron. Circular fronts do not use them.
pub(super) enum Shapes<R: Real> {
    Triangles(Array<R>),
    Tetrahedra(Array<f32>),
}

impl<R: Real> Shapes<R> {
    /// Allocates the memory. The kernel `eikonal_shapes` fills it.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU has too little memory.
    pub fn new(cuda: &Cuda, shape: &Shape, patches: &Patches) -> Result<Self> {
        let n = patches.n_patch_cells();
        Ok(match shape.arity {
            3 => Shapes::Triangles(cuda.zeros(9 * n)?),
            _ => Shapes::Tetrahedra(cuda.zeros(4 * n)?),
        })
    }

    /// Returns the number of bytes that the shape data takes on the GPU.
    pub fn bytes(shape: &Shape, patches: &Patches) -> usize {
        patches.n_patch_cells() * if shape.arity == 3 { 9 * size_of::<R>() } else { 16 }
    }

    /// Returns the address of the shape data on the GPU.
    pub fn address(&self) -> u64 {
        match self {
            Shapes::Triangles(numbers) => numbers.address(),
            Shapes::Tetrahedra(heights) => heights.address(),
        }
    }
}
