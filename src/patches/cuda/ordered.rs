//! Ordering of a mesh along a Hilbert curve on a GPU: keys, radix sort, renumbering, and the
//! gathering matrix of the corners.

use crate::error::Result;
use crate::gpu::Cuda;
use crate::gpu::primitives::{DeviceGatherMatrix, hilbert, permute};
use crate::mesh::Mesh;
use crate::patches::ordered::Ordered;
use crate::patches::{Partition, Patches};
use crate::primitives::hilbert::Lattice;

impl Ordered {
    /// Orders a mesh like [`Ordered::new`], on a GPU.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory, or if the GPU
    /// fails.
    fn on(cuda: &Cuda, mesh: &Mesh) -> Result<Self> {
        let (low, high) = mesh.bounds();
        let points = cuda.upload(&mesh.vertices)?;
        let order = hilbert::order(cuda, &points, Lattice::new(low, high))?;
        let mut cells = cuda.upload(&mesh.cells)?;
        permute::rename(cuda, &mut cells, &permute::inverse(cuda, &order)?)?;
        let slots = DeviceGatherMatrix::new(cuda, mesh.n_vertices() as u32, &cells)?;
        Ok(Ordered {
            order: cuda.download(&order)?,
            cells: cuda.download(&cells)?,
            slots: slots.download(cuda)?,
        })
    }
}

impl Patches {
    /// Builds the same patches as [`Patches::new`], but orders the vertices along the Hilbert curve
    /// on a GPU. For [`Partition::Hilbert`], ordering is most of the work. The CPU repairs patches
    /// that are not connected.
    ///
    /// # Errors
    /// Returns the errors of [`Patches::new`]. Returns [`Error::Device`](crate::Error::Device) if
    /// there is not enough memory on the GPU, or if the GPU fails.
    #[doc(hidden)]
    pub fn new_on(cuda: &Cuda, mesh: &Mesh, method: Partition, patch_size: usize) -> Result<Self> {
        Self::from_ordered(mesh, || Ordered::on(cuda, mesh), method, patch_size)
    }
}
