//! The choice of the device for a computation without a case file.

use crate::config::{Device, DeviceKind};
use crate::error::{Error, Result};
use crate::gpu::{self, Cuda};

/// Returns the requested GPU, or `None` if the CPU is to be used.
///
/// With [`DeviceKind::Auto`] the GPU is used if there is one and `is_worth_it` is true: the work
/// justifies the GPU's startup time of a quarter of a second. If the GPU cannot be opened, for
/// example because another program uses all of its memory, the CPU takes over, and `warn` receives
/// a sentence that says so.
///
/// # Errors
/// Returns [`Error::Device`] if the GPU is requested but not available.
pub(crate) fn gpu(
    device: &Device,
    is_worth_it: bool,
    warn: &mut dyn FnMut(String),
) -> Result<Option<Cuda>> {
    match device.kind {
        DeviceKind::Cpu => Ok(None),
        DeviceKind::Cuda => Cuda::new(device.ordinal).map(Some),
        DeviceKind::Auto if !is_worth_it || gpu::available(device.ordinal).is_err() => Ok(None),
        DeviceKind::Auto => {
            Ok(Cuda::new(device.ordinal).inspect_err(|error| warn(of_cpu(error))).ok())
        }
    }
}

/// Returns the warning that the CPU takes over from a GPU.
fn of_cpu(error: &Error) -> String {
    format!("{error}; the CPU is used instead")
}

/// Calls `on_gpu` with the GPU that [`gpu`] returns, or `on_cpu` if there is none.
///
/// With [`DeviceKind::Auto`] the CPU takes over with a warning if the GPU fails with
/// [`Error::Device`].
///
/// # Errors
/// Returns the errors of [`gpu`] and of the two closures.
pub(crate) fn either<T>(
    device: &Device,
    is_worth_it: bool,
    warn: &mut dyn FnMut(String),
    on_gpu: impl FnOnce(Cuda) -> Result<T>,
    on_cpu: impl FnOnce() -> Result<T>,
) -> Result<T> {
    match gpu(device, is_worth_it, warn)?.map(on_gpu) {
        Some(Err(error @ Error::Device { .. })) if device.kind == DeviceKind::Auto => {
            warn(of_cpu(&error));
            on_cpu()
        }
        Some(done) => done,
        None => on_cpu(),
    }
}
