//! Whether there is room for what a run will hold.

use crate::error::{Error, Result};
use crate::primitives::memory::{available, gibibytes};

/// Refuses what does not fit.
///
/// # Errors
/// [`Error::Device`] with the bytes needed and those that are free.
pub(super) fn check(bytes: u64, what: &str) -> Result<()> {
    match available() {
        Some(free) if bytes > free => Err(Error::device(
            format!("{what} need {}, {} are free", gibibytes(bytes), gibibytes(free)),
            "take a smaller depth, 16-bit storage, or more memory",
        )),
        _ => Ok(()),
    }
}
