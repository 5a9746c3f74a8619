//! A bounds-checked cursor for binary numbers. Its errors name the byte offset.

use zeroset_core::error::{Element, Flaw, Position, Result};

/// A position in the bytes of a file. Every read is bounds-checked, and nothing is allocated.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    big_endian: bool,
}

macro_rules! number {
    ($name:ident, $type:ty) => {
        #[doc = concat!("Reads the next `", stringify!($type), "`.")]
        ///
        /// # Errors
        /// Returns a [`Flaw`] that mentions `what` if fewer bytes are left.
        pub fn $name(&mut self, what: &str) -> Result<$type, Flaw> {
            let raw = self.array(what)?;
            let big = self.big_endian;
            Ok(if big { <$type>::from_be_bytes(raw) } else { <$type>::from_le_bytes(raw) })
        }
    };
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at byte `at` of `bytes`, the content of a whole file.
    pub fn new(bytes: &'a [u8], at: usize, big_endian: bool) -> Self {
        Cursor { bytes, at, big_endian }
    }

    number!(i32, i32);
    number!(u32, u32);
    number!(f32, f32);
    number!(i16, i16);
    number!(u64, u64);
    number!(i64, i64);
    number!(f64, f64);

    /// Returns the next `n` bytes.
    ///
    /// # Errors
    /// Returns a [`Flaw`] that mentions `what` if fewer bytes are left.
    pub fn take(&mut self, n: usize, what: &str) -> Result<&'a [u8], Flaw> {
        let taken = self.at.checked_add(n).and_then(|end| self.bytes.get(self.at..end));
        match taken {
            Some(taken) => {
                self.at += n;
                Ok(taken)
            }
            None => Err(self.fail(
                format!("{n} bytes expected for {what}, found {}", self.remaining()),
                "the file is truncated: copy or export it again",
            )),
        }
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], Flaw> {
        let mut raw = [0; N];
        raw.copy_from_slice(self.take(N, what)?);
        Ok(raw)
    }

    /// Checks that the remaining bytes can hold `count` records of `size` bytes, and returns
    /// `count` as the length of an array.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the remaining bytes are too few.
    pub fn promised(&self, count: u64, size: usize, what: &str) -> Result<usize, Flaw> {
        let needed = count as u128 * size as u128;
        let found = self.remaining();
        if needed > found as u128 {
            let what = broken_promise(count, size as u64, what, found as u64);
            return Err(self.fail(what, "the count is wrong or the file is truncated"));
        }
        Ok(count as usize)
    }

    /// Returns the number of bytes not yet read.
    pub fn remaining(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// Returns true if numbers are stored with the most significant byte first.
    pub(crate) fn is_big_endian(&self) -> bool {
        self.big_endian
    }

    /// Returns the current position.
    pub(crate) fn position(&self) -> Position {
        Position::byte(self.at)
    }

    /// Creates an error at the current position.
    pub fn fail(&self, what: impl Into<String>, remedy: &str) -> Flaw {
        Flaw::at(self.position(), what, remedy)
    }
}

/// Describes the flaw of a file that declares `count` records of `size` bytes but holds only
/// `found` bytes.
pub(crate) fn broken_promise(count: u64, size: u64, what: &str, found: u64) -> String {
    if size == 1 {
        return format!("{count} {what} declared, found {found}");
    }
    let needed = u128::from(count) * u128::from(size);
    let enough = found / size.max(1);
    format!(
        "{count} {what} of {size} bytes declared ({needed} bytes), found {found} bytes, enough for \
         {enough}"
    )
}

/// Checks that the coordinates of a vertex are finite, and returns them.
pub(crate) fn finite(vertex: usize, x: [f64; 3]) -> Result<[f64; 3], Flaw> {
    match x.iter().position(|v| !v.is_finite()) {
        None => Ok(x),
        Some(k) => Err(Flaw::at(
            Position::element(Element::Vertex, vertex),
            format!("coordinate {} is {}, expected a finite number", ["x", "y", "z"][k], x[k]),
            "remove or fix this vertex",
        )),
    }
}
