//! A bit set with one bit per cell of a grid.

use super::discriminator::{Discriminator, WORD, place};
use super::memory::reserve;
use crate::error::{DeviceFault, Error, Result};
use crate::parallel::*;

/// The number of words per task.
const TASK: usize = 1 << 10;

/// The active cells of a grid, with one bit per cell and x fastest: cell k is bit `k % 64` of word
/// `k / 64`.
///
/// ```
/// use zeroset_core::primitives::{Bits, Grid, Threshold};
///
/// let picture = Grid::new([3, 2, 1], &[0u8, 9, 0, 7, 0, 8]);
/// let bits = Bits::new(&Threshold { values: picture, low: 7.0 })?;
/// assert_eq!(bits.list()?, [[1, 0, 0], [0, 1, 0], [2, 1, 0]]);
/// # Ok::<(), zeroset_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    shape: [usize; 3],
    words: Vec<u64>,
}

impl Bits {
    /// Evaluates a discriminator in parallel.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is not enough memory.
    pub fn new(discriminator: &impl Discriminator) -> Result<Self> {
        let shape = discriminator.shape();
        let mut words = Vec::new();
        let n_words = shape.iter().product::<usize>().div_ceil(WORD);
        reserve(&mut words, n_words, "words with one bit per cell", LESS)?;
        words.resize(n_words, 0);
        words.par_chunks_mut(TASK).enumerate().for_each(|(k, words)| {
            mark_run(discriminator, k * TASK * WORD, words);
        });
        Ok(Bits { shape, words })
    }

    /// Returns the words, one for each 64 cells. Cell k is bit `k % 64` of word `k / 64`.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the number of active cells.
    #[inline]
    pub fn count(&self) -> usize {
        self.words.par_iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Lists all active cells, x fastest, by direct compaction: the active cells of each piece are
    /// counted first, and all pieces are then written in parallel.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if an axis has 2^32 cells or more, or if there is not enough
    /// memory.
    pub fn list(&self) -> Result<Vec<[u32; 3]>> {
        check_axes(self.shape)?;
        let count = |words: &[u64]| words.iter().map(|word| word.count_ones() as usize).sum();
        let counts: Vec<usize> = self.words.par_chunks(TASK).map(count).collect();
        let mut list: Vec<[u32; 3]> = Vec::new();
        let all = counts.iter().sum();
        reserve(&mut list, all, "points in a list", LESS)?;
        list.resize(all, [0; 3]);
        let mut pieces = Vec::with_capacity(counts.len());
        let mut rest = list.as_mut_slice();
        for n in counts {
            let (piece, more) = rest.split_at_mut(n);
            pieces.push(piece);
            rest = more;
        }
        let given = pieces.into_par_iter().zip(self.words.par_chunks(TASK)).enumerate();
        given.for_each(|(k, (piece, words))| {
            let mut out = piece.iter_mut();
            let mut cursor = Cursor::new(self.shape, k * TASK * WORD);
            for &word in words {
                let mut left = word;
                while left != 0 {
                    if let Some(cell) = out.next() {
                        *cell = cursor.cell(left.trailing_zeros() as usize);
                    }
                    left &= left - 1;
                }
                cursor.advance(WORD);
            }
        });
        Ok(list)
    }
}

/// Checks that 32 bits suffice for the cell indices along each axis.
///
/// # Errors
/// Returns [`Error::Device`] if an axis has 2^32 cells or more.
pub(super) fn check_axes(shape: [usize; 3]) -> Result<()> {
    match shape.iter().find(|&&n| u32::try_from(n).is_err()) {
        None => Ok(()),
        Some(n) => Err(Error::device_fault(
            DeviceFault::Limit,
            format!("{n} cells along an axis, but at most 2^32 - 1 can be listed"),
            "split the grid along that axis, or reshape it",
        )),
    }
}

/// The remedy if there is not enough memory.
pub(super) const LESS: &str = "use a part of the grid, or a condition that fewer cells satisfy";

impl Discriminator for Bits {
    #[inline]
    fn shape(&self) -> [usize; 3] {
        self.shape
    }

    fn mark(&self, first: [usize; 3], n: usize, active: &mut [u64]) {
        let start = place(self.shape, first);
        for (k, word) in active.iter_mut().enumerate() {
            let at = start + k * WORD;
            let (w, shift) = (at / WORD, at % WORD);
            let low = self.words[w] >> shift;
            let next = self.words.get(w + 1).copied().unwrap_or(0);
            *word = low | if shift == 0 { 0 } else { next << (WORD - shift) };
            let here = n - k * WORD;
            if here < WORD {
                *word &= (1 << here) - 1;
            }
        }
    }
}

/// Marks which of the cells starting at index `first` are active, with one bit per cell in `words`,
/// which must be zero before the call. The cells may span several rows.
pub(super) fn mark_run(discriminator: &impl Discriminator, first: usize, words: &mut [u64]) {
    let [nx, ny, nz] = discriminator.shape();
    let end = (first + words.len() * WORD).min(nx * ny * nz);
    let mut row = vec![0; nx.min(words.len() * WORD).div_ceil(WORD)];
    let mut at = first;
    while at < end {
        let (x, y, z) = (at % nx, at / nx % ny, at / nx / ny);
        let n = (nx - x).min(end - at);
        let marked = &mut row[..n.div_ceil(WORD)];
        discriminator.mark([x, y, z], n, marked);
        let (start, shift) = ((at - first) / WORD, (at - first) % WORD);
        for (k, &bits) in marked.iter().enumerate() {
            words[start + k] |= bits << shift;
            let spilled = if shift == 0 { 0 } else { bits >> (WORD - shift) };
            if spilled != 0 {
                words[start + k + 1] |= spilled;
            }
        }
        at += n;
    }
}

/// The position of a cell, which advances in the order of the indices.
struct Cursor {
    shape: [usize; 3],
    at: [usize; 3],
}

impl Cursor {
    #[inline]
    fn new(shape: [usize; 3], first: usize) -> Self {
        let [nx, ny, _] = shape;
        Cursor { shape, at: [first % nx, first / nx % ny, first / nx / ny] }
    }

    /// Returns the cell `step` indices after the current one.
    #[inline]
    fn cell(&self, step: usize) -> [u32; 3] {
        let [x, y, z] = self.after(step);
        [x as u32, y as u32, z as u32]
    }

    #[inline]
    fn advance(&mut self, step: usize) {
        self.at = self.after(step);
    }

    fn after(&self, step: usize) -> [usize; 3] {
        let [nx, ny, _] = self.shape;
        let [mut x, mut y, mut z] = self.at;
        x += step;
        if x >= nx {
            // If rows are shorter than a word, several of them end within one word.
            y += x / nx;
            x %= nx;
            if y >= ny {
                z += y / ny;
                y %= ny;
            }
        }
        [x, y, z]
    }
}
