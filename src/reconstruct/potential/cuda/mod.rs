//! A closed surface round samples on a GPU: the method of [`potential`](super), step for step.
//!
//! The octree is that of the CPU bit for bit. Velocities and steps fuse products and sums, so
//! that vertices agree up to rounding. Nothing depends on the order of threads: the same samples give the
//! same bits on the same GPU.
//!
//! ```text
//! octree    built there, or by the host where the GPU is too small
//! velocity  of tiles that come, and phi at the samples
//! levels    from the coarsest grid to the finest
//! droplets  left out before the mesh is copied
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

/// [`reconstruct`](super::reconstruct) on a GPU.
///
/// # Errors
/// Those of [`reconstruct`](super::reconstruct); [`Error::Device`](crate::Error::Device) with the bytes
/// needed and free on the GPU before the first step, or if it fails.
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

/// Blocks whose threads share `n` items: enough to fill the GPU, no more than needed.
fn sharing(cuda: &Cuda, n: usize, block: u32) -> u32 {
    let most = 16 * cuda.info().multiprocessors;
    n.div_ceil(block as usize).min(most as usize) as u32
}
