//! Chooses the device for each step of a reconstruction. No other file makes this choice.

use std::sync::Arc;

use super::directed::{self, Cubes, Directed, Fit};
use super::potential::{self, Levels};
use crate::cloud::{Far, PointCloud, far_from_others};
use crate::error::{Error, Result};
use crate::gpu::Cuda;
use crate::mesh::Mesh;
use crate::surface::{Gaps, gaps_on};

/// The smallest number of samples for which a GPU is worth its startup time of a quarter of a
/// second. Two CPU cores take about a quarter of a second for the directed distances of that many
/// samples, and longer for level sets.
pub const WORTH_A_GPU: usize = 100_000;

/// The device of a reconstruction. [`zeroset::reconstruct`](crate::reconstruct()) chooses it.
#[derive(Clone, Copy, Default)]
pub enum Device<'a> {
    /// The CPU.
    #[default]
    Cpu,
    /// A GPU, or the CPU if the GPU has too little memory or fails.
    #[doc(hidden)]
    Auto(&'a Arc<Cuda>),
    /// A GPU. The reconstruction fails if the GPU fails.
    #[doc(hidden)]
    Gpu(&'a Arc<Cuda>),
}

/// A surface, its report, and the name of the GPU that computed it, if any.
type Made<T> = Result<(Mesh, T, Option<String>)>;

impl Device<'_> {
    /// Returns the indices of the points that are far from all others, and the spacing of all
    /// points. The CPU computes them if the search on the GPU is impossible or slower, and with
    /// [`Device::Auto`] also if the GPU fails.
    pub(super) fn far_from_others(self, points: &[[f64; 3]], factor: f64) -> Result<Far> {
        if let Device::Auto(gpu) | Device::Gpu(gpu) = self {
            match directed::cuda::far_from_others(gpu, points, factor) {
                Ok(Some(found)) => return Ok(found),
                Err(error) if matches!(self, Device::Gpu(_)) => return Err(error),
                Ok(None) | Err(_) => {}
            }
        }
        far_from_others(points, factor)
    }

    /// Returns the distances of points from a surface, or `None` if there are no points or no
    /// triangles. If the GPU fails, the CPU computes them even with [`Device::Gpu`], because the
    /// surface is already finished at this stage.
    pub(super) fn gaps(self, mesh: &Mesh, points: &[[f64; 3]]) -> Option<Gaps> {
        if let Device::Auto(gpu) | Device::Gpu(gpu) = self {
            match gaps_on(gpu, mesh, points) {
                Ok(None) => tracing::info!("the CPU computes the distances of the samples"),
                Ok(found) => return found,
                Err(error) => {
                    tracing::warn!("{error}; the CPU computes the distances of the samples")
                }
            }
        }
        Gaps::new(mesh, points)
    }

    /// Reconstructs by directed distances. If the CPU replaces a GPU that failed, adds a warning
    /// that states the reason.
    pub(super) fn directed(
        self,
        cloud: &PointCloud,
        cubes: Cubes,
        fit: Fit,
        warnings: &mut Vec<String>,
    ) -> Made<Directed> {
        self.made(
            warnings,
            || directed::reconstruct(cloud, cubes, fit),
            |gpu| directed::cuda::reconstruct(gpu, cloud, cubes, fit),
        )
    }

    /// Reconstructs by the level-set method. If the CPU replaces a GPU that failed, adds a warning
    /// that states the reason.
    pub(super) fn levelset(
        self,
        points: &[[f64; 3]],
        options: &potential::Options,
        warnings: &mut Vec<String>,
    ) -> Made<Levels> {
        self.made(
            warnings,
            || potential::reconstruct(points, options),
            |gpu| potential::cuda::reconstruct(gpu, points, options),
        )
    }

    fn made<T>(
        self,
        warnings: &mut Vec<String>,
        on_cpu: impl FnOnce() -> Result<(Mesh, T)>,
        on_gpu: impl FnOnce(&Arc<Cuda>) -> Result<(Mesh, T)>,
    ) -> Made<T> {
        if let Device::Auto(gpu) | Device::Gpu(gpu) = self {
            match on_gpu(gpu) {
                Err(error @ Error::Device { .. }) if matches!(self, Device::Auto(_)) => {
                    warnings.push(format!("{error}; the CPU computes the surface"));
                }
                done => return done.map(|(mesh, done)| (mesh, done, name(gpu))),
            }
        }
        on_cpu().map(|(mesh, done)| (mesh, done, None))
    }
}

fn name(gpu: &Cuda) -> Option<String> {
    Some(gpu.info().name.clone())
}
