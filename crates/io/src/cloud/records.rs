//! Points in binary records, decoded in parallel.

use rayon::prelude::*;

use super::gather::Gather;
use super::stream::Stream;
use crate::scalar::Scalar;
use zeroset_core::error::{Flaw, Result};

/// Records of a task.
const TASK: usize = 1 << 14;
/// Tasks of a piece of the file.
const TASKS: usize = 32;

/// Where a number of each record is: record `i` has it from byte `at + i * step` on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) step: usize,
    pub(super) scalar: Scalar,
}

/// Where the colors are.
#[derive(Clone, Copy, Debug)]
pub(super) enum Paint {
    /// A number each for red, green and blue.
    Three([Place; 3]),
    /// One of 32 bits: blue in the lowest eight, then green, then red.
    Packed(Place),
}

/// What the records hold.
#[derive(Clone, Debug)]
pub(super) struct Records {
    pub(super) big_endian: bool,
    /// Bytes from one record to the next, where they stand one behind the other.
    pub(super) stride: usize,
    pub(super) position: [Place; 3],
    /// A coordinate is its number times this plus the offset, in f64.
    pub(super) scale: [f64; 3],
    pub(super) offset: [f64; 3],
    pub(super) normal: Option<[Place; 3]>,
    pub(super) color: Option<Paint>,
}

impl Records {
    /// The `n` records of `bytes`, which hold all of them.
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
                piece.push(point, normal, color);
            }
            piece
        };
        let pieces: Vec<Gather> = (0..n.div_ceil(TASK)).into_par_iter().map(task).collect();
        pieces.into_iter().for_each(|piece| into.append(piece));
    }

    /// Reads `n` records one behind the other.
    ///
    /// # Errors
    /// A [`Flaw`] if the file ends before.
    pub(super) fn read(&self, stream: &mut Stream, n: u64, into: &mut Gather) -> Result<(), Flaw> {
        let mut left = n;
        while left > 0 {
            let wanted = left.min((TASKS * TASK) as u64) as usize;
            let found = stream.fill(wanted * self.stride)?;
            let whole = (found.len() / self.stride).min(wanted);
            if whole == 0 {
                let found = n - left;
                let what = format!("{n} points promised, the file ends after {found}");
                return Err(stream.fail(what, "the count is wrong or the file is cut short"));
            }
            self.decode(found, whole, into);
            stream.take(whole * self.stride);
            left -= whole as u64;
        }
        Ok(())
    }
}
