//! Chooses the device for subcommands that have no case file.

use super::Ui;
use crate::config::DeviceKind;
use crate::error::{Error, Result};
use crate::gpu::{self, Cuda};

/// Returns the first GPU, or `None` if the CPU is to be used.
///
/// With [`DeviceKind::Auto`] the GPU is used if there is one and `is_worth_it` is true: the work
/// justifies the GPU's startup time of a quarter of a second. If the GPU cannot be opened, for
/// example because another program uses all of its memory, the CPU takes over with a warning.
///
/// # Errors
/// Returns [`Error::Device`] if the GPU is requested but not available.
pub fn gpu(kind: DeviceKind, is_worth_it: bool, ui: &Ui) -> Result<Option<Cuda>> {
    match kind {
        DeviceKind::Cpu => Ok(None),
        DeviceKind::Cuda => Cuda::new(0).map(Some),
        DeviceKind::Auto if !is_worth_it || gpu::available(0).is_err() => Ok(None),
        DeviceKind::Auto => Ok(Cuda::new(0).inspect_err(|error| warn_of_cpu(error, ui)).ok()),
    }
}

/// Warns that the CPU takes over from a GPU.
fn warn_of_cpu(error: &Error, ui: &Ui) {
    ui.warn(format_args!("{error}; the CPU is used instead"));
}

/// Calls `on_gpu` with the GPU that [`gpu`] returns, or `on_cpu` if there is none.
///
/// With [`DeviceKind::Auto`] the CPU takes over with a warning if the GPU fails with
/// [`Error::Device`].
///
/// # Errors
/// Returns the errors of [`gpu`] and of the two closures.
pub fn either<T>(
    kind: DeviceKind,
    is_worth_it: bool,
    ui: &Ui,
    on_gpu: impl FnOnce(Cuda) -> Result<T>,
    on_cpu: impl FnOnce() -> Result<T>,
) -> Result<T> {
    match gpu(kind, is_worth_it, ui)?.map(on_gpu) {
        Some(Err(error @ Error::Device { .. })) if kind == DeviceKind::Auto => {
            warn_of_cpu(&error, ui);
            on_cpu()
        }
        Some(done) => done,
        None => on_cpu(),
    }
}

/// Returns the first `n` GPUs under the same conditions as [`gpu`], each repeated `streams` times,
/// or an empty list if the CPU is to be used.
///
/// # Errors
/// Returns the errors of [`gpu`], and [`Error::Device`] if one of the other GPUs cannot be opened.
pub fn gpus(
    kind: DeviceKind,
    is_worth_it: bool,
    n: u32,
    streams: u32,
    ui: &Ui,
) -> Result<Vec<Cuda>> {
    let mut gpus: Vec<Cuda> = gpu(kind, is_worth_it, ui)?.into_iter().collect();
    if !gpus.is_empty() {
        for stream in 1..n * streams {
            gpus.push(Cuda::new(stream % n)?);
        }
    }
    Ok(gpus)
}
