//! The choice of the device on which a case is computed, and the reason for it.

use std::sync::Arc;

use crate::config::{Config, DeviceKind, FrontShape};
use crate::error::Result;
use crate::gpu;
use crate::levelset::eikonal::cuda::{Gpu, Organization};
use crate::picture::{Image, Options, Subject};
use crate::reconstruct::WORTH_A_GPU;

/// Returns the CUDA device that a solver's GPU handle wraps.
pub(super) fn cuda(gpu: &Gpu) -> &Arc<gpu::Cuda> {
    &gpu.cuda
}

/// Opens the same GPU with a separate stream for work that overlaps with steps.
pub(super) fn beside(gpu: &gpu::Cuda) -> Result<gpu::Cuda> {
    gpu::Cuda::new(gpu.info().ordinal)
}

/// Draws a picture of a run on a GPU, or on the CPU if the picture would take too much GPU memory.
pub(super) fn draw(gpu: &gpu::Cuda, subject: &Subject<'_>, options: &Options) -> Result<Image> {
    crate::picture::cuda::draw_beside(gpu, subject, options)
}

/// The size of a problem: vertices of a mesh, voxels of tiles, or samples of a cloud.
#[derive(Clone, Copy)]
pub(super) enum Size {
    Vertices(usize),
    Voxels(usize),
    Samples(usize),
}

impl Size {
    /// Returns the size, its unit, and the smallest size for which a GPU is worth its startup time
    /// of a quarter of a second.
    ///
    /// A GPU is faster per step at every size that was measured (`cargo bench --bench gpu -- sizes
    /// tile-sizes`). At these smallest sizes, a few hundred to a thousand steps save more time than
    /// the startup takes (benches/results/gpu-tiles.md).
    fn and_fewest(self) -> (usize, &'static str, usize) {
        match self {
            Size::Vertices(n) => (n, "vertices", 20_000),
            Size::Voxels(n) => (n, "voxels", 100_000),
            Size::Samples(n) => (n, "samples", WORTH_A_GPU),
        }
    }
}

/// The device of a case and the reason for its choice.
#[derive(Clone)]
pub(super) struct Device {
    pub gpu: Option<Gpu>,
    pub reason: String,
}

/// Refuses a case that requires an unavailable GPU. This check precedes the reading of the mesh.
pub(super) fn check(config: &Config) -> Result<()> {
    if config.device.kind == DeviceKind::Cuda {
        gpu::available(config.device.ordinal)?;
    }
    Ok(())
}

/// Returns whether a case computes a distance with exact fronts.
fn is_exact(config: &Config) -> bool {
    config.distance.as_ref().is_some_and(|distance| distance.front == FrontShape::Exact)
}

impl Device {
    /// Chooses the device for a problem of this size.
    pub(super) fn choose(config: &Config, size: Size) -> Result<Self> {
        let (n, unit, fewest) = size.and_fewest();
        let device = &config.device;
        let on_cpu = |reason: String| Ok(Device { gpu: None, reason });
        match device.kind {
            DeviceKind::Cpu => on_cpu("requested by the case".into()),
            DeviceKind::Cuda => Self::open(config, "requested by the case"),
            DeviceKind::Auto if is_exact(config) => {
                on_cpu("auto: exact fronts are computed on the CPU".into())
            }
            DeviceKind::Auto if config.has_map() => {
                on_cpu("auto: characteristic maps are computed on the CPU".into())
            }
            DeviceKind::Auto => match gpu::available(device.ordinal) {
                Err(reason) => on_cpu(format!("auto: {reason}")),
                Ok(_) if n < fewest => {
                    on_cpu(format!("auto: {n} {unit} are too few for a GPU (from {fewest} on)"))
                }
                Ok(_) => Self::open(config, "auto"),
            },
        }
    }

    /// Returns whether a GPU would be chosen for this size. This function opens no GPU.
    pub(super) fn is_gpu(config: &Config, size: Size) -> bool {
        let (n, _, fewest) = size.and_fewest();
        match config.device.kind {
            DeviceKind::Cpu => false,
            DeviceKind::Cuda => true,
            DeviceKind::Auto if config.has_map() => false,
            DeviceKind::Auto => n >= fewest && gpu::available(config.device.ordinal).is_ok(),
        }
    }

    fn open(config: &Config, why: &str) -> Result<Self> {
        let gpu = gpu::Cuda::new(config.device.ordinal)?;
        let reason = format!("{why}: {}", gpu.info().name);
        let organization = match config.device.reproducible {
            true => Organization::Rounds,
            false => Organization::Queue,
        };
        let gpu = Gpu { cuda: std::sync::Arc::new(gpu), organization };
        Ok(Device { gpu: Some(gpu), reason })
    }
}
