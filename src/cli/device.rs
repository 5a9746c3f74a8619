//! Chooses the device for subcommands without a case file, and prints the warnings of the choice.

use std::sync::Arc;

use super::Ui;
use crate::api::device;
use crate::config::{Device, DeviceKind};
use crate::error::Result;
use crate::gpu::Cuda;

/// Returns the first device of a kind.
pub fn first(kind: DeviceKind) -> Device {
    Device { kind, ..Device::default() }
}

/// Returns the first GPU, or `None` if the CPU is to be used, as [`device::gpu`] does.
///
/// # Errors
/// Returns the errors of [`device::gpu`].
pub fn gpu(kind: DeviceKind, is_worth_it: bool, ui: &Ui) -> Result<Option<Arc<Cuda>>> {
    device::gpu(&first(kind), is_worth_it, &mut |text| ui.warn(text))
}

/// Calls `on_gpu` with the first GPU, or `on_cpu` if the CPU is to be used, as [`device::either`]
/// does.
///
/// # Errors
/// Returns the errors of [`device::either`].
pub fn either<T>(
    kind: DeviceKind,
    is_worth_it: bool,
    ui: &Ui,
    on_gpu: impl FnOnce(Arc<Cuda>) -> Result<T>,
    on_cpu: impl FnOnce() -> Result<T>,
) -> Result<T> {
    device::either(&first(kind), is_worth_it, &mut |text| ui.warn(text), on_gpu, on_cpu)
}

/// Returns the first `n` GPUs under the same conditions as [`gpu`], each repeated `streams` times,
/// or an empty list if the CPU is to be used.
///
/// # Errors
/// Returns the errors of [`gpu`], and [`Error::Device`](crate::Error::Device) if one of the other
/// GPUs cannot be opened.
pub fn gpus(
    kind: DeviceKind,
    is_worth_it: bool,
    n: u32,
    streams: u32,
    ui: &Ui,
) -> Result<Vec<Cuda>> {
    match gpu(kind, is_worth_it, ui)? {
        None => Ok(Vec::new()),
        Some(_) => (0..n * streams).map(|stream| Cuda::new(stream % n)).collect(),
    }
}
