//! The device that a subcommand without a case computes on.

use crate::backend::cuda;
use crate::config::DeviceKind;
use crate::error::Result;

/// A card; a program without CUDA has none.
pub type Card = cuda::Cuda;

/// The first card if it is asked for, or if the choice is free, the work is worth its start of a
/// quarter of a second, and there is one.
///
/// # Errors
/// [`crate::Error::Device`] if it is asked for and cannot be used.
pub fn card(kind: DeviceKind, is_worth_it: bool) -> Result<Option<Card>> {
    match kind {
        DeviceKind::Cpu => Ok(None),
        DeviceKind::Auto if !is_worth_it || cuda::available(0).is_err() => Ok(None),
        DeviceKind::Auto | DeviceKind::Cuda => open().map(Some),
    }
}

#[cfg(feature = "cuda")]
fn open() -> Result<Card> {
    cuda::Cuda::new(0)
}

#[cfg(not(feature = "cuda"))]
fn open() -> Result<Card> {
    cuda::available(0)?;
    Err(crate::Error::device("no GPU is known to this program", "leave out --device"))
}
