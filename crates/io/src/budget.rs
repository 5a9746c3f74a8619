//! The limit on the unpacked size of a file. Every reader that decompresses data observes it.

use zeroset_core::error::{Flaw, Position};

/// The unpacked size in bytes that is allowed for any file, however small it is.
const SMALL: u64 = 256 << 20;
/// A file that is larger than [`SMALL`] / `RATIO` may unpack to this multiple of its own size. Text
/// meshes compress by a factor of 3 to 10, and the densest deflate stream by a factor of about
/// 1,000.
const RATIO: u64 = 200;

/// The number of bytes that may still be unpacked from a file.
///
/// The gzip stream around a file, the arrays in it and the pages of a picture draw on the same
/// budget, so that neither nesting nor repetition exceeds the limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// The size of the file as stored, in bytes.
    packed: u64,
    left: u64,
}

impl Budget {
    /// Creates the budget of a file that takes `packed` bytes as stored.
    pub(super) fn of(packed: u64) -> Self {
        Budget { packed, left: packed.saturating_mul(RATIO).max(SMALL) }
    }

    /// Returns the number of bytes that may still be unpacked.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Deducts `n` bytes that are about to be unpacked or have been unpacked.
    ///
    /// # Errors
    /// Returns [`TooLarge`] if fewer bytes are left.
    pub(super) fn take(&mut self, n: u64) -> Result<(), TooLarge> {
        match self.left.checked_sub(n) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.exceeded()),
        }
    }

    /// Returns the error for data that unpack to more bytes than are left.
    pub(super) fn exceeded(&self) -> TooLarge {
        TooLarge(format!(
            "{} bytes unpack to more than {} bytes, the limit for a file of this size",
            self.packed,
            self.packed.saturating_mul(RATIO).max(SMALL)
        ))
    }
}

/// An error message for data that exceed a [`Budget`].
#[derive(Debug, PartialEq)]
pub(super) struct TooLarge(pub(super) String);

impl TooLarge {
    /// The remedy for compressed data inside a file.
    pub(super) const REMEDY: &str = "if the file is genuine, write it without compression";

    /// Converts the message to a flaw at `position` inside the file.
    pub(super) fn at(self, position: impl Into<Position>) -> Flaw {
        Flaw::at(position, self.0, Self::REMEDY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_inside_a_file_takes_from_one_budget() {
        let mut budget = Budget::of(10);
        assert_eq!(budget.take(SMALL - 1), Ok(()));
        assert_eq!((budget.take(1), budget.left()), (Ok(()), 0));
        let error = budget.take(1).unwrap_err().0;
        assert_eq!(
            error,
            "10 bytes unpack to more than 268435456 bytes, the limit for a file of this size"
        );
        let mut large = Budget::of(2 << 20);
        assert!(large.take(400 << 20).is_ok() && large.take(1).is_err());
        assert_eq!(Budget::of(u64::MAX).left(), u64::MAX);
    }
}
