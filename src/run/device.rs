//! Which device computes a case, and why.

use std::sync::Arc;

use crate::config::{Config, DeviceKind};
use crate::error::Result;
use crate::gpu;
use crate::levelset::eikonal::cuda::{Gpu, Organization};
use crate::picture::{Image, Options, Subject};
use crate::reconstruct::WORTH_A_GPU;

/// The GPU itself.
pub(super) fn cuda(gpu: &Gpu) -> &Arc<gpu::Cuda> {
    &gpu.cuda
}

/// The same GPU with a stream of its own, for what is done while steps go on.
pub(super) fn beside(gpu: &gpu::Cuda) -> Result<gpu::Cuda> {
    gpu::Cuda::new(gpu.info().ordinal)
}

/// Draws a picture of a run.
pub(super) fn draw(gpu: &gpu::Cuda, subject: &Subject<'_>, options: &Options) -> Result<Image> {
    crate::picture::cuda::draw_beside(gpu, subject, options)
}

/// How much there is to compute: vertices of a mesh, voxels of tiles, or samples of a surface.
#[derive(Clone, Copy)]
pub(super) enum Size {
    Vertices(usize),
    Voxels(usize),
    Samples(usize),
}

impl Size {
    /// The number, its unit, and from which one on a GPU is worth its start, a quarter of a second. A GPU is
    /// faster per step at every size that was measured (`cargo bench --bench gpu -- sizes tile-sizes`); from these on
    /// some hundred to a thousand steps save what the start takes (benches/results/gpu-tiles.md).
    fn and_fewest(self) -> (usize, &'static str, usize) {
        match self {
            Size::Vertices(n) => (n, "vertices", 20_000),
            Size::Voxels(n) => (n, "voxels", 100_000),
            Size::Samples(n) => (n, "samples", WORTH_A_GPU),
        }
    }
}

/// The device of a case: a GPU or none, and the reason.
pub(super) struct Device {
    pub gpu: Option<Gpu>,
    pub reason: String,
}

/// Refuses a case that asks for a device that is not there, before its mesh is read.
pub(super) fn check(config: &Config) -> Result<()> {
    if config.device.kind == DeviceKind::Cuda {
        gpu::available(config.device.ordinal)?;
    }
    Ok(())
}

impl Device {
    /// Chooses for a mesh or tiles of this size.
    pub(super) fn choose(config: &Config, size: Size) -> Result<Self> {
        let (n, unit, fewest) = size.and_fewest();
        let device = &config.device;
        let on_cpu = |reason: String| Ok(Device { gpu: None, reason });
        match device.kind {
            DeviceKind::Cpu => on_cpu("the case asks for it".into()),
            DeviceKind::Cuda => Self::open(config, "the case asks for it"),
            DeviceKind::Auto => match gpu::available(device.ordinal) {
                Err(reason) => on_cpu(format!("auto: {reason}")),
                Ok(_) if n < fewest => {
                    on_cpu(format!("auto: {n} {unit} are not worth a GPU (from {fewest} on)"))
                }
                Ok(_) => Self::open(config, "auto"),
            },
        }
    }

    /// Whether a GPU would be chosen for this size, none being opened.
    pub(super) fn is_gpu(config: &Config, size: Size) -> bool {
        let (n, _, fewest) = size.and_fewest();
        match config.device.kind {
            DeviceKind::Cpu => false,
            DeviceKind::Cuda => true,
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
