//! Parallel decoding of points in binary records.

use super::gather::Gather;
use super::stream::Stream;
use crate::scalar::Scalar;
use zeroset_core::error::{Flaw, Result};
use zeroset_core::parallel::*;

/// The number of records per task.
const TASK: usize = 1 << 14;
/// The number of tasks per piece of the file.
const TASKS: usize = 32;

/// The location of a number within the records: record `i` stores it at byte `at + i * step`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) step: usize,
    pub(super) scalar: Scalar,
}

/// The location of the colors within the records.
#[derive(Clone, Copy, Debug)]
pub(super) enum Paint {
    /// One number each for red, green and blue.
    Three([Place; 3]),
    /// One 32-bit number. Its lowest eight bits are blue, the next eight are green, and the next
    /// eight are red.
    Packed(Place),
}

/// The location of an attribute within the records. Its value is the stored number, or some bits of
/// that number, times `scale` plus `offset`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) place: Place,
    /// The lowest bit and the number of bits, if only some bits of an integer are used.
    pub(super) bits: Option<(u32, u32)>,
    pub(super) scale: f64,
    pub(super) offset: f64,
}

impl Column {
    /// Creates the location of a number that is stored as it is.
    pub(super) fn whole(place: Place) -> Self {
        Column { place, bits: None, scale: 1.0, offset: 0.0 }
    }

    fn number(&self, stored: f64) -> f64 {
        match self.bits {
            Some((low, n)) => f64::from((stored as u32 >> low) & ((1 << n) - 1)),
            None if self.scale == 1.0 && self.offset == 0.0 => stored,
            None => stored * self.scale + self.offset,
        }
    }
}

/// The layout of the records.
#[derive(Clone, Debug)]
pub(super) struct Records {
    pub(super) big_endian: bool,
    /// The number of bytes from one record to the next, if records are stored consecutively.
    pub(super) stride: usize,
    pub(super) position: [Place; 3],
    /// The factor of each axis. A coordinate is the stored number times `scale` plus `offset`, in
    /// f64.
    pub(super) scale: [f64; 3],
    pub(super) offset: [f64; 3],
    pub(super) normal: Option<[Place; 3]>,
    pub(super) color: Option<Paint>,
    /// The attributes that are read.
    pub(super) attributes: Vec<Column>,
    /// The classification of the points, if records have one.
    pub(super) class: Option<Class>,
}

/// The location of the class of a point, and of the flag that marks a point that must not be used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    /// The byte of the class within a record.
    pub(super) at: usize,
    /// The bits of that byte that hold the class.
    pub(super) bits: u8,
    /// The byte of the flags within a record.
    pub(super) flags: usize,
    /// The bit of that byte that marks a withheld point.
    pub(super) withheld: u8,
}

impl Records {
    /// Decodes the `n` records in `bytes`, which must contain all of them, and adds their points to
    /// `into`.
    pub(super) fn decode(&self, bytes: &[u8], n: usize, into: &mut Gather) {
        let value = |place: Place, i: usize| {
            let begin = place.at + i * place.step;
            place.scalar.one(&bytes[begin..begin + place.scalar.size()], self.big_endian)
        };
        let (scale, offset) = (self.scale, self.offset);
        let task = |task: usize| {
            let range = task * TASK..((task + 1) * TASK).min(n);
            let mut piece = into.alike(range.len());
            for i in range {
                if let Some(class) = self.class {
                    let record = &bytes[i * self.stride..];
                    let is_withheld = record[class.flags] & class.withheld != 0;
                    if !piece.classify(record[class.at] & class.bits, is_withheld) {
                        continue;
                    }
                }
                let point = [0, 1, 2].map(|k| value(self.position[k], i) * scale[k] + offset[k]);
                let normal = || self.normal.map_or([0.0; 3], |places| places.map(|p| value(p, i)));
                let color = || match self.color {
                    None => [0.0; 3],
                    Some(Paint::Three(places)) => places.map(|p| value(p, i)),
                    Some(Paint::Packed(place)) => {
                        let begin = place.at + i * place.step;
                        let Some(&[b, g, r, _]) = bytes[begin..].first_chunk() else {
                            return [0.0; 3];
                        };
                        [r, g, b].map(f64::from)
                    }
                };
                let attribute = |k: usize| {
                    let column = &self.attributes[k];
                    column.number(value(column.place, i))
                };
                piece.push(point, normal, color, attribute);
            }
            piece
        };
        let pieces: Vec<Gather> = (0..n.div_ceil(TASK)).into_par_iter().map(task).collect();
        pieces.into_iter().for_each(|piece| into.append(piece));
    }

    /// Reads `n` consecutive records and adds their points to `into`.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if the file ends early.
    pub(super) fn read(&self, stream: &mut Stream, n: u64, into: &mut Gather) -> Result<(), Flaw> {
        let mut left = n;
        while left > 0 {
            let wanted = left.min((TASKS * TASK) as u64) as usize;
            let found = stream.fill(wanted * self.stride)?;
            let whole = (found.len() / self.stride).min(wanted);
            if whole == 0 {
                let found = n - left;
                let what = format!("{n} points declared, but the file ends after {found}");
                return Err(stream.fail(what, "the count is wrong or the file is truncated"));
            }
            self.decode(found, whole, into);
            stream.take(whole * self.stride);
            left -= whole as u64;
        }
        Ok(())
    }
}
