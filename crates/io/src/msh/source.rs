//! Reading of the bytes of an MSH file as sections of text or binary numbers.

use std::fmt::Display;
use std::ops::Range;

use crate::text::{parse, show, words};
use zeroset_core::error::{Flaw, Position, Result};

/// The encoding of numbers inside sections.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Encoding {
    Ascii,
    Binary {
        big_endian: bool,
        /// Bytes of a count or tag in version 4: 4 or 8.
        size: usize,
    },
}

/// A position in the file. Errors name the line of a text file or the byte of a binary one.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) encoding: Encoding,
}

const CUT: &str = "the file is truncated or a count is wrong: export it again";

impl<'a> Source<'a> {
    /// Creates a source at the beginning of `bytes`. Numbers are read as text until `encoding`
    /// changes.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Source { bytes, at: 0, encoding: Encoding::Ascii }
    }

    /// Creates an error at the current position.
    pub(super) fn fail(&self, what: impl Into<String>, remedy: &str) -> Flaw {
        let read = self.bytes.get(..self.at).unwrap_or(self.bytes);
        let position = match self.encoding {
            Encoding::Ascii => Position::Line(1 + read.iter().filter(|&&b| b == b'\n').count()),
            Encoding::Binary { .. } => Position::byte(self.at),
        };
        Flaw::at(position, what, remedy)
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_ascii_start().len();
    }

    /// Returns the rest of the current line without surrounding white space, and moves to the next
    /// line.
    pub(super) fn line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        rest.get(..length).unwrap_or(rest).trim_ascii()
    }

    /// Returns the next word of text. The end of the file and a word that begins with "$" are
    /// errors.
    fn word(&mut self, what: impl Display) -> Result<&'a [u8], Flaw> {
        self.skip_space();
        let rest = self.rest();
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or(rest);
        if word.is_empty() {
            return Err(self.fail(format!("the file ends where {what} was expected"), CUT));
        }
        if word.starts_with(b"$") {
            let found = String::from_utf8_lossy(word);
            return Err(self.fail(format!("{found} found where {what} was expected"), CUT));
        }
        self.at += length;
        Ok(word)
    }

    /// Reads the next word of text as a number. This works in binary files too.
    pub(super) fn text<T: std::str::FromStr>(&mut self, what: impl Display) -> Result<T, Flaw> {
        let word = self.word(&what)?;
        parse(word).ok_or_else(|| {
            self.fail(format!("{what} expected, found {}", show(word)), "export the file again")
        })
    }

    fn raw<const N: usize>(&mut self, what: impl Display) -> Result<[u8; N], Flaw> {
        match self.rest().first_chunk::<N>() {
            Some(&raw) => {
                self.at += N;
                Ok(raw)
            }
            None => Err(self.fail(format!("the file ends where {what} was expected"), CUT)),
        }
    }

    /// Reads the next `int`: a word of text, or 4 bytes.
    pub(super) fn int(&mut self, what: impl Display) -> Result<i64, Flaw> {
        let Encoding::Binary { big_endian, .. } = self.encoding else { return self.text(what) };
        let raw = self.raw::<4>(what)?;
        Ok(i64::from(if big_endian { i32::from_be_bytes(raw) } else { i32::from_le_bytes(raw) }))
    }

    /// Reads the next `size_t` of version 4, a count or a tag: text, or 4 or 8 bytes.
    pub(super) fn size(&mut self, what: impl Display) -> Result<u64, Flaw> {
        match self.encoding {
            Encoding::Ascii => self.text(what),
            Encoding::Binary { big_endian, size: 4 } => {
                let raw = self.raw::<4>(what)?;
                let value = if big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
                Ok(u64::from(value(raw)))
            }
            Encoding::Binary { big_endian, .. } => {
                let raw = self.raw::<8>(what)?;
                Ok(if big_endian { u64::from_be_bytes(raw) } else { u64::from_le_bytes(raw) })
            }
        }
    }

    /// Reads the next `double`: a word of text, or 8 bytes.
    pub(super) fn real(&mut self, what: impl Display) -> Result<f64, Flaw> {
        let Encoding::Binary { big_endian, .. } = self.encoding else { return self.text(what) };
        let raw = self.raw::<8>(what)?;
        Ok(if big_endian { f64::from_be_bytes(raw) } else { f64::from_le_bytes(raw) })
    }

    /// Reads the next three doubles as the coordinates of node `number`, which must be finite.
    pub(super) fn coordinates(&mut self, number: u64) -> Result<[f64; 3], Flaw> {
        let x = [self.real("x")?, self.real("y")?, self.real("z")?];
        match x.iter().position(|v| !v.is_finite()) {
            None => Ok(x),
            Some(k) => Err(self.not_finite(number, k, x[k])),
        }
    }

    /// Creates the error for a coordinate that is not finite.
    pub(super) fn not_finite(&self, number: u64, axis: usize, value: f64) -> Flaw {
        let axis = ["x", "y", "z"][axis];
        let what = format!("{axis} of node {number} is {value}, expected a finite number");
        self.fail(what, "remove or fix this node")
    }

    /// Skips `n` doubles.
    pub(super) fn skip_reals(&mut self, n: usize, what: &str) -> Result<(), Flaw> {
        if self.encoding == Encoding::Ascii {
            return (0..n).try_for_each(|_| self.word(what).map(drop));
        }
        self.skip_bytes(n.saturating_mul(8), what)
    }

    /// Returns the number of bytes of a count or tag in a binary file, and 0 for text.
    pub(super) fn size_bytes(&self) -> usize {
        if let Encoding::Binary { size, .. } = self.encoding { size } else { 0 }
    }

    fn skip_bytes(&mut self, n: usize, what: &str) -> Result<(), Flaw> {
        if n > self.rest().len() {
            let found = self.rest().len();
            return Err(self.fail(format!("{n} bytes expected for {what}, found {found}"), CUT));
        }
        self.at += n;
        Ok(())
    }

    /// Checks that the remaining bytes can hold `count` records of `words` words in a text file, or
    /// of `bytes` bytes in a binary file. Returns `count` as the length of an array.
    pub(super) fn promised(
        &self,
        count: u64,
        words: usize,
        bytes: usize,
        what: &str,
    ) -> Result<usize, Flaw> {
        let each = if self.encoding == Encoding::Ascii { 2 * words } else { bytes };
        let (needed, found) = (u128::from(count) * each as u128, self.rest().len());
        if needed > found as u128 + 1 {
            let what =
                format!("{count} {what} declared (at least {needed} bytes), found {found} bytes");
            return Err(self.fail(what, CUT));
        }
        Ok(count as usize)
    }

    /// Checks that the remaining bytes can hold `count` lines of text, and returns `count`. This
    /// works in binary files too.
    pub(super) fn promised_lines(&self, count: u64, what: &str) -> Result<u64, Flaw> {
        let found = self.rest().len();
        if count > found as u64 {
            return Err(self.fail(format!("{count} {what} declared, found {found} bytes"), CUT));
        }
        Ok(count)
    }

    /// Reads the first line of the next section and returns its name without "$", or `None` at the
    /// end of the file.
    pub(super) fn next_section(&mut self) -> Result<Option<&'a str>, Flaw> {
        self.skip_space();
        if self.rest().is_empty() {
            return Ok(None);
        }
        let begin = self.at;
        let line = self.line();
        match line.strip_prefix(b"$").map(std::str::from_utf8) {
            Some(Ok(name)) if !name.starts_with("End") => Ok(Some(name)),
            _ => {
                self.at = begin;
                Err(self.fail(format!("$Section expected, found {}", show(line)), CUT))
            }
        }
    }

    /// Reads the line that ends section `name`.
    pub(super) fn end_section(&mut self, name: &str) -> Result<(), Flaw> {
        self.expect(&format!("$End{name}"))
    }

    /// Reads a line that must be `expected`.
    pub(super) fn expect(&mut self, expected: &str) -> Result<(), Flaw> {
        self.skip_space();
        let begin = self.at;
        let line = self.line();
        if line == expected.as_bytes() {
            return Ok(());
        }
        self.at = begin;
        Err(self.fail(format!("{expected} expected, found {}", show(line)), CUT))
    }

    /// Skips the rest of section `name`, including its last line. Returns the byte range of the
    /// content before that line.
    pub(super) fn skip_section(&mut self, name: &str) -> Result<Range<usize>, Flaw> {
        let end = format!("$End{name}");
        let begin = self.at;
        match self.rest().windows(end.len()).position(|w| w == end.as_bytes()) {
            Some(length) => {
                self.at += length;
                self.end_section(name)?;
                Ok(begin..begin + length)
            }
            None => {
                self.at = self.bytes.len();
                Err(self.fail(format!("the file ends where {end} was expected"), CUT))
            }
        }
    }

    /// Formats the next word of text, or the next bytes, for a message.
    pub(super) fn found(&self) -> String {
        let rest = self.rest();
        match self.encoding {
            Encoding::Ascii => show(words(rest).next().unwrap_or_default()),
            Encoding::Binary { .. } => show(rest.get(..8).unwrap_or(rest)),
        }
    }
}
