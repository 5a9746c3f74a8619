//! Reading of text by lines, words and numbers, with errors that name the line.

mod pieces;

use std::borrow::Cow;
use std::fmt::{Arguments, Display};

pub(crate) use pieces::Piece;

use zeroset_core::error::{Flaw, Position, Result};

/// Returns the bytes without a UTF-8 byte-order mark.
pub(crate) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Returns the bytes with LF instead of CR if CR alone ends the lines. If there is any LF, the
/// bytes are returned unchanged. Byte offsets stay valid.
pub(crate) fn with_line_feeds(bytes: &[u8]) -> Cow<'_, [u8]> {
    let first = bytes.iter().find(|&&b| b == b'\n' || b == b'\r');
    if first != Some(&b'\r') || bytes.contains(&b'\n') {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(bytes.iter().map(|&b| if b == b'\r' { b'\n' } else { b }).collect())
}

/// Returns the words of a string, which are separated by white space.
pub(crate) fn words(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty())
}

/// Formats bytes of a file for a message: up to 32 bytes of text in quotes, or up to 8 other bytes
/// in hexadecimal.
pub(crate) fn show(bytes: &[u8]) -> String {
    let text = bytes.get(..32).unwrap_or(bytes);
    let more = |shown: usize| if bytes.len() > shown { "..." } else { "" };
    if text.iter().all(|&b| b >= b' ' || b == b'\t') {
        return format!("\"{}{}\"", String::from_utf8_lossy(text), more(32));
    }
    let numbers: Vec<String> = bytes.iter().take(8).map(|b| format!("{b:02X}")).collect();
    format!("bytes {}{}", numbers.join(" "), more(8))
}

/// Formats a message, which may quote the file, as a single line. Cuts it after 120 characters and
/// appends "..." if it is longer.
pub(crate) fn one_line(message: &impl Display) -> String {
    let text = message.to_string();
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match line.char_indices().nth(120) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// Parses a word as a value of type `T`. Returns `None` if this fails.
pub(crate) fn parse<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Parses a word as a real number. Also accepts the spellings of NaN and of infinite numbers that
/// Microsoft's C libraries print, such as `1.#QNAN`, `-1.#IND`, `1.#INF` and `nan(ind)`. Returns
/// `None` if the word is not a number.
pub(crate) fn real(word: &[u8]) -> Option<f64> {
    parse(word).or_else(|| {
        let text = std::str::from_utf8(word).ok()?.to_ascii_lowercase();
        let digits = text.trim_start_matches(['+', '-']);
        if let Some(rest) = digits.strip_prefix("1.#") {
            let infinite = if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY };
            return Some(if rest.starts_with("inf") { infinite } else { f64::NAN });
        }
        digits.starts_with("nan(").then_some(f64::NAN)
    })
}

/// The lines of a text, counted from 1. Lines end with LF, CR LF, or CR alone.
#[derive(Clone)]
pub(crate) struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    number: usize,
    end: u8,
    comment: Option<u8>,
}

impl<'a> Lines<'a> {
    /// Creates a reader of the lines of `bytes`, the content of a whole file.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
        Lines { bytes, at: 0, number: 0, end, comment: None }
    }

    /// Creates a reader of the lines of a text header that may be followed by binary data. The
    /// first line ending determines the kind of all line endings.
    pub(crate) fn of_header(bytes: &'a [u8]) -> Self {
        let first = bytes.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(bytes.len());
        let alone = bytes.get(first) == Some(&b'\r') && bytes.get(first + 1) != Some(&b'\n');
        let end = if alone { b'\r' } else { b'\n' };
        Lines { bytes, at: 0, number: 0, end, comment: None }
    }

    /// Treats everything in a line from the character `sign` on as a comment.
    pub(crate) fn with_comments(mut self, sign: u8) -> Self {
        self.comment = Some(sign);
        self
    }

    /// Returns the next line without its line ending, or `None` after the last line.
    pub(crate) fn next_line(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..).filter(|r| !r.is_empty())?;
        let length = rest.iter().position(|&b| b == self.end).unwrap_or(rest.len());
        self.at += length + 1;
        self.number += 1;
        let line = rest.get(..length).unwrap_or(rest);
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }

    /// Returns the next line that holds a word, or `None` if there is none.
    pub(crate) fn next_row(&mut self) -> Option<Row<'a>> {
        loop {
            let mut line = self.next_line()?;
            if let Some(sign) = self.comment {
                line = line.split(|&b| b == sign).next().unwrap_or(line);
            }
            if !line.trim_ascii().is_empty() {
                return Some(Row { number: self.number, rest: line });
            }
        }
    }

    /// Returns the next line that holds a word.
    ///
    /// # Errors
    /// Returns a [`Flaw`] that states that `what` was expected if there is no such line.
    pub(crate) fn row(&mut self, what: Arguments) -> Result<Row<'a>, Flaw> {
        self.next_row().ok_or_else(|| {
            let what = format!("the file ends where {what} was expected");
            Flaw::at(self.position(), what, "the file is truncated: copy it again")
        })
    }

    /// Returns the number of bytes not yet read.
    pub(crate) fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// Returns the number of bytes read, including line endings.
    pub(crate) fn consumed(&self) -> usize {
        self.at.min(self.bytes.len())
    }

    /// Returns the position of the last line read.
    pub(crate) fn position(&self) -> Position {
        Position::Line(self.number.max(1))
    }

    /// Returns the number of the last line read.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Creates a flaw at the last line read.
    pub(crate) fn fail(&self, what: impl Display, remedy: &str) -> Flaw {
        Flaw::at(self.position(), what.to_string(), remedy)
    }

    /// Creates a flaw that states what was expected and what was found, at the last line read.
    pub(crate) fn expected(
        &self,
        what: impl Display,
        found: impl Into<String>,
        remedy: &str,
    ) -> Flaw {
        Flaw::expected(self.position(), what.to_string(), found, remedy)
    }

    /// Checks that the remaining bytes can hold `count` records of at least `words` words each, and
    /// returns `count` as the length of an array.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the remaining bytes are too few.
    pub(crate) fn promised(&self, count: u64, words: usize, what: &str) -> Result<usize, Flaw> {
        let least = (count as u128) * (2 * words.max(1) as u128);
        if least > self.remaining() as u128 + 1 {
            let found = self.remaining();
            return Err(self.fail(
                format!("{count} {what} declared, but only {found} bytes follow"),
                "the count is wrong or the file is truncated",
            ));
        }
        Ok(count as usize)
    }
}

