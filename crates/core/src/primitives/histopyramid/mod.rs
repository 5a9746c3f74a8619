//! HistoPyramid: finds the k-th active cell of a grid without a list.
//!
//! G. Ziegler, A. Tevs, C. Theobald, H.-P. Seidel, "GPU point list generation through histogram
//! pyramids", MPI-I-2006-4-002 (2006). See also docs/points.md. The base has one bit per cell. Each
//! level above holds the sums of 2 x 2 or 2 x 2 x 2 cells (or of four cells along the row), up to a
//! single cell whose sum is the number of active cells. Entry k of the list is found by a descent
//! from there: at each cell it goes to the child whose range of keys contains k, and k decreases by
//! the sums of the children before that child. Every active cell has exactly one key below the
//! total, and most neighbors in the list are close to each other in space.
//!
//! Sums are 32-bit integers, while the paper's floats are exact only up to 2^24. The sizes of a
//! grid need not be powers of two. Section 6.4 of the paper, sums by bilinear texture reads, is not
//! implemented, because its authors found that it loses entries.

mod active_cells;
mod base_words;
mod levels;
mod octree;
mod queries;
#[cfg(test)]
mod tests;

use super::bits::{LESS, check_axes};
use super::discriminator::Discriminator;
use super::memory::reserve;
use crate::error::{DeviceFault, Error, Result};
pub use active_cells::Cells;
pub use levels::Stored;
use levels::{Levels, Split};
pub use octree::{Leaf, Tree};

/// The order of the keys of the active cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Block by block (Z-order): 2 x 2 cells are combined in a picture and 2 x 2 x 2 in a volume.
    #[default]
    Blocks,
    /// Line by line, x fastest, as the cells are stored in memory: four cells along x are combined.
    Lines,
}

/// A pyramid over the active cells of a grid: the number of active cells below every cell of every
/// level, and one bit for each cell of the grid.
///
/// ```
/// use zeroset_core::primitives::{Flags, HistoPyramid, Order, Stored};
///
/// // The paper's Figure 8: key 4 is the cell in row 2 and column 3, counted from 1.
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
    /// The shape of the base. With keys by lines, all cells form one row.
    grid: [usize; 3],
    /// The bits of the cells, `[records][fan]`, as children of the lowest records.
    words: Vec<u64>,
    levels: Levels,
}

impl HistoPyramid {
    /// Builds the pyramid over the active cells of a discriminator.
    ///
    /// One pass evaluates the discriminator once per cell and packs the bits (the paper's merged
    /// builder, section 6.1). If several pyramids use an expensive discriminator,
    /// [`Bits`](super::Bits) can store its decisions.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there are 2^32 or more active cells, if an axis has 2^32 or
    /// more cells, or if there is not enough memory.
    pub fn new(discriminator: &impl Discriminator, order: Order, stored: Stored) -> Result<Self> {
        let shape = discriminator.shape();
        check_axes(shape)?;
        let n_cells = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size));
        // One bit per cell, and up to about one byte per 8 cells for sums, including empty slots.
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
                (grid, split, base_words::bricks(discriminator, split))
            }
        };
        let active: u64 = {
            use crate::parallel::*;
            words.par_iter().map(|word: &u64| u64::from(word.count_ones())).sum()
        };
        if active > u64::from(u32::MAX) {
            return Err(Error::device_fault(
                DeviceFault::Limit,
                format!("{active} active cells, but at most 2^32 - 1 can be numbered"),
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

    /// Returns the numbers of cells along x, y and z.
    pub fn shape(&self) -> [usize; 3] {
        self.shape
    }

    /// Returns the number of active cells.
    pub fn len(&self) -> usize {
        self.levels.total() as usize
    }

    /// Returns true if there is no active cell.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the kind of sums that the records contain.
    pub fn stored(&self) -> Stored {
        self.levels.stored
    }

    /// Returns the order of the keys.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Returns the active cell of a key, or `None` if the key is not below the number of active
    /// cells.
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

    /// Returns the cell of an entry and the index of its copy, in a list where each active cell has
    /// `copies` consecutive entries (the paper's section 6.2). Returns `None` beyond the end of the
    /// list.
    ///
    /// # Panics
    /// Panics if `copies` is 0.
    pub fn entry(&self, entry: usize, copies: usize) -> Option<([u32; 3], usize)> {
        Some((self.cell(entry / copies)?, entry % copies))
    }

    /// Returns the cell that a bit of a word represents.
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

/// Returns the words of all cells in one row, padded to whole records.
fn lines(discriminator: &impl Discriminator, n: usize) -> Vec<u64> {
    use crate::parallel::*;
    const TASK: usize = 1 << 10;
    let word = Split::Lines.brick()[0];
    let n_words = n.div_ceil(word).max(1);
    let mut words = vec![0; n_words.next_multiple_of(Split::Lines.fan())];
    words[..n_words].par_chunks_mut(TASK).enumerate().for_each(|(k, words)| {
        super::bits::mark_run(discriminator, k * TASK * word, words);
    });
    words
}

/// Returns the position of the set bit that has `n` set bits below it. This bit must exist.
fn nth_bit(word: u64, n: u32) -> usize {
    let (mut left, mut at, mut rest) = (word, 0, n);
    // Each step halves the range of bits, like a level of the pyramid.
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
