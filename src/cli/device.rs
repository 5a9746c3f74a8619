//! The device that a subcommand without a case computes on.

use super::Ui;
use zeroset::config::DeviceKind;
use zeroset::error::{Error, Result};
use zeroset::gpu;

/// A card; a program without CUDA has none.
pub type Card = gpu::Cuda;

/// The first card if it is asked for, or if the choice is free, the work is worth its start of a
/// quarter of a second, and there is one.
///
/// # Errors
/// [`Error::Device`] if it is asked for and cannot be used.
pub fn card(kind: DeviceKind, is_worth_it: bool) -> Result<Option<Card>> {
    match kind {
        DeviceKind::Cpu => Ok(None),
        DeviceKind::Auto if !is_worth_it || gpu::available(0).is_err() => Ok(None),
        DeviceKind::Auto | DeviceKind::Cuda => open(0).map(Some),
    }
}

/// What the first card computes under these conditions, else the processor, which also computes where the choice is free and the
/// card fails.
///
/// # Errors
/// Those of both, and of [`card`].
pub fn either<T>(
    kind: DeviceKind,
    is_worth_it: bool,
    ui: &Ui,
    on_card: impl FnOnce(Card) -> Result<T>,
    on_cpu: impl FnOnce() -> Result<T>,
) -> Result<T> {
    match card(kind, is_worth_it)?.map(on_card) {
        Some(Err(error @ Error::Device { .. })) if kind == DeviceKind::Auto => {
            ui.warn(format_args!("{error}; the processor computes"));
            on_cpu()
        }
        Some(done) => done,
        None => on_cpu(),
    }
}

/// The first `n` cards under the same conditions, each as often as it has `streams`.
///
/// # Errors
/// [`Error::Device`] if they are asked for and one cannot be used.
pub fn cards(kind: DeviceKind, is_worth_it: bool, n: u32, streams: u32) -> Result<Vec<Card>> {
    let mut cards: Vec<Card> = card(kind, is_worth_it)?.into_iter().collect();
    if !cards.is_empty() {
        for stream in 1..n * streams {
            cards.push(open(stream % n)?);
        }
    }
    Ok(cards)
}

fn open(ordinal: u32) -> Result<Card> {
    gpu::Cuda::new(ordinal)
}