/// The words of a text whose line structure is irrelevant. A word that begins with "#" begins a
/// comment that extends to the end of the line.
pub(crate) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    /// Creates a reader of the words of `bytes`, the content of a whole file.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Words { bytes, at: 0 }
    }

    /// Returns the next word, or `None` after the last word.
    pub(crate) fn next_word(&mut self) -> Option<&'a [u8]> {
        loop {
            let rest = self.bytes.get(self.at..)?;
            let word = rest.trim_ascii_start();
            self.at += rest.len() - word.len();
            let is_comment = *word.first()? == b'#';
            let ends = |b: &u8| {
                if is_comment { matches!(b, b'\n' | b'\r') } else { b.is_ascii_whitespace() }
            };
            let length = word.iter().position(ends).unwrap_or(word.len());
            self.at += length;
            if !is_comment {
                return word.get(..length);
            }
        }
    }

    /// Returns the next word without consuming it, or `None` after the last word.
    pub(crate) fn peek(&mut self) -> Option<&'a [u8]> {
        let word = self.next_word()?;
        self.at -= word.len();
        Some(word)
    }

    /// Reads the next word as a number of type `T`.
    pub(crate) fn number<T: std::str::FromStr>(&mut self, what: impl Display) -> Result<T, Flaw> {
        let word = self.peek();
        match word.and_then(parse) {
            Some(value) => {
                self.next_word();
                Ok(value)
            }
            None => {
                let found = word.map_or("the end of the file".to_string(), show);
                let remedy = "the file is damaged or a count is wrong: export it again";
                Err(self.expected(what, found, remedy))
            }
        }
    }

    /// Reads the next word as a coordinate, which must be finite.
    pub(crate) fn coordinate(&mut self, what: impl Display) -> Result<f64, Flaw> {
        let value: f64 = self.number(&what)?;
        if value.is_finite() {
            return Ok(value);
        }
        let what = format!("{what} is {value}, expected a finite number");
        Err(self.fail(what, "remove or fix this vertex"))
    }

    /// Returns the bytes after the last word read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Checks that the remaining bytes can hold `count` records of `words` words each, and returns
    /// `count` as the length of an array.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the remaining bytes are too few.
    pub(crate) fn promised(&self, count: u64, words: usize, what: &str) -> Result<usize, Flaw> {
        let found = self.bytes.len() - self.at;
        if u128::from(count) * (2 * words as u128) > found as u128 + 1 {
            let what = format!("{count} {what} declared, but only {found} bytes follow");
            return Err(self.fail(what, "the count is wrong or the file is truncated"));
        }
        Ok(count as usize)
    }

    /// Returns the number of the current line, as a position.
    fn position(&self) -> Position {
        let read = self.bytes.get(..self.at).unwrap_or(self.bytes);
        let end = if self.bytes.contains(&b'\n') { b'\n' } else { b'\r' };
        Position::Line(1 + read.iter().filter(|&&b| b == end).count())
    }

    /// Creates a flaw at the current line.
    pub(crate) fn fail(&self, what: impl Display, remedy: &str) -> Flaw {
        Flaw::at(self.position(), what.to_string(), remedy)
    }

    /// Creates a flaw that states what was expected and what was found, at the current line.
    pub(crate) fn expected(
        &self,
        what: impl Display,
        found: impl Into<String>,
        remedy: &str,
    ) -> Flaw {
        Flaw::expected(self.position(), what.to_string(), found, remedy)
    }
}

