//! Which device computes a case, and why.

use crate::backend::cuda;
use crate::config::{Config, DeviceKind};
use crate::error::Result;
#[cfg(feature = "cuda")]
use crate::levelset::eikonal::cuda::{OnCard, Organization};

/// A GPU with the order of work that a case asks for.
#[cfg(feature = "cuda")]
pub(super) type Card = OnCard;

/// A GPU, of which a program without CUDA has none.
#[cfg(not(feature = "cuda"))]
pub(super) enum Card {}

#[cfg(not(feature = "cuda"))]
impl crate::levelset::eikonal::Solve for Card {
    fn solve<R: crate::geometry::Real>(
        &self,
        _: &mut crate::levelset::eikonal::EikonalState<R>,
        _: Option<R>,
    ) -> Result<crate::levelset::eikonal::Stats> {
        match *self {}
    }
}

/// Vertices from which on a GPU is worth its start, a quarter of a second. A guess on the safe side:
/// `cargo bench --bench gpu -- sizes` measures the crossover.
const FEWEST_VERTICES: usize = 20_000;

/// The device of a case: a GPU or none, and the reason.
pub(super) struct Device {
    pub card: Option<Card>,
    pub reason: String,
}

/// Refuses a case that asks for a device that is not there, before its mesh is read.
pub(super) fn check(config: &Config) -> Result<()> {
    if config.device.kind == DeviceKind::Cuda {
        cuda::available(config.device.ordinal)?;
    }
    Ok(())
}

impl Device {
    /// Chooses for a mesh of so many vertices.
    pub(super) fn choose(config: &Config, n_vertices: usize) -> Result<Self> {
        let device = &config.device;
        let on_cpu = |reason: String| Ok(Device { card: None, reason });
        match device.kind {
            DeviceKind::Cpu => on_cpu("the case asks for it".into()),
            DeviceKind::Cuda => Self::open(config, "the case asks for it"),
            DeviceKind::Auto => match cuda::available(device.ordinal) {
                Err(reason) => on_cpu(format!("auto: {reason}")),
                Ok(_) if n_vertices < FEWEST_VERTICES => on_cpu(format!(
                    "auto: {n_vertices} vertices are not worth a GPU (from {FEWEST_VERTICES} on)"
                )),
                Ok(_) => Self::open(config, "auto"),
            },
        }
    }

    #[cfg(feature = "cuda")]
    fn open(config: &Config, why: &str) -> Result<Self> {
        let card = cuda::Cuda::new(config.device.ordinal)?;
        let reason = format!("{why}: {}", card.card().name);
        let organization = match config.device.reproducible {
            true => Organization::Rounds,
            false => Organization::Queue,
        };
        let card = OnCard { cuda: std::sync::Arc::new(card), organization };
        Ok(Device { card: Some(card), reason })
    }

    #[cfg(not(feature = "cuda"))]
    fn open(config: &Config, _: &str) -> Result<Self> {
        cuda::available(config.device.ordinal)?;
        Ok(Device { card: None, reason: String::new() })
    }
}
