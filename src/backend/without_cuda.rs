//! Stands in for the CUDA backend where the feature `cuda` is off.

use super::{CardInfo, Reason};

/// Says that there is no CUDA in this program.
///
/// # Errors
/// Always [`Reason::NotBuilt`].
pub fn available(_ordinal: u32) -> Result<CardInfo, Reason> {
    Err(Reason::NotBuilt)
}

/// What arrays on a card would hold: anything.
pub trait Element {}

impl<T> Element for T {}
