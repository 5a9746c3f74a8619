//! Iteration over active cells in the order of their keys, and the list of all active cells.

use std::ops::Range;

use super::super::bits::LESS;
use super::super::memory::reserve;
use super::{HistoPyramid, nth_bit};
use crate::error::Result;
use crate::parallel::*;

/// The number of keys per task.
const TASK: usize = 1 << 14;

/// An iterator over the active cells of a range of keys, without a list.
pub struct Cells<'a> {
    pyramid: &'a HistoPyramid,
    /// The number of keys not yet returned.
    left: usize,
    /// The path to the word: the cell of each level and the index of its next child.
    path: Vec<([usize; 3], usize)>,
    /// The current word and its bits not yet returned.
    word: [usize; 3],
    bits: u64,
}

impl HistoPyramid {
    /// Returns the active cells of a range of keys. The range may reach beyond the last key. One
    /// descent finds the first cell, and the iteration continues from there.
    pub fn cells(&self, keys: Range<usize>) -> Cells<'_> {
        let (first, end) = (keys.start, keys.end.min(self.len()));
        let mut path = vec![([0; 3], 0); self.levels.len()];
        let left = end.saturating_sub(first);
        let mut cells = Cells { pyramid: self, left, path: Vec::new(), word: [0; 3], bits: 0 };
        if left == 0 {
            return cells;
        }
        let split = self.levels.split;
        let (mut cell, mut key) = ([0; 3], first as u32);
        for level in (0..self.levels.len()).rev() {
            let (c, rest) = self.levels.choose(level, cell, key);
            path[level] = (cell, c + 1);
            (cell, key) = (split.child(cell, c), rest);
        }
        let word = self.words[split.slot(self.levels.records(0), cell)];
        cells.path = path;
        cells.word = cell;
        cells.bits = word & u64::MAX << nth_bit(word, key);
        cells
    }

    /// Lists all active cells in the order of their keys, in parallel (the paper's point list).
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn list(&self) -> Result<Vec<[u32; 3]>> {
        let mut list = Vec::new();
        reserve(&mut list, self.len(), "points in a list", LESS)?;
        list.resize(self.len(), [0; 3]);
        list.par_chunks_mut(TASK).enumerate().for_each(|(k, out)| {
            let first = k * TASK;
            out.iter_mut().zip(self.cells(first..first + TASK)).for_each(|(out, cell)| *out = cell);
        });
        Ok(list)
    }
}

impl Cells<'_> {
    /// Goes to the next word that has an active cell.
    fn next_word(&mut self) {
        let levels = &self.pyramid.levels;
        let split = levels.split;
        let mut level = 0;
        loop {
            let (cell, first) = self.path[level];
            match (first..split.fan()).find(|&c| levels.sum(level, cell, c) > 0) {
                // Go up if this cell has no more children. The loop ends because there are keys
                // left.
                None => level += 1,
                Some(c) => {
                    self.path[level].1 = c + 1;
                    let child = split.child(cell, c);
                    if level == 0 {
                        self.word = child;
                        self.bits = self.pyramid.words[split.slot(levels.records(0), child)];
                        return;
                    }
                    level -= 1;
                    self.path[level] = (child, 0);
                }
            }
        }
    }
}

impl Iterator for Cells<'_> {
    type Item = [u32; 3];

    fn next(&mut self) -> Option<[u32; 3]> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        if self.bits == 0 {
            self.next_word();
        }
        let bit = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(self.pyramid.named(self.word, bit))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Cells<'_> {}
