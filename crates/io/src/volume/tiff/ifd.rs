//! Directories of a TIFF or BigTIFF file, with the tags of each page.
//!
//! The crate `tiff` decodes pages. It rejects unusual pages before it gives access to their tags,
//! so that a message could not name what is unusual. This module therefore reads the tags itself.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::CUT;
use zeroset_core::error::{Flaw, Result};

/// The numbers of the tags.
pub(super) mod tags {
    pub const SUBFILE: u16 = 254;
    pub const WIDTH: u16 = 256;
    pub const HEIGHT: u16 = 257;
    pub const BITS: u16 = 258;
    pub const COMPRESSION: u16 = 259;
    pub const PHOTOMETRIC: u16 = 262;
    pub const FILL_ORDER: u16 = 266;
    pub const DESCRIPTION: u16 = 270;
    pub const STRIP_OFFSETS: u16 = 273;
    pub const SAMPLES: u16 = 277;
    pub const ROWS_PER_STRIP: u16 = 278;
    pub const STRIP_SIZES: u16 = 279;
    pub const X_RESOLUTION: u16 = 282;
    pub const Y_RESOLUTION: u16 = 283;
    pub const PLANAR: u16 = 284;
    pub const RESOLUTION_UNIT: u16 = 296;
    pub const PREDICTOR: u16 = 317;
    pub const TILE_WIDTH: u16 = 322;
    pub const TILE_HEIGHT: u16 = 323;
    pub const TILE_OFFSETS: u16 = 324;
    pub const TILE_SIZES: u16 = 325;
    pub const SAMPLE_FORMAT: u16 = 339;
}

/// The type, the number of values, and the position of the values in the file.
#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: u16,
    count: u64,
    at: u64,
}

/// The tags of one page.
#[derive(Clone, Debug)]
pub(super) struct Directory<'a> {
    bytes: &'a [u8],
    big_endian: bool,
    entries: BTreeMap<u16, Entry>,
}

/// Returns the number of bytes of a value, or `None` for an unknown type.
fn size(kind: u16) -> Option<u64> {
    match kind {
        1 | 2 | 6 | 7 => Some(1),
        3 | 8 => Some(2),
        4 | 9 | 11 | 13 => Some(4),
        5 | 10 | 12 | 16..=18 => Some(8),
        _ => None,
    }
}

/// Reads an unsigned integer of `width` bytes at a position in the file.
fn whole(bytes: &[u8], big_endian: bool, at: u64, width: usize) -> Option<u64> {
    let at = usize::try_from(at).ok()?;
    let raw = bytes.get(at..at.checked_add(width)?)?;
    let join = |n: u64, b: &u8| n << 8 | u64::from(*b);
    Some(match big_endian {
        true => raw.iter().fold(0, join),
        false => raw.iter().rev().fold(0, join),
    })
}

/// Returns the byte order, and whether the file is a BigTIFF, or `None` for any other file.
fn kind(bytes: &[u8]) -> Option<(bool, bool)> {
    let big_endian = match bytes.get(..2)? {
        b"II" => false,
        b"MM" => true,
        _ => return None,
    };
    match whole(bytes, big_endian, 2, 2)? {
        42 => Some((big_endian, false)),
        43 if whole(bytes, big_endian, 4, 4)? == if big_endian { 8 << 16 } else { 8 } => {
            Some((big_endian, true))
        }
        _ => None,
    }
}

