//! Shapes of cells on a GPU: made once, as every update of a patch needs them.

use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Array, Cuda};
use crate::patches::Patches;
use crate::patches::cuda::Shape;

/// What solves need of the shapes of cells: nine numbers of a triangle, the heights of a tetrahedron.
/// Circular fronts do without.
pub(super) enum Shapes<R: Real> {
    Triangles(Array<R>),
    Tetrahedra(Array<f32>),
}

impl<R: Real> Shapes<R> {
    /// Room for them; `eikonal_shapes` finds them.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if the GPU has none.
    pub fn new(cuda: &Cuda, shape: &Shape, patches: &Patches) -> Result<Self> {
        let n = patches.n_patch_cells();
        Ok(match shape.arity {
            3 => Shapes::Triangles(cuda.zeros(9 * n)?),
            _ => Shapes::Tetrahedra(cuda.zeros(4 * n)?),
        })
    }

    /// Bytes on the GPU.
    pub fn bytes(shape: &Shape, patches: &Patches) -> usize {
        patches.n_patch_cells() * if shape.arity == 3 { 9 * size_of::<R>() } else { 16 }
    }

    /// Where they are on the GPU.
    pub fn address(&self) -> u64 {
        match self {
            Shapes::Triangles(numbers) => numbers.address(),
            Shapes::Tetrahedra(heights) => heights.address(),
        }
    }
}
