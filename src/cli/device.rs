//! Chooses the device that a subcommand without a case computes on.

use super::Ui;
use zeroset::config::DeviceKind;
use zeroset::error::{Error, Result};
use zeroset::gpu::{self, Cuda};

/// The first GPU if it is asked for, or if the choice is free, the work is worth its start of a
/// quarter of a second, and there is one.
///
/// # Errors
/// [`Error::Device`] if it is asked for and cannot be used.
pub fn gpu(kind: DeviceKind, is_worth_it: bool) -> Result<Option<Cuda>> {
    match kind {
        DeviceKind::Cpu => Ok(None),
        DeviceKind::Auto if !is_worth_it || gpu::available(0).is_err() => Ok(None),
        DeviceKind::Auto | DeviceKind::Cuda => Cuda::new(0).map(Some),
    }
}

/// What the first GPU computes under these conditions, else the CPU, which also computes where the
/// choice is free and the GPU fails.
///
/// # Errors
/// Those of both, and of [`gpu`].
pub fn either<T>(
    kind: DeviceKind,
    is_worth_it: bool,
    ui: &Ui,
    on_gpu: impl FnOnce(Cuda) -> Result<T>,
    on_cpu: impl FnOnce() -> Result<T>,
) -> Result<T> {
    match gpu(kind, is_worth_it)?.map(on_gpu) {
        Some(Err(error @ Error::Device { .. })) if kind == DeviceKind::Auto => {
            ui.warn(format_args!("{error}; the CPU computes"));
            on_cpu()
        }
        Some(done) => done,
        None => on_cpu(),
    }
}

/// The first `n` GPUs under the same conditions, each as often as it has `streams`.
///
/// # Errors
/// [`Error::Device`] if they are asked for and one cannot be used.
pub fn gpus(kind: DeviceKind, is_worth_it: bool, n: u32, streams: u32) -> Result<Vec<Cuda>> {
    let mut gpus: Vec<Cuda> = gpu(kind, is_worth_it)?.into_iter().collect();
    if !gpus.is_empty() {
        for stream in 1..n * streams {
            gpus.push(Cuda::new(stream % n)?);
        }
    }
    Ok(gpus)
}