/// Reads the directories of all pages.
///
/// # Errors
/// Returns a [`Flaw`] if the chain of directories leaves the file, repeats, or overlaps itself.
pub(super) fn directories(bytes: &[u8]) -> Result<Vec<Directory<'_>>, Flaw> {
    let damaged = |what: String| Flaw::at("header", format!("TIFF: {what}"), CUT);
    let (big_endian, big) =
        kind(bytes).ok_or_else(|| damaged("the header is not valid".to_string()))?;
    let (word, head, entry_size) = if big { (8, 8, 20) } else { (4, 2, 12) };
    let number = |at: u64, width: usize| whole(bytes, big_endian, at, width);
    let mut next = number(if big { 8 } else { 4 }, word).unwrap_or(0);
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut taken = 0_u64;
    while next != 0 {
        let page = found.len() + 1;
        let cut = || damaged(format!("the directory of page {page} is beyond the end of the file"));
        if !seen.insert(next) {
            return Err(damaged(format!("the directory of page {page} repeats an earlier one")));
        }
        let count = number(next, head).ok_or_else(cut)?;
        // Directories do not overlap, so together they are not larger than the file.
        let length = count.checked_mul(entry_size).ok_or_else(cut)?;
        taken = taken.saturating_add(length).saturating_add((head + word) as u64);
        if taken > bytes.len() as u64 {
            return Err(cut());
        }
        let mut entries = BTreeMap::new();
        for k in 0..count {
            let at = next + head as u64 + k * entry_size;
            let tag = number(at, 2).ok_or_else(cut)? as u16;
            let kind = number(at + 2, 2).ok_or_else(cut)? as u16;
            let count = number(at + 4, word).ok_or_else(cut)?;
            let value = at + 4 + word as u64;
            let size = size(kind).and_then(|size| size.checked_mul(count));
            let at = match size {
                Some(size) if size <= word as u64 => value,
                Some(_) => number(value, word).ok_or_else(cut)?,
                None => continue,
            };
            entries.insert(tag, Entry { kind, count, at });
        }
        next = number(next + head as u64 + length, word).ok_or_else(cut)?;
        found.push(Directory { bytes, big_endian, entries });
    }
    match found.is_empty() {
        true => Err(damaged("there is no page".to_string())),
        false => Ok(found),
    }
}

impl Directory<'_> {
    /// Returns true if the file is big endian.
    pub fn is_big_endian(&self) -> bool {
        self.big_endian
    }

    /// Returns the number of values of a tag, or `None` if the page does not have it.
    pub fn count(&self, tag: u16) -> Option<u64> {
        self.entries.get(&tag).map(|entry| entry.count)
    }

    /// Returns the bytes of a tag, or `None` if it is missing or extends beyond the end of the
    /// file.
    fn raw(&self, tag: u16) -> Option<(u16, &[u8])> {
        let entry = self.entries.get(&tag)?;
        let at = usize::try_from(entry.at).ok()?;
        let length = usize::try_from(size(entry.kind)?.checked_mul(entry.count)?).ok()?;
        Some((entry.kind, self.bytes.get(at..at.checked_add(length)?)?))
    }

    /// Returns the unsigned integers of a tag, or `None` if it is missing or holds other values.
    pub fn wholes(&self, tag: u16) -> Option<Vec<u64>> {
        let (kind, raw) = self.raw(tag)?;
        let width = match kind {
            1 | 3 | 4 | 13 | 16 | 18 => size(kind)? as usize,
            _ => return None,
        };
        raw.chunks_exact(width).map(|one| whole(one, self.big_endian, 0, width)).collect()
    }

    /// Returns the first unsigned integer of a tag.
    pub fn whole(&self, tag: u16) -> Option<u64> {
        self.wholes(tag)?.first().copied()
    }

    /// Returns the first value of a tag as a positive number, which may be a quotient.
    pub fn positive(&self, tag: u16) -> Option<f64> {
        let (kind, raw) = self.raw(tag)?;
        let whole = |at: usize, width: usize| whole(raw.get(at..)?, self.big_endian, 0, width);
        let value = match kind {
            5 => whole(0, 4)? as f64 / whole(4, 4)? as f64,
            11 => f64::from(f32::from_bits(whole(0, 4)? as u32)),
            12 => f64::from_bits(whole(0, 8)?),
            _ => self.whole(tag)? as f64,
        };
        (value.is_finite() && value > 0.0).then_some(value)
    }

    /// Returns the text of a tag up to its first zero byte. Text that is not UTF-8 is interpreted
    /// as Latin-1.
    pub fn text(&self, tag: u16) -> Option<Cow<'_, str>> {
        let (kind, raw) = self.raw(tag)?;
        if !matches!(kind, 1 | 2 | 7) {
            return None;
        }
        let end = raw.iter().position(|&b| b == 0).unwrap_or(raw.len());
        Some(match std::str::from_utf8(&raw[..end]) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(raw[..end].iter().map(|&b| char::from(b)).collect()),
        })
    }
}
