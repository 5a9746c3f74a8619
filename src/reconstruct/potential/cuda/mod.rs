//! Reconstructs a closed surface from samples on a GPU. It follows the method of
//! [`potential`](super) step for step.
//!
//! The octree is bitwise identical to the CPU's octree. Velocities and steps use fused
//! multiply-add, so vertices agree up to rounding. Results do not depend on the order of threads:
//! the same samples give bitwise identical results on the same GPU.
//!
//! ```text
//! octree    the octree, built on the GPU, or by the host if the GPU has too little memory
//! velocity  the velocity of new tiles, and phi at the samples
//! levels    the levels from the coarsest grid to the finest
//! droplets  removes components before the mesh is copied
//! ```

mod droplets;
mod kernel_arguments;
mod levels;
mod octree;
mod velocity;

use std::sync::Arc;
use std::time::Instant;

pub use octree::DeviceOctree;

use super::{Frame, Levels, Options, Storage};
use crate::error::Result;
use crate::gpu::Cuda;
use crate::grid::Fixed16;
use crate::mesh::Mesh;
use levels::Run;

/// Reconstructs a surface on a GPU. The counterpart of [`reconstruct`](super::reconstruct).
///
/// # Errors
/// Returns the errors of [`reconstruct`](super::reconstruct). Returns
/// [`Error::Device`](crate::Error::Device) if the GPU fails, and before the first step if it does
/// not have enough memory. That error states how many bytes are needed and how many are free.
pub fn reconstruct(
    cuda: &Arc<Cuda>,
    points: &[[f64; 3]],
    options: &Options,
) -> Result<(Mesh, Levels)> {
    options.check()?;
    let start = Instant::now();
    let frame = Frame::new(points, options.depth)?;
    let tree = Arc::new(DeviceOctree::new(cuda, points, frame)?);
    cuda.synchronize()?;
    let mut levels = Levels {
        samples: points.len(),
        merged: points.len() - tree.n_cells(),
        voxel: frame.voxel,
        octree_seconds: start.elapsed().as_secs_f64(),
        ..Levels::default()
    };
    let run = Run { cuda, tree, options };
    let mesh = match options.storage {
        Storage::Single => run.all::<f32>(&mut levels)?,
        Storage::Sixteen => run.all::<Fixed16>(&mut levels)?,
    };
    Ok((mesh, levels))
}

/// Returns the number of blocks whose threads share `n` items. The number is large enough to fill
/// the GPU, but not larger than needed.
fn sharing(cuda: &Cuda, n: usize, block: u32) -> u32 {
    let most = 16 * cuda.info().multiprocessors;
    n.div_ceil(block as usize).min(most as usize) as u32
}
