//! Chooses the device of each step of a reconstruction: the only place that knows which runs where.

use std::sync::Arc;

use super::directed::{self, Cubes, Directed};
use super::potential::{self, Levels};
use crate::cloud::{Far, PointCloud, far_from_others};
use crate::error::{Error, Result};
use crate::gpu::Cuda;
use crate::mesh::Mesh;
use crate::surface::{Gaps, gaps_on};

/// Samples from which on a GPU is worth its start of a quarter of a second: directed distances of so
/// many take two CPU cores about that long, level sets longer.
pub const WORTH_A_GPU: usize = 100_000;

/// What a reconstruction computes on.
#[derive(Clone, Copy, Default)]
pub enum Device<'a> {
    /// The CPU.
    #[default]
    Cpu,
    /// A GPU where its memory suffices, else the CPU.
    Auto(&'a Arc<Cuda>),
    /// A GPU and nothing else.
    Gpu(&'a Arc<Cuda>),
}

/// A surface, what was done, and the name of the GPU that computed, if one did.
type Made<T> = Result<(Mesh, T, Option<String>)>;

impl Device<'_> {
    /// Numbers of the points that are far from all others, and the spacing of all; `auto` takes the CPU
    /// where the GPU cannot.
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

    /// True distances of points to a surface. What a GPU cannot do the CPU does: it is asked
    /// when the surface is there.
    pub(super) fn gaps(self, mesh: &Mesh, points: &[[f64; 3]]) -> Option<Gaps> {
        if let Device::Auto(gpu) | Device::Gpu(gpu) = self {
            match gaps_on(gpu, mesh, points) {
                Ok(None) => tracing::info!("distances of samples are left to the CPU"),
                Ok(found) => return found,
                Err(error) => tracing::warn!("{error}; the CPU measures distances"),
            }
        }
        Gaps::new(mesh, points)
    }

    /// Directed distances. Why a GPU did not compute is a warning.
    pub(super) fn directed(
        self,
        cloud: &PointCloud,
        cubes: Cubes,
        warnings: &mut Vec<String>,
    ) -> Made<Directed> {
        self.made(
            warnings,
            || directed::reconstruct(cloud, cubes),
            |gpu| directed::cuda::reconstruct(gpu, cloud, cubes),
        )
    }

    /// The level-set method, as [`directed`](Device::directed).
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
                    warnings.push(format!("{error}; the CPU computes"));
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
