//! HistoPyramid: active cells of a grid, found by their number without a list.
//!
//! G. Ziegler, A. Tevs, C. Theobald, H.-P. Seidel, "GPU point list generation through histogram
//! pyramids", MPI-I-2006-4-002 (2006); numerics 7. The base has a bit for each cell, each level above
//! the sums of 2 x 2 or 2 x 2 x 2 cells (or of four along the row), up to one cell, whose sum is the
//! number of active cells. Entry k of the list is found by going down from there: into the child in
//! whose range of keys k is, with k less the sums of the children before it. So every active cell has
//! one number below the total, and neighbors in the list are neighbors in space.
//!
//! Sums are whole numbers of 32 bits, where the paper's floats are exact up to 2^24 only. A grid may
//! have any size. Section 6.4 of the paper, sums by bilinear texture reads, is left out: its authors
//! found that it loses entries.

mod bricks;
mod cells;
mod levels;
mod regions;
#[cfg(test)]
mod tests;
mod tree;

use super::bits::{LESS, check_axes};
use super::discriminator::Discriminator;
use super::memory::reserve;
use crate::error::{DeviceFault, Error, Result};
pub use cells::Cells;
pub use levels::Stored;
use levels::{Levels, Split};
pub use tree::{Leaf, Tree};

/// In which order keys name the active cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Block by block: cells are joined 2 x 2 in a picture and 2 x 2 x 2 in a volume (Z-order).
    #[default]
    Blocks,
    /// Line by line, x fastest, as the cells stand in memory: cells are joined by fours along x.
    Lines,
}

/// Number of active cells below every cell of every level, and the bits of the cells themselves.
///
/// ```
/// use zeroset_core::primitives::{Flags, HistoPyramid, Order, Stored};
///
/// // The paper's Figure 8: key 4 is the cell (2, 3).
/// let flags = [1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0];
/// let picture = Flags::new([4, 4, 1], &flags);
/// let pyramid = HistoPyramid::new(&picture, Order::Blocks, Stored::PartialSums)?;
/// assert_eq!(pyramid.len(), 8);
/// assert_eq!(pyramid.cell(4), Some([2, 1, 0]));
/// assert_eq!(pyramid.key([2, 1, 0]), Some(4));
/// assert_eq!(pyramid.cells(6..8).collect::<Vec<_>>(), [[0, 3, 0], [3, 2, 0]]);
/// assert_eq!(pyramid.count([1, 1, 0], [4, 4, 1]), 3);
/// # Ok::<(), zeroset_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct HistoPyramid {
    shape: [usize; 3],
    order: Order,
    /// Cells as the levels see them: for lines, all cells are one row.
    grid: [usize; 3],
    /// Bits of the cells, `[records][fan]`, the children of the lowest records.
    words: Vec<u64>,
    levels: Levels,
}

