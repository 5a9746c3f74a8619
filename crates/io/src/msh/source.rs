//! The bytes of an MSH file, read as sections of text or binary numbers.

use std::fmt::Display;
use std::ops::Range;

use crate::text::{parse, show, words};
use zeroset_core::error::{Flaw, Position, Result};

/// How numbers inside sections are written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Encoding {
    Ascii,
    Binary {
        big_endian: bool,
        /// Bytes of a count or tag of version 4: 4 or 8.
        size: usize,
    },
}

/// A place in the file. Positions in errors are lines of text files, bytes of binary ones.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) encoding: Encoding,
}

const CUT: &str = "the file is cut short or a count is wrong: export it again";

impl<'a> Source<'a> {
    /// A source at the begin of a text.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Source { bytes, at: 0, encoding: Encoding::Ascii }
    }

    /// An error at the place reached.
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

    /// The rest of the current line, without its end.
    pub(super) fn line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at += (length + 1).min(rest.len());
        rest.get(..length).unwrap_or(rest).trim_ascii()
    }

    /// The next word of text.
    fn word(&mut self, what: impl Display) -> Result<&'a [u8], Flaw> {
        self.skip_space();
        let rest = self.rest();
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or(rest);
        if word.is_empty() {
            return Err(self.fail(format!("file ends where {what} was expected"), CUT));
        }
        if word.starts_with(b"$") {
            let found = String::from_utf8_lossy(word);
            return Err(self.fail(format!("{found} met where {what} was expected"), CUT));
        }
        self.at += length;
        Ok(word)
    }

    /// The next word of text as a number, also in a binary file.
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
            None => Err(self.fail(format!("file ends where {what} was expected"), CUT)),
        }
    }

    /// The next `int`.
    pub(super) fn int(&mut self, what: impl Display) -> Result<i64, Flaw> {
        let Encoding::Binary { big_endian, .. } = self.encoding else { return self.text(what) };
        let raw = self.raw::<4>(what)?;
        Ok(i64::from(if big_endian { i32::from_be_bytes(raw) } else { i32::from_le_bytes(raw) }))
    }

    /// The next `size_t` of version 4: a count or a tag.
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

    /// The next `double`.
    pub(super) fn real(&mut self, what: impl Display) -> Result<f64, Flaw> {
        let Encoding::Binary { big_endian, .. } = self.encoding else { return self.text(what) };
        let raw = self.raw::<8>(what)?;
        Ok(if big_endian { f64::from_be_bytes(raw) } else { f64::from_le_bytes(raw) })
    }

    /// The next three doubles as the coordinates of node `number`, which must be finite.
    pub(super) fn coordinates(&mut self, number: u64) -> Result<[f64; 3], Flaw> {
        let x = [self.real("x")?, self.real("y")?, self.real("z")?];
        match x.iter().position(|v| !v.is_finite()) {
            None => Ok(x),
            Some(k) => Err(self.not_finite(number, k, x[k])),
        }
    }

    /// The error of a coordinate that is not finite.
    pub(super) fn not_finite(&self, number: u64, axis: usize, value: f64) -> Flaw {
        let axis = ["x", "y", "z"][axis];
        let what = format!("{axis} of node {number} is {value}, a finite number is needed");
        self.fail(what, "remove or mend this node")
    }

    /// Passes over `n` doubles.
    pub(super) fn skip_reals(&mut self, n: usize, what: &str) -> Result<(), Flaw> {
        if self.encoding == Encoding::Ascii {
            return (0..n).try_for_each(|_| self.word(what).map(drop));
        }
        self.skip_bytes(n.saturating_mul(8), what)
    }

    /// Bytes of a count or tag in a binary file, 0 in text.
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

    /// Refuses a promise of `count` records that the bytes left cannot keep: `words` words of
    /// text each, or `bytes` bytes. Gives `count` as the length of an array.
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
                format!("{count} {what} promised (at least {needed} bytes), found {found} bytes");
            return Err(self.fail(what, CUT));
        }
        Ok(count as usize)
    }

    /// Refuses a promise of `count` lines, also in a binary file, that the bytes left cannot keep.
    pub(super) fn promised_lines(&self, count: u64, what: &str) -> Result<u64, Flaw> {
        let found = self.rest().len();
        if count > found as u64 {
            return Err(self.fail(format!("{count} {what} promised, found {found} bytes"), CUT));
        }
        Ok(count)
    }

    /// Goes to the next section and gives its name without "$"; `None` at the end of the file.
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

    /// Expects the end of section `name`.
    pub(super) fn end_section(&mut self, name: &str) -> Result<(), Flaw> {
        self.expect(&format!("$End{name}"))
    }

    /// Expects a line.
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

    /// Passes over a section that is not read; where its content stands.
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
                Err(self.fail(format!("file ends where {end} was expected"), CUT))
            }
        }
    }

    /// What stands here: the next word of text, or the next bytes.
    pub(super) fn found(&self) -> String {
        let rest = self.rest();
        match self.encoding {
            Encoding::Ascii => show(words(rest).next().unwrap_or_default()),
            Encoding::Binary { .. } => show(rest.get(..8).unwrap_or(rest)),
        }
    }
}
