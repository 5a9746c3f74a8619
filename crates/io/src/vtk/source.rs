//! The file being read, and how errors name a place in it.

use std::path::Path;

use crate::text::without_mark;
use zeroset_core::error::Error;

/// A file in memory with its name.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub path: &'a Path,
    pub bytes: &'a [u8],
}

impl<'a> Source<'a> {
    /// The file without a byte-order mark and blanks before it.
    pub fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Source { path, bytes: without_mark(bytes).trim_ascii_start() }
    }

    /// "line 12" of the byte at that offset.
    pub fn line(&self, at: usize) -> String {
        let before = &self.bytes[..at.min(self.bytes.len())];
        format!("line {}", 1 + before.iter().filter(|&&b| b == b'\n').count())
    }

    /// An error about this file.
    pub fn fail(
        &self,
        position: impl Into<String>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Error {
        let (position, what) = (one_line(&position.into()), one_line(&what.into()));
        Error::input(self.path, position, what, remedy)
    }
}

/// Text as one line of bearable length, whatever a damaged file put into it.
pub(super) fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    text.chars().take(LONGEST).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A word of a file as it can be shown in a message: short, printable.
pub(super) fn shown(word: &[u8]) -> String {
    const LONGEST: usize = 24;
    let text: String = String::from_utf8_lossy(word)
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    if word.len() > LONGEST { format!("'{text}...'") } else { format!("'{text}'") }
}
