//! Errors in the text of an expression, and their positions.

use std::fmt;
use std::ops::Range;

use crate::error::Error;

/// The largest number of columns of the text that a message shows.
const SHOWN: usize = 72;

/// An error in an expression. The message shows the text, with carets below the wrong part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    what: String,
    remedy: String,
    text: String,
    span: Range<usize>,
}

impl Flaw {
    /// The prefix of the two message lines that show the text and the carets.
    pub const EXCERPT: &'static str = "\n    | ";

    pub(super) fn new(
        text: &str,
        span: Range<usize>,
        what: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Flaw { what: what.into(), remedy: remedy.into(), text: text.to_string(), span }
    }

    /// Returns the byte range of the faulty part of the expression text. The range is empty if the
    /// error is at the end of the text.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the description without the remedy and the expression text.
    pub fn what(&self) -> &str {
        &self.what
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        // Columns are characters. Control characters become spaces, because a line break would
        // misplace the carets.
        let columns: Vec<char> =
            self.text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let column =
            |byte: usize| self.text.char_indices().take_while(|(place, _)| *place < byte).count();
        let (start, end) = (column(self.span.start), column(self.span.end));
        let from = if columns.len() <= SHOWN { 0 } else { start.saturating_sub(SHOWN / 2) };
        let to = columns.len().min(from + SHOWN);
        let shown: String = columns[from..to].iter().collect();
        let before = if from > 0 { "..." } else { "" };
        let after = if to < columns.len() { "..." } else { "" };
        let blanks = " ".repeat(before.len() + start - from);
        let carets = "^".repeat(end.min(to).saturating_sub(start).max(1));
        write!(f, "{0}{before}{shown}{after}{0}{blanks}{carets}", Self::EXCERPT)
    }
}

impl std::error::Error for Flaw {}

impl From<Flaw> for Error {
    fn from(flaw: Flaw) -> Error {
        Error::usage(flaw.to_string(), "")
    }
}
