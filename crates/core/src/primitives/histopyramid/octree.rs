//! Quadtrees and octrees from a pyramid (Ziegler et al. 2006, section 7.4).
//!
//! The levels count the largest blocks of equal values instead of active cells. The count of a
//! block is 1 if all of its cells have the same value. Otherwise, it is the sum of the counts of
//! its children. The descent for leaf k ends where the count is 1.

use super::super::bits::LESS;
use super::super::memory::reserve;
use super::levels::{Levels, Split, Stored, unraster};
use crate::error::{DeviceFault, Error, Result};
use crate::parallel::*;

/// A block of cells with equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The lowest cell index of the block along each axis.
    pub cell: [u32; 3],
    /// The level. The block has `2^level` cells along each axis, or fewer at the end of the grid.
    pub level: u32,
}

impl Leaf {
    /// Returns the end of the block along each axis in a grid of `shape`: one past its last cell.
    #[inline]
    pub fn end(&self, shape: [usize; 3]) -> [u32; 3] {
        let end = |k: usize| (shape[k] as u64).min(u64::from(self.cell[k]) + (1 << self.level));
        std::array::from_fn(|k| end(k) as u32)
    }
}

/// The leaves of a quadtree (for pictures) or an octree (for volumes), in Z-order. Each leaf covers
/// cells with equal values.
///
/// ```
/// use zeroset_core::primitives::{Leaf, Tree};
///
/// let tree = Tree::new([4, 4, 1], &[5, 5, 1, 2, 5, 5, 3, 4, 7, 7, 8, 8, 7, 7, 8, 8])?;
/// assert_eq!(tree.len(), 7);
/// assert_eq!(tree.leaf(0), Some(Leaf { cell: [0, 0, 0], level: 1 }));
/// assert_eq!(tree.leaf(2), Some(Leaf { cell: [3, 0, 0], level: 0 }));
/// # Ok::<(), zeroset_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tree {
    levels: Levels,
    /// Whether all cells have the same value.
    whole: bool,
}

impl Tree {
    /// Builds the tree of the values of a grid of `shape`, x fastest. The tree takes about 5 bytes
    /// per cell.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there is not exactly one value per cell, or if there are no
    /// cells. Returns [`Error::Device`] if there are 2^32 or more cells, or if there is not enough
    /// memory.
    pub fn new<T: PartialEq + Sync>(shape: [usize; 3], values: &[T]) -> Result<Self> {
        let n = shape.iter().try_fold(1_usize, |n, &size| n.checked_mul(size));
        if n != Some(values.len()) || values.is_empty() {
            let what =
                format!("a tree over {shape:?} cells cannot be built from {} values", values.len());
            return Err(Error::usage(what, "give one value per cell, and at least one cell"));
        }
        if u32::try_from(values.len()).is_err() {
            let what = format!("a tree over {} cells, but the limit is 2^32 - 1", values.len());
            return Err(Error::device_fault(DeviceFault::Limit, what, LESS));
        }
        let split = if shape[2] > 1 { Split::Cubes } else { Split::Squares };
        let (fan, records) = (split.fan(), split.above(shape));
        let mut counts = Vec::new();
        reserve(&mut counts, records.iter().product::<usize>() * fan, "counts of cells", LESS)?;
        counts.resize(records.iter().product::<usize>() * fan, 0);
        let inside = |cell: [usize; 3]| (0..3).all(|k| cell[k] < shape[k]);
        counts.par_chunks_mut(fan).enumerate().for_each(|(k, record)| {
            let parent = unraster(records, k);
            for (c, count) in record.iter_mut().enumerate() {
                *count = u32::from(inside(split.child(parent, c)));
            }
        });
        let value = |cell: [usize; 3]| &values[super::levels::raster(shape, cell)];
        let reduce = |level: usize, cell: [usize; 3], record: &[u32]| {
            let sum = record.iter().sum();
            // If a child has a single value, its first cell has that value.
            let first = |c: usize| split.first_cell(split.child(cell, c), level as u32 - 1);
            let one = (0..fan)
                .filter(|&c| record[c] > 0)
                .all(|c| record[c] == 1 && value(first(c)) == value(first(0)));
            if one { 1 } else { sum }
        };
        let levels = Levels::new(split, Stored::Sums, shape, counts, &reduce);
        let whole = reduce(levels.len(), [0; 3], levels.top()) == 1;
        Ok(Tree { levels, whole })
    }

    /// Returns the number of leaves.
    #[inline]
    pub fn len(&self) -> usize {
        if self.whole { 1 } else { self.levels.total() as usize }
    }

    /// Always returns false: there is at least one cell and therefore one leaf.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the leaf with the index `number`, counted from 0, or `None` if there is no such
    /// leaf.
    pub fn leaf(&self, number: usize) -> Option<Leaf> {
        if number >= self.len() {
            return None;
        }
        let split = self.levels.split;
        let (mut cell, mut key) = ([0; 3], number as u32);
        let mut level = self.levels.len();
        let mut sum = self.len() as u32;
        while level > 0 && sum > 1 {
            level -= 1;
            let (c, left) = self.levels.choose(level, cell, key);
            sum = self.levels.sum(level, cell, c);
            (cell, key) = (split.child(cell, c), left);
        }
        let cell = split.first_cell(cell, level as u32).map(|c| c as u32);
        Some(Leaf { cell, level: level as u32 })
    }

    /// Lists all leaves, in parallel.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is not enough memory.
    #[inline]
    pub fn leaves(&self) -> Result<Vec<Leaf>> {
        let mut leaves = Vec::new();
        reserve(&mut leaves, self.len(), "leaves of a tree", LESS)?;
        leaves.par_extend((0..self.len()).into_par_iter().filter_map(|k| self.leaf(k)));
        Ok(leaves)
    }
}

impl Split {
    /// Returns the first cell of the base below a cell of `level`.
    #[inline]
    fn first_cell(self, cell: [usize; 3], level: u32) -> [usize; 3] {
        let ratio = self.ratio();
        std::array::from_fn(|k| cell[k] * ratio[k].pow(level))
    }
}
