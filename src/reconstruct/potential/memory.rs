//! Whether there is room for what a run will hold.

use crate::error::{Error, Result};
use crate::primitives::memory::{available, gibibytes};

/// Refuses what does not fit, and tells of what does.
///
/// # Errors
/// [`Error::Device`] with the bytes needed and those that are free.
pub(super) fn check(bytes: u64, what: &str) -> Result<()> {
    let Some(free) = available() else { return Ok(()) };
    let words = format!("{what} need {}, {} are free", gibibytes(bytes), gibibytes(free));
    if bytes > free {
        let remedy = "take a smaller depth, 16-bit storage, or more memory";
        return Err(Error::device(words, remedy));
    }
    tracing::info!("{words}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_both_numbers() {
        check(1 << 20, "few tiles").unwrap();
        if available().is_some() {
            let error = check(1 << 60, "too many tiles").unwrap_err();
            assert_eq!(error.exit_code(), 5);
            let text = error.to_string();
            assert!(text.contains("too many tiles need 1073741824.0 GiB, "), "{text}");
            assert!(text.contains(" are free; take a smaller depth"), "{text}");
        }
    }
}
