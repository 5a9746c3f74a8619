//! The choice of the device for a computation without a case file.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::config::{Device, DeviceKind};
use crate::error::{Error, Result};
use crate::gpu::{self, Cuda};

/// An open GPU, with the process that opened it.
struct Opened {
    process: u32,
    gpu: Arc<Cuda>,
}

/// The GPUs that this process has opened, and those that it inherited from its parent. Opening a
/// GPU takes a quarter of a second, so calls share it. A GPU does not survive `fork`.
static GPUS: Mutex<Vec<Opened>> = Mutex::new(Vec::new());

/// Returns the GPU with the given index. The first call opens it.
///
/// # Errors
/// Returns [`Error::Device`] if the GPU is not available.
pub(crate) fn shared(ordinal: u32) -> Result<Arc<Cuda>> {
    let process = std::process::id();
    let mut gpus = GPUS.lock().unwrap_or_else(PoisonError::into_inner);
    let is_it = |found: &&Opened| (found.process, found.gpu.info().ordinal) == (process, ordinal);
    if let Some(found) = gpus.iter().find(is_it) {
        return Ok(found.gpu.clone());
    }
    let gpu = Arc::new(Cuda::new(ordinal)?);
    gpus.push(Opened { process, gpu: gpu.clone() });
    Ok(gpu)
}

/// Lets the next call with arrays on the GPU with the given index, such as
/// [`edt_between`](super::edt_between()), wait for the work that is now in a stream of another
/// library. The calling thread does not wait.
///
/// # Errors
/// Returns [`Error::Device`] if the GPU is not available, or if the driver refuses the stream.
///
/// # Safety
/// `stream` must be the handle of a stream of the primary context of this GPU. 0 and 1 stand for
/// the legacy default stream, and 2 for the default stream of this thread.
pub unsafe fn wait_for_stream(stream: u64, ordinal: u32) -> Result<()> {
    // SAFETY: The caller promises that the stream is valid.
    unsafe { shared(ordinal)?.wait_for(stream) }
}

/// Held by a call while it uses a GPU that it shares with other threads. The launches of all
/// threads would otherwise mix in one stream.
static ALONE: Mutex<()> = Mutex::new(());

/// Waits until no other thread uses a shared GPU.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the requested GPU, or `None` if the CPU is to be used.
///
/// With [`DeviceKind::Auto`], the GPU is used if there is one and `is_worth_it` is true, that is,
/// if the work justifies the GPU's startup time of a quarter of a second. If the GPU cannot be
/// opened, for example because another program uses all of its memory, the CPU takes over, and
/// `warn` receives a sentence that says so.
///
/// # Errors
/// Returns [`Error::Device`] if the GPU is requested but not available.
pub(crate) fn gpu(
    device: &Device,
    is_worth_it: bool,
    warn: &mut dyn FnMut(String),
) -> Result<Option<Arc<Cuda>>> {
    match device.kind {
        DeviceKind::Cpu => Ok(None),
        DeviceKind::Cuda => shared(device.ordinal).map(Some),
        DeviceKind::Auto if !is_worth_it || gpu::available(device.ordinal).is_err() => Ok(None),
        DeviceKind::Auto => {
            Ok(shared(device.ordinal).inspect_err(|error| warn(of_cpu(error))).ok())
        }
    }
}

/// Returns the warning that the CPU takes over from a GPU.
fn of_cpu(error: &Error) -> String {
    format!("{error}; the CPU is used instead")
}

/// Calls `on_gpu` with the GPU that [`gpu`] returns, or `on_cpu` if there is none.
///
/// With [`DeviceKind::Auto`], the CPU takes over with a warning if the GPU fails with
/// [`Error::Device`].
///
/// # Errors
/// Returns the errors of [`gpu`] and of the two closures.
pub(crate) fn either<T>(
    device: &Device,
    is_worth_it: bool,
    warn: &mut dyn FnMut(String),
    on_gpu: impl FnOnce(Arc<Cuda>) -> Result<T>,
    on_cpu: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let alone = |gpu| {
        let _alone = alone();
        on_gpu(gpu)
    };
    match gpu(device, is_worth_it, warn)?.map(alone) {
        Some(Err(error @ Error::Device { .. })) if device.kind == DeviceKind::Auto => {
            warn(of_cpu(&error));
            on_cpu()
        }
        Some(done) => done,
        None => on_cpu(),
    }
}
