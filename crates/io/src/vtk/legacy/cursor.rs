//! Reading of words, lines and arrays of a legacy file, with errors that name the position.

use crate::scalar::Scalar;
use crate::volume::stored;
use crate::vtk::source::{Source, shown};
use zeroset_core::error::{Flaw, Position, Result};
use zeroset_core::mesh::Values;
use zeroset_core::volume::Samples;

/// A position in a legacy file.
pub(super) struct Cursor<'a> {
    source: Source<'a>,
    at: usize,
    /// Whether arrays are binary. Keywords are always text.
    binary: bool,
    /// The byte order of binary numbers. The format allows only big endian, but little-endian files
    /// exist.
    big_endian: bool,
}

impl<'a> Cursor<'a> {
    pub fn new(source: Source<'a>, at: usize, binary: bool) -> Self {
        Cursor { source, at, binary, big_endian: true }
    }

    /// Switches to little-endian binary numbers, which the format does not allow.
    pub fn little_endian(self) -> Self {
        Cursor { big_endian: false, ..self }
    }

    /// Returns the file.
    pub fn source(&self) -> &Source<'a> {
        &self.source
    }

    /// Returns true if arrays are binary.
    pub fn is_binary(&self) -> bool {
        self.binary
    }

    /// Returns the number of bytes consumed so far.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Creates an error at a byte. The error names the line, or the byte offset in binary files.
    pub fn fail_at(&self, at: usize, what: impl Into<String>, remedy: impl Into<String>) -> Flaw {
        let position = if self.binary { Position::byte(at) } else { self.source.line(at) };
        self.source.fail(position, what, remedy)
    }

    /// Creates an error at the current position.
    pub fn fail(&self, what: impl Into<String>, remedy: impl Into<String>) -> Flaw {
        self.fail_at(self.at, what, remedy)
    }

    fn rest(&self) -> &'a [u8] {
        self.source.bytes.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        self.at += self.rest().iter().take_while(|b| b.is_ascii_whitespace()).count();
    }

    /// Returns the next word, or `None` at the end of the file.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let length = self.rest().iter().take_while(|b| !b.is_ascii_whitespace()).count();
        let word = &self.rest()[..length];
        self.at += length;
        (length > 0).then_some(word)
    }

    /// Returns the next word.
    ///
    /// # Errors
    /// Returns a [`Flaw`] at the end of the file.
    pub fn expect_word(&mut self, what: &str) -> Result<&'a [u8], Flaw> {
        self.word()
            .ok_or_else(|| self.fail(format!("the file ends where {what} was expected"), TRUNCATED))
    }

    /// Returns the next word as text, with "%20" and similar codes decoded.
    pub fn name(&mut self, what: &str) -> Result<String, Flaw> {
        Ok(decoded(self.expect_word(what)?))
    }

    /// Returns the rest of the line without surrounding white space, and moves to the next line.
    pub fn line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().take_while(|&&b| b != b'\n').count();
        self.at += (length + 1).min(rest.len());
        rest[..length].trim_ascii()
    }

    /// Consumes the next word if it is `keyword`, and returns whether it was. In binary files, the
    /// word must follow immediately, because anything else may be an array.
    pub fn passes(&mut self, keyword: &str) -> bool {
        let before = self.at;
        if !self.binary {
            self.skip_space();
        }
        let rest = self.rest();
        let found =
            rest.get(..keyword.len()).is_some_and(|w| w.eq_ignore_ascii_case(keyword.as_bytes()))
                && rest.get(keyword.len()).is_none_or(u8::is_ascii_whitespace);
        self.at = if found { self.at + keyword.len() } else { before };
        found
    }

    /// Reads the next word as a count.
    pub fn count(&mut self, what: &str) -> Result<usize, Flaw> {
        let word = self.expect_word(what)?;
        let number = std::str::from_utf8(word).ok().and_then(|w| w.parse::<usize>().ok());
        number.ok_or_else(|| {
            self.fail(
                format!("{what}: expected a count, found {}", shown(word)),
                "the file is damaged or has another format; write it again",
            )
        })
    }

    /// Reads the next three words as numbers, which must be finite.
    pub fn place(&mut self, what: &str) -> Result<[f64; 3], Flaw> {
        let mut x = [0.0; 3];
        for value in &mut x {
            let word = self.expect_word(what)?;
            let number = std::str::from_utf8(word).ok().and_then(|w| w.parse::<f64>().ok());
            *value = number.filter(|x| x.is_finite()).ok_or_else(|| {
                let what = format!("{what}: expected a finite number, found {}", shown(word));
                self.fail(what, "the file is damaged; write it again")
            })?;
        }
        Ok(x)
    }

    /// Reads the next word as a number type.
    pub fn scalar(&mut self, what: &str) -> Result<Scalar, Flaw> {
        let word = self.expect_word(&format!("the number type of {what}"))?;
        Scalar::from_legacy(&String::from_utf8_lossy(word)).ok_or_else(|| {
            self.fail(
                format!("{what} has the number type {}, which is unknown", shown(word)),
                "use float, double, int, long, short, char, bit, an unsigned variant, \
                 or vtkIdType",
            )
        })
    }

    /// Reads `rows * components` numbers that begin on the next line.
    pub fn values(
        &mut self,
        scalar: Scalar,
        rows: usize,
        components: usize,
        what: &str,
    ) -> Result<Values, Flaw> {
        let Some(count) = rows.checked_mul(components) else {
            return Err(self.too_short(what, &format!("{rows} times {components} numbers")));
        };
        if self.binary {
            self.packed(scalar, count, what)
        } else {
            self.written(scalar, count, what)
        }
    }

    /// Reads numbers like [`Cursor::values`], but in the number type of the file. Each bit becomes
    /// a byte. In binary files, the result includes the unused bits of the last byte.
    pub fn samples(
        &mut self,
        scalar: Scalar,
        rows: usize,
        components: usize,
        what: &str,
    ) -> Result<Samples, Flaw> {
        let Some(count) = rows.checked_mul(components) else {
            return Err(self.too_short(what, &format!("{rows} times {components} numbers")));
        };
        if self.binary {
            return Ok(stored::samples(scalar, self.bytes(scalar, count, what)?, self.big_endian));
        }
        let values = self.written(scalar, count, what)?;
        stored::narrowed(scalar, values).map_err(|k| {
            let what = format!("number {} of {what} exceeds the range of its type", k + 1);
            self.fail(what, "the file is damaged; write it again")
        })
    }

    fn bytes(&mut self, scalar: Scalar, count: usize, what: &str) -> Result<&'a [u8], Flaw> {
        let bytes = scalar.bytes(count).and_then(|n| self.rest().get(..n));
        let Some(bytes) = bytes else {
            return Err(self.too_short(what, &format!("{count} binary numbers")));
        };
        self.at += bytes.len();
        Ok(bytes)
    }

    fn packed(&mut self, scalar: Scalar, count: usize, what: &str) -> Result<Values, Flaw> {
        let bytes = self.bytes(scalar, count, what)?;
        Ok(match scalar.unpack(bytes, self.big_endian) {
            Values::Int(mut bits) if scalar == Scalar::Bit => {
                bits.truncate(count);
                Values::Int(bits)
            }
            values => values,
        })
    }

    fn written(&mut self, scalar: Scalar, count: usize, what: &str) -> Result<Values, Flaw> {
        // Every number takes at least a digit and a separator, except that the last needs no
        // separator.
        if count > self.rest().len().div_ceil(2) {
            return Err(self.too_short(what, &format!("{count} numbers")));
        }
        let mut last = self.at;
        let words = std::iter::from_fn(|| {
            self.skip_space();
            last = self.at;
            self.word()
        });
        let found = scalar.parse(words.take(count));
        let read = match &found {
            Ok(values) if values.len() == count => return Ok(found.unwrap_or(Values::Int(vec![]))),
            Ok(values) => values.len(),
            Err(read) => *read,
        };
        self.at = last;
        let Some(word) = self.word() else {
            return Err(
                self.too_short(what, &format!("{count} numbers, of which {read} are present"))
            );
        };
        Err(self.fail_at(
            last,
            format!("{what}: expected number {1} of {count}, found {0}", shown(word), read + 1),
            "the file holds fewer numbers than declared, or is damaged; write it again",
        ))
    }

    fn too_short(&self, what: &str, promised: &str) -> Flaw {
        self.fail(
            format!("{what} declares {promised}, but only {} bytes are left", self.rest().len()),
            TRUNCATED,
        )
    }

    /// Skips `count` strings. They are stored one per line, or preceded by their lengths in binary
    /// files.
    pub fn skip_strings(&mut self, count: usize) -> Result<(), Flaw> {
        for _ in 0..count {
            if self.rest().is_empty() {
                return Err(
                    self.fail(format!("{count} strings declared, but the file ends"), TRUNCATED)
                );
            }
            if !self.binary {
                self.line();
                continue;
            }
            // The upper two bits of the first byte state how many bytes hold the length.
            let lengths = [8, 4, 2, 1];
            let width = lengths[usize::from(self.rest()[0] >> 6)];
            let head = self.rest().get(..width).unwrap_or_default();
            let length = head
                .iter()
                .enumerate()
                .fold(0u64, |n, (k, &b)| n << 8 | u64::from(if k == 0 { b & 0x3f } else { b }));
            let end = usize::try_from(length).ok().and_then(|n| n.checked_add(self.at + width));
            match end.filter(|&end| end <= self.source.bytes.len() && !head.is_empty()) {
                Some(end) => self.at = end,
                None => {
                    return Err(self.fail("a string extends beyond the end of the file", TRUNCATED));
                }
            }
        }
        Ok(())
    }
}

const TRUNCATED: &str = "the file is truncated or damaged; copy or write it again";

/// Decodes text in which "%41" stands for "A".
pub(in crate::vtk) fn decoded(word: &[u8]) -> String {
    let mut out = Vec::with_capacity(word.len());
    let mut rest = word;
    while let [first, tail @ ..] = rest {
        let code = (*first == b'%').then(|| tail.get(..2)).flatten();
        let byte = code
            .and_then(|c| std::str::from_utf8(c).ok())
            .and_then(|c| u8::from_str_radix(c, 16).ok());
        (rest, _) = match byte {
            Some(byte) => (&tail[2..], out.push(byte)),
            None => (tail, out.push(*first)),
        };
    }
    String::from_utf8_lossy(&out).into_owned()
}
