//! Gradients of functions whose values are on the GPU, the counterpart of
//! [`gradient`](crate::levelset::eikonal::gradient).

use std::sync::Arc;

use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Arguments, Array, Cuda, Launch, Unit};
use crate::mesh::Mesh;
use crate::patches::Patches;
use crate::primitives::GatherMatrix;

/// The number of threads per block.
const BLOCK: u32 = 128;

/// A mesh on a GPU, in patch order, for gradients at its vertices.
pub struct DeviceGradient {
    cuda: Arc<Cuda>,
    arity: usize,
    places: Array<[f64; 3]>,
    corners: Array<u32>,
    offsets: Array<u32>,
    slots: Array<u32>,
}

impl DeviceGradient {
    /// Copies a mesh to the GPU.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU has too little memory or fails.
    pub fn new(cuda: Arc<Cuda>, mesh: &Mesh, patches: &Patches) -> Result<Self> {
        let order = patches.mesh_vertices();
        let mut position = vec![0u32; order.len()];
        for (k, &v) in (0..).zip(order) {
            position[v as usize] = k;
        }
        let places: Vec<[f64; 3]> = order.iter().map(|&v| mesh.vertices[v as usize]).collect();
        let corners: Vec<u32> = mesh.cells.iter().map(|&v| position[v as usize]).collect();
        // The slots of a vertex are in the order of the cells of the mesh, as on the CPU.
        let slots = GatherMatrix::new(order.len(), &corners);
        Ok(DeviceGradient {
            arity: mesh.kind.arity(),
            places: cuda.upload(&places)?,
            corners: cuda.upload(&corners)?,
            offsets: cuda.upload(&slots.offsets)?,
            slots: cuda.upload(&slots.columns)?,
            cuda,
        })
    }

    /// Computes the gradients at the vertices, three numbers for each, in patch order and in units
    /// of phi per mesh unit. The values of phi begin with number `first` of the array. NaN at
    /// vertices without a cell.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU has too little memory or fails.
    ///
    /// # Panics
    /// Panics if there are fewer values than vertices.
    pub fn at_vertices<R: Real>(&self, phi: &Array<R>, first: usize) -> Result<Array<f64>> {
        let n = self.places.len();
        assert!(first + n <= phi.len(), "there must be a value for each vertex");
        let number = if size_of::<R>() == 8 { "double" } else { "float" };
        let defines = [("REAL", "double"), ("CELL_SIZE", if self.arity == 3 { "3" } else { "4" })];
        let unit = Unit::new("gradient", &[defines[0], defines[1], ("PHI", number)])?;
        let kernel = self.cuda.kernel(&unit, "gradient_vertices")?;
        // SAFETY: the kernel writes all numbers.
        let gradients = unsafe { self.cuda.unset(3 * n) }?;
        let arguments = Arguments::default()
            .with_array(&self.places)
            .with_array(&self.corners)
            .with_array(&self.offsets)
            .with_array(&self.slots)
            .with(n as u32)
            .with(phi.address() + (first * size_of::<R>()) as u64)
            .with_array(&gradients);
        let grid = (n as u32).div_ceil(BLOCK).min(16 * self.cuda.info().multiprocessors);
        let launch = Launch { grid, block: BLOCK, shared: 0, cooperative: false };
        // SAFETY: the arguments match the kernel, and the arrays have the sizes that it expects.
        unsafe { self.cuda.launch(&kernel, launch, &arguments) }?;
        Ok(gradients)
    }
}
