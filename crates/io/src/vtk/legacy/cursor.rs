//! Words, lines and arrays of a legacy file, with the place of whatever is wrong.

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
    /// Arrays are binary; keywords are text in any case.
    binary: bool,
    /// Order of the bytes of binary numbers: the format knows big-endian ones only, but there are
    /// others.
    big_endian: bool,
}

impl<'a> Cursor<'a> {
    pub fn new(source: Source<'a>, at: usize, binary: bool) -> Self {
        Cursor { source, at, binary, big_endian: true }
    }

    /// With binary numbers in the order that the format forbids.
    pub fn little_endian(self) -> Self {
        Cursor { big_endian: false, ..self }
    }

    /// The file.
    pub fn source(&self) -> &Source<'a> {
        &self.source
    }

    /// True if arrays are binary.
    pub fn is_binary(&self) -> bool {
        self.binary
    }

    /// Bytes passed so far.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Error at a byte: named by its line, or in binary files by its offset.
    pub fn fail_at(&self, at: usize, what: impl Into<String>, remedy: impl Into<String>) -> Flaw {
        let position = if self.binary { Position::byte(at) } else { self.source.line(at) };
        self.source.fail(position, what, remedy)
    }

    /// Error at the present position.
    pub fn fail(&self, what: impl Into<String>, remedy: impl Into<String>) -> Flaw {
        self.fail_at(self.at, what, remedy)
    }

    fn rest(&self) -> &'a [u8] {
        self.source.bytes.get(self.at..).unwrap_or_default()
    }

    fn skip_space(&mut self) {
        self.at += self.rest().iter().take_while(|b| b.is_ascii_whitespace()).count();
    }

    /// The next word; `None` at the end of the file.
    pub fn word(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let length = self.rest().iter().take_while(|b| !b.is_ascii_whitespace()).count();
        let word = &self.rest()[..length];
        self.at += length;
        (length > 0).then_some(word)
    }

    /// The next word, which must be there.
    pub fn expect_word(&mut self, what: &str) -> Result<&'a [u8], Flaw> {
        self.word()
            .ok_or_else(|| self.fail(format!("the file ends where {what} should stand"), TRUNCATED))
    }

    /// The next word as text, "%20" and the like decoded.
    pub fn name(&mut self, what: &str) -> Result<String, Flaw> {
        Ok(decoded(self.expect_word(what)?))
    }

    /// The rest of the line, without its end; the cursor moves to the next line.
    pub fn line(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest.iter().take_while(|&&b| b != b'\n').count();
        self.at += (length + 1).min(rest.len());
        rest[..length].trim_ascii()
    }

    /// True, and the word passed, if the next word is this one. In binary files it must stand
    /// right here: what follows may be an array.
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

    /// The next word as a count.
    pub fn count(&mut self, what: &str) -> Result<usize, Flaw> {
        let word = self.expect_word(what)?;
        let number = std::str::from_utf8(word).ok().and_then(|w| w.parse::<usize>().ok());
        number.ok_or_else(|| {
            self.fail(
                format!("{} stands where {what} should, expected a count", shown(word)),
                "the file is damaged or not what it claims to be; write it again",
            )
        })
    }

    /// The next three words as numbers.
    pub fn place(&mut self, what: &str) -> Result<[f64; 3], Flaw> {
        let mut x = [0.0; 3];
        for value in &mut x {
            let word = self.expect_word(what)?;
            let number = std::str::from_utf8(word).ok().and_then(|w| w.parse::<f64>().ok());
            *value = number.filter(|x| x.is_finite()).ok_or_else(|| {
                let what = format!("{} stands where a number of {what} should", shown(word));
                self.fail(what, "the file is damaged; write it again")
            })?;
        }
        Ok(x)
    }

    /// The next word as a number type.
    pub fn scalar(&mut self, what: &str) -> Result<Scalar, Flaw> {
        let word = self.expect_word(&format!("the number type of {what}"))?;
        Scalar::from_legacy(&String::from_utf8_lossy(word)).ok_or_else(|| {
            self.fail(
                format!("{} is not a number type, found for {what}", shown(word)),
                "expected float, double, int, long, short, char, bit, an unsigned one of them, \
                 or vtkIdType",
            )
        })
    }

    /// `rows * components` numbers, which start on the next line.
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

    /// As [`Cursor::values`], in the type of the file; bits become bytes, whole ones of 8.
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
            let what = format!("number {} of {what} is beyond the range of its type", k + 1);
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
        // A number takes a digit and a separator, the last one only the digit.
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
            return Err(self.too_short(what, &format!("{count} numbers and {read} are there")));
        };
        Err(self.fail_at(
            last,
            format!(
                "{} stands where number {} of the {count} of {what} should",
                shown(word),
                read + 1
            ),
            "the file holds fewer numbers than it promises, or is damaged; write it again",
        ))
    }

    fn too_short(&self, what: &str, promised: &str) -> Flaw {
        self.fail(
            format!("{what} promises {promised}, only {} bytes are left", self.rest().len()),
            TRUNCATED,
        )
    }

    /// Passes `count` strings: one per line, or in binary files with their lengths before them.
    pub fn skip_strings(&mut self, count: usize) -> Result<(), Flaw> {
        for _ in 0..count {
            if self.rest().is_empty() {
                return Err(
                    self.fail(format!("{count} strings promised, the file ends"), TRUNCATED)
                );
            }
            if !self.binary {
                self.line();
                continue;
            }
            // The upper two bits of the first byte say how many bytes hold the length.
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
                    return Err(self.fail("a string runs beyond the end of the file", TRUNCATED));
                }
            }
        }
        Ok(())
    }
}

const TRUNCATED: &str = "the file is cut off or damaged; copy or write it again";

/// Text with "%41" turned into "A".
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