/// A line whose words are read from left to right.
pub(crate) struct Row<'a> {
    number: usize,
    rest: &'a [u8],
}

impl<'a> Row<'a> {
    /// Returns the part of the line that has not been read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Skips white space and then `n` bytes.
    pub(crate) fn skip(&mut self, n: usize) {
        self.rest = self.rest.trim_ascii_start().get(n..).unwrap_or_default();
    }

    /// Returns the next word, if there is one.
    pub(crate) fn next_word(&mut self) -> Option<&'a [u8]> {
        let text = self.rest.trim_ascii_start();
        let length = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at_checked(length)?;
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// Reads the next word as a number of type `T`.
    pub(crate) fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, Flaw> {
        let word = self.next_word();
        word.and_then(parse).ok_or_else(|| {
            let found = word.map_or("the end of the line".to_string(), show);
            self.expected(what, found, "fix or export the file again")
        })
    }

    /// Reads the next word as a real number. See [`real`].
    pub(crate) fn real(&mut self) -> Result<f64, Flaw> {
        let word = self.next_word();
        word.and_then(real).ok_or_else(|| {
            let found = word.map_or("the end of the line".to_string(), show);
            self.expected("a number", found, "fix or export the file again")
        })
    }

    /// Reads the next word as a coordinate, which must be finite.
    pub(crate) fn coordinate(&mut self, what: &str) -> Result<f64, Flaw> {
        let value: f64 = self.number(what)?;
        if value.is_finite() {
            return Ok(value);
        }
        let what = format!("{what} is {value}, expected a finite number");
        Err(self.fail(what, "remove or fix this vertex"))
    }

    /// Creates a flaw at this line.
    pub(crate) fn fail(&self, what: impl Display, remedy: &str) -> Flaw {
        Flaw::at(Position::Line(self.number), what.to_string(), remedy)
    }

    /// Creates a flaw that states what was expected and what was found, at this line.
    pub(crate) fn expected(
        &self,
        what: impl Display,
        found: impl Into<String>,
        remedy: &str,
    ) -> Flaw {
        Flaw::expected(Position::Line(self.number), what.to_string(), found, remedy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines<'a>(bytes: &'a [u8]) -> Lines<'a> {
        Lines::new(bytes)
    }

    #[test]
    fn all_line_ends_are_lines() {
        for text in ["a 1\nb 2\n", "a 1\r\nb 2", "a 1\rb 2\r"] {
            let mut lines = lines(text.as_bytes());
            assert_eq!(lines.next_line(), Some(&b"a 1"[..]), "{text:?}");
            assert_eq!(lines.next_line(), Some(&b"b 2"[..]), "{text:?}");
            assert_eq!((lines.next_line(), lines.number()), (None, 2), "{text:?}");
        }
    }

    #[test]
    fn words_run_over_lines_and_comments() {
        let text = b"a #b c\r\n 7\n\n#d\nnan x";
        let mut words = Words::new(text);
        assert_eq!((words.next_word(), words.peek()), (Some(&b"a"[..]), Some(&b"7"[..])));
        assert_eq!(words.number::<u32>("n").unwrap(), 7);
        let error = words.coordinate("y").unwrap_err().to_string();
        assert!(error.contains("line 5: y is NaN"), "{error}");
        let error = words.number::<f64>("z").unwrap_err().to_string();
        assert!(error.contains("line 5: z expected, found \"x\""), "{error}");
        assert_eq!((words.next_word(), words.next_word()), (Some(&b"x"[..]), None));
        assert!(words.number::<f64>("z").unwrap_err().to_string().contains("the end of the file"));
        assert!(words.promised(0, 3, "vertices").is_ok() && words.promised(1, 1, "v").is_err());
    }

    #[test]
    fn errors_name_line_and_find() {
        let mut lines = lines(b"\n1.5 # comment\n #\n x y\n").with_comments(b'#');
        let mut row = lines.row(format_args!("a row")).unwrap();
        assert_eq!(row.number::<f64>("x").unwrap(), 1.5);
        let error = row.number::<f64>("y").unwrap_err().to_string();
        assert!(error.starts_with("line 2: y expected, found the end of the line"), "{error}");
        let mut row = lines.row(format_args!("a row")).unwrap();
        let error = row.coordinate("z").unwrap_err().to_string();
        assert!(error.starts_with("line 4: z expected, found \"x\""), "{error}");
        let error = lines.row(format_args!("row {}", 3)).err().unwrap().to_string();
        assert!(error.contains("file ends where row 3 was expected"), "{error}");
    }
}
