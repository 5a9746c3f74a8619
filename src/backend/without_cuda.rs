//! Stands in for the CUDA backend where the feature `cuda` is off.

use super::{CardInfo, Reason};

/// Says that there is no CUDA in this program.
///
/// # Errors
/// Always [`Reason::NotBuilt`].
pub fn available(_ordinal: u32) -> Result<CardInfo, Reason> {
    Err(Reason::NotBuilt)
}

/// A card, of which a program without CUDA has none.
pub enum Cuda {}

/// What arrays on a card would hold: anything.
pub trait Element {}

impl<T> Element for T {}
