//! The file being read, and the positions that errors name in it.

use crate::text::without_mark;
use zeroset_core::error::{Flaw, Position};

/// A file in memory.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub bytes: &'a [u8],
}

impl<'a> Source<'a> {
    /// Creates the source of a file, without a byte-order mark or leading white space.
    pub fn new(bytes: &'a [u8]) -> Self {
        Source { bytes: without_mark(bytes).trim_ascii_start() }
    }

    /// Returns the line of the byte at this offset.
    pub fn line(&self, at: usize) -> Position {
        let before = &self.bytes[..at.min(self.bytes.len())];
        Position::Line(1 + before.iter().filter(|&&b| b == b'\n').count())
    }

    /// Creates a flaw in this file.
    pub fn fail(
        &self,
        position: impl Into<Position>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Flaw {
        let position = match position.into() {
            Position::Part(name) => Position::Part(one_line(&name)),
            other => other,
        };
        Flaw::at(position, one_line(&what.into()), remedy)
    }
}

/// Formats text as one line of limited length, whatever a damaged file contains.
pub(super) fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Formats a word of a file for a message: short and printable.
pub(super) fn shown(word: &[u8]) -> String {
    const LONGEST: usize = 24;
    let text: String = String::from_utf8_lossy(word)
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    if word.len() > LONGEST { format!("'{text}...'") } else { format!("'{text}'") }
}