impl HistoPyramid {
    /// The pyramid over the cells that a discriminator finds active. Deciding and packing is one
    /// pass (the paper's merged builder, section 6.1) and no decision is made twice; a discriminator
    /// that costs much can be asked once for several pyramids by [`Bits`](super::Bits).
    ///
    /// # Errors
    /// [`Error::Device`] for 2^32 or more active cells, or cells along an axis, and if there is not enough memory.
    pub fn new(discriminator: &impl Discriminator, order: Order, stored: Stored) -> Result<Self> {
        let shape = discriminator.shape();
        check_axes(shape)?;
        let n_cells = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size));
        // A bit per cell and at most half a byte per 8 cells for sums, empty places included.
        let bytes = n_cells.unwrap_or(usize::MAX) / 4;
        reserve(&mut Vec::<u8>::new(), bytes, "bytes of a pyramid", LESS)?;
        let (grid, split, words) = match order {
            Order::Lines => {
                let row = [n_cells.unwrap_or(0), 1, 1];
                (row, Split::Lines, lines(discriminator, row[0]))
            }
            Order::Blocks => {
                let split = if shape[2] > 1 { Split::Cubes } else { Split::Squares };
                let grid = if shape.contains(&0) { [0; 3] } else { shape };
                (grid, split, bricks::bricks(discriminator, split))
            }
        };
        let active: u64 = {
            use rayon::prelude::*;
            words.par_iter().map(|word: &u64| u64::from(word.count_ones())).sum()
        };
        if active > u64::from(u32::MAX) {
            return Err(Error::device_fault(
                DeviceFault::Limit,
                format!("{active} active cells, keys have 32 bits"),
                LESS,
            ));
        }
        let brick = split.brick();
        let n_words: [usize; 3] = std::array::from_fn(|k| grid[k].div_ceil(brick[k]).max(1));
        let sums = words.iter().map(|word| word.count_ones()).collect();
        let sum = |_: usize, _: [usize; 3], record: &[u32]| record.iter().sum();
        let levels = Levels::new(split, stored, n_words, sums, &sum);
        Ok(HistoPyramid { shape, order, grid, words, levels })
    }

    /// Cells along x, y and z.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Number of active cells.
    pub fn len(&self) -> usize {
        self.levels.total() as usize
    }

    /// True without an active cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What records hold.
    pub fn stored(&self) -> Stored {
        self.levels.stored
    }

    /// In which order keys name the cells.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The active cell of a key, or `None` if the key is not below their number.
    pub fn cell(&self, key: usize) -> Option<[u32; 3]> {
        if key >= self.len() {
            return None;
        }
        let split = self.levels.split;
        let (mut cell, mut key) = ([0; 3], key as u32);
        for level in (0..self.levels.len()).rev() {
            let (c, left) = self.levels.choose(level, cell, key);
            (cell, key) = (split.child(cell, c), left);
        }
        let word = self.words[split.slot(self.levels.records(0), cell)];
        Some(self.named(cell, nth_bit(word, key)))
    }

    /// The cell of an entry, and which of its copies that is, where each active cell has `copies`
    /// entries in succession (the paper's section 6.2).
    ///
    /// # Panics
    /// If `copies` is 0.
    pub fn entry(&self, entry: usize, copies: usize) -> Option<([u32; 3], usize)> {
        Some((self.cell(entry / copies)?, entry % copies))
    }

    /// The cell of a bit of a word.
    fn named(&self, word: [usize; 3], bit: usize) -> [u32; 3] {
        let split = self.levels.split;
        let (brick, inner) = (split.brick(), split.cell_of_bit(bit));
        let cell: [usize; 3] = std::array::from_fn(|k| word[k] * brick[k] + inner[k]);
        match self.order {
            Order::Blocks => cell.map(|c| c as u32),
            Order::Lines => levels::unraster(self.shape, cell[0]).map(|c| c as u32),
        }
    }
}

/// The words of all cells in one row, with places for whole records.
fn lines(discriminator: &impl Discriminator, n: usize) -> Vec<u64> {
    use rayon::prelude::*;
    const TASK: usize = 1 << 10;
    let word = Split::Lines.brick()[0];
    let n_words = n.div_ceil(word).max(1);
    let mut words = vec![0; n_words.next_multiple_of(Split::Lines.fan())];
    words[..n_words].par_chunks_mut(TASK).enumerate().for_each(|(k, words)| {
        super::bits::mark_run(discriminator, k * TASK * word, words);
    });
    words
}

/// Place of the bit that has `n` set bits below it; there must be one.
fn nth_bit(word: u64, n: u32) -> usize {
    let (mut left, mut at, mut rest) = (word, 0, n);
    // Halves, as in the levels above.
    for width in [32, 16, 8, 4, 2, 1] {
        let low = (left & ((1 << width) - 1)).count_ones();
        if rest >= low {
            rest -= low;
            left >>= width;
            at += width;
        }
    }
    at
}
