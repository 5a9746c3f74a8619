//! Reading of the records of a PLY file, text or binary.

use std::ops::Range;

use super::header::{Element, Encoding, Header};
use crate::bytes::Cursor;
use crate::text::{Lines, Piece, show};
use zeroset_core::error::{Element as Stored, Flaw, Position, Result};
use zeroset_core::parallel::*;

/// The source of the records.
pub(super) enum Body<'a> {
    Ascii(Lines<'a>),
    Binary(Cursor<'a>),
}

/// A record. Its memory is reused for the next one.
#[derive(Default)]
pub(super) struct Record {
    /// One number per property; 0 for lists.
    pub(super) values: Vec<f64>,
    /// One list per property; empty for single values.
    pub(super) lists: Vec<Vec<f64>>,
}

impl<'a> Body<'a> {
    /// Creates the body after the header that `lines` has read.
    pub(super) fn new(bytes: &'a [u8], lines: Lines<'a>, header: &Header) -> Self {
        match header.encoding {
            Encoding::Ascii => Body::Ascii(lines),
            encoding => {
                let big_endian = encoding == Encoding::BigEndian;
                Body::Binary(Cursor::new(bytes, lines.consumed(), big_endian))
            }
        }
    }

    /// Returns the number of records of `element` to read: 0 if it has no properties.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the remaining bytes cannot hold them.
    pub(super) fn promised(&self, element: &Element) -> Result<usize, Flaw> {
        let what = match element.name.as_str() {
            "vertex" => "vertices",
            "face" => "faces",
            other => other,
        };
        match self {
            // A record without properties takes no bytes, so the number of such records cannot be
            // checked.
            _ if element.properties.is_empty() => Ok(0),
            Body::Ascii(lines) => lines.promised(element.count, element.properties.len(), what),
            Body::Binary(cursor) => cursor.promised(element.count, element.least_size(), what),
        }
    }

    /// Reads the next record of `element`.
    pub(super) fn next(
        &mut self,
        element: &Element,
        i: usize,
        record: &mut Record,
    ) -> Result<(), Flaw> {
        let Record { values, lists } = record;
        values.clear();
        lists.resize_with(element.properties.len(), Vec::new);
        lists.iter_mut().for_each(Vec::clear);
        let columns = element.properties.iter().zip(lists);
        match self {
            Body::Ascii(lines) => {
                let mut row =
                    lines.row(format_args!("{} {i} of {}", element.name, element.count))?;
                for (property, list) in columns {
                    let value: f64 = row.number(&property.name)?;
                    values.push(if property.length.is_none() { value } else { 0.0 });
                    if property.length.is_some() {
                        // The loop fails when the line has no more words, so that a huge declared
                        // length cannot exhaust memory.
                        for _ in 0..as_length(value)
                            .ok_or_else(|| bad_length(value, |w, r| row.fail(w, r)))?
                        {
                            list.push(row.number(&property.name)?);
                        }
                    }
                }
                if let Some(word) = row.next_word() {
                    return Err(row.expected(
                        format_args!("end of {} {i}", element.name),
                        show(word),
                        "the header does not match the records: export the file again",
                    ));
                }
            }
            Body::Binary(cursor) => {
                for (property, list) in columns {
                    let Some(length) = property.length else {
                        let raw = cursor.take(property.item.size(), &property.name)?;
                        values.push(property.item.one(raw, cursor.is_big_endian()));
                        continue;
                    };
                    values.push(0.0);
                    let raw = cursor.take(length.size(), &property.name)?;
                    let length = length.one(raw, cursor.is_big_endian());
                    let Some(length) = as_length(length) else {
                        return Err(bad_length(length, |w, r| cursor.fail(w, r)));
                    };
                    let size = property.item.size();
                    let raw = cursor.take(length.saturating_mul(size), &property.name)?;
                    let items = raw.chunks_exact(size);
                    list.extend(items.map(|b| property.item.one(b, cursor.is_big_endian())));
                }
            }
        }
        Ok(())
    }

    /// Applies `read` to the next `n` records in parts, and returns the results. `read` gets the
    /// range of record indices of each part. Parts of a long text file are read in parallel.
    ///
    /// # Errors
    /// Returns the first error in the order of the records.
    pub(super) fn in_parts<T: Send>(
        &mut self,
        n: usize,
        read: impl Fn(Range<usize>, &mut Body) -> Result<T, Flaw> + Sync,
    ) -> Result<Vec<T>, Flaw> {
        let split = match self {
            // Splitting requires counting lines first, which a single thread does not need.
            Body::Ascii(lines) if rayon::current_num_threads() > 1 => lines.pieces(n),
            _ => None,
        };
        // Without pieces, the records are read serially, which also reports missing records.
        let Some((pieces, rest)) = split else { return Ok(vec![read(0..n, self)?]) };
        *self = Body::Ascii(rest);
        let part = |piece: Piece| {
            read(piece.first..piece.first + piece.rows, &mut Body::Ascii(piece.lines))
        };
        let parts: Vec<Result<T, Flaw>> = pieces.into_par_iter().map(part).collect();
        parts.into_iter().collect()
    }

    /// Returns the position, for a message, of the record with the index `number`, which has just
    /// been read.
    pub(super) fn element(&self, kind: Stored, number: usize) -> Position {
        let at = match self {
            Body::Ascii(lines) => lines.position(),
            Body::Binary(cursor) => cursor.position(),
        };
        Position::ElementAt(kind, number as u64, Box::new(at))
    }

    /// Describes the text or bytes after the last record, or returns `None` if there are none.
    pub(super) fn left_over(&mut self) -> Option<String> {
        match self {
            Body::Ascii(lines) => {
                lines.next_row()?;
                Some(format!("text after the last element, from {} on", lines.position()))
            }
            Body::Binary(cursor) if cursor.remaining() > 0 => {
                Some(format!("{} bytes after the last element", cursor.remaining()))
            }
            Body::Binary(_) => None,
        }
    }
}

fn as_length(value: f64) -> Option<usize> {
    let whole = value as u32;
    (f64::from(whole) == value).then_some(whole as usize)
}

fn bad_length(value: f64, fail: impl Fn(String, &str) -> Flaw) -> Flaw {
    fail(format!("the length of a list is {value}"), "the file is damaged: export it again")
}
