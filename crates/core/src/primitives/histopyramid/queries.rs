//! Queries of cells and boxes: whether a cell is active, its key, and the number of active cells in
//! a box.

use super::levels::raster;
use super::{HistoPyramid, Order};

impl HistoPyramid {
    /// Returns the word of a cell and the bit of the cell in it, or `None` outside the grid.
    fn place(&self, cell: [u32; 3]) -> Option<([usize; 3], usize)> {
        let cell = cell.map(|c| c as usize);
        if (0..3).any(|k| cell[k] >= self.shape[k]) {
            return None;
        }
        let split = self.levels.split;
        let cell = match self.order {
            Order::Blocks => cell,
            Order::Lines => [raster(self.shape, cell), 0, 0],
        };
        let brick = split.brick();
        let inner = std::array::from_fn(|k| cell[k] % brick[k]);
        Some((std::array::from_fn(|k| cell[k] / brick[k]), split.bit_of_cell(inner)))
    }

    #[inline]
    fn word(&self, word: [usize; 3]) -> u64 {
        self.words[self.levels.split.slot(self.levels.records(0), word)]
    }

    /// Returns true if a cell is active. Cells outside the grid are not active.
    #[inline]
    pub fn is_active(&self, cell: [u32; 3]) -> bool {
        self.place(cell).is_some_and(|(word, bit)| self.word(word) >> bit & 1 == 1)
    }

    /// Returns the key of an active cell, or `None` for any other cell.
    #[inline]
    pub fn key(&self, cell: [u32; 3]) -> Option<usize> {
        let (word, bit) = self.place(cell)?;
        (self.word(word) >> bit & 1 == 1).then(|| self.before(word, bit))
    }

    /// Returns the number of active cells that come before the given bit of a word in the order of
    /// the keys.
    fn before(&self, word: [usize; 3], bit: usize) -> usize {
        let below = self.word(word) & ((1 << bit) - 1);
        let mut sum = below.count_ones() as usize;
        let mut cell = word;
        for level in 0..self.levels.len() {
            let (parent, c) = self.levels.split.parent(cell);
            sum += self.levels.before(level, parent, c) as usize;
            cell = parent;
        }
        sum
    }

    /// Returns the number of active cells in a box. Along each axis, the box includes `low` and
    /// excludes `high`. Cells outside the grid are not active. With keys by blocks, only blocks
    /// that the surface of the box cuts are examined. With keys by lines, only the ends of the rows
    /// of the box are examined.
    pub fn count(&self, low: [u32; 3], high: [u32; 3]) -> usize {
        let low = low.map(|c| c as usize);
        let high: [usize; 3] = std::array::from_fn(|k| (high[k] as usize).min(self.shape[k]));
        if (0..3).any(|k| low[k] >= high[k]) {
            return 0;
        }
        match self.order {
            Order::Blocks => self.count_below(self.levels.len(), [0; 3], low, high),
            Order::Lines => {
                let rows = (low[2]..high[2]).flat_map(|z| (low[1]..high[1]).map(move |y| (y, z)));
                rows.map(|(y, z)| {
                    let first = raster(self.shape, [low[0], y, z]);
                    self.up_to(first + high[0] - low[0]) - self.up_to(first)
                })
                .sum()
            }
        }
    }

    /// Returns the key of the first active cell in a row of a picture or in a later row, or the
    /// number of active cells if there is none. The pyramid must have keys by lines.
    pub(in super::super) fn first_of_row(&self, row: usize) -> usize {
        self.up_to(row * self.shape[0])
    }

    /// Returns the number of active cells among the first `n` cells. The pyramid must have keys by
    /// lines.
    fn up_to(&self, n: usize) -> usize {
        if n >= self.grid[0] {
            return self.len();
        }
        let word = self.levels.split.brick()[0];
        self.before([n / word, 0, 0], n % word)
    }

    /// Returns the number of active cells that are both in a box and below a cell of a level. The
    /// words are level 0.
    fn count_below(
        &self,
        level: usize,
        cell: [usize; 3],
        low: [usize; 3],
        high: [usize; 3],
    ) -> usize {
        let split = self.levels.split;
        let (brick, ratio) = (split.brick(), split.ratio());
        if level == 0 {
            let bits = self.word(cell);
            let inside = |bit: &usize| {
                let inner = split.cell_of_bit(*bit);
                (0..3).all(|k| (low[k]..high[k]).contains(&(cell[k] * brick[k] + inner[k])))
            };
            return (0..64).filter(|bit| bits >> bit & 1 == 1).filter(inside).count();
        }
        let edge = |k: usize| brick[k] * ratio[k].pow(level as u32 - 1);
        let mut sum = 0;
        for c in 0..split.fan() {
            let of_child = self.levels.sum(level - 1, cell, c) as usize;
            if of_child == 0 {
                continue;
            }
            let child = split.child(cell, c);
            let spans = |k: usize| (child[k] * edge(k), (child[k] + 1) * edge(k));
            let spans = [spans(0), spans(1), spans(2)];
            let apart = (0..3).any(|k| spans[k].1 <= low[k] || spans[k].0 >= high[k]);
            // The part of a block beyond the grid is empty.
            let within =
                (0..3).all(|k| spans[k].0 >= low[k] && spans[k].1.min(self.shape[k]) <= high[k]);
            sum += match (apart, within) {
                (true, _) => 0,
                (_, true) => of_child,
                _ => self.count_below(level - 1, child, low, high),
            };
        }
        sum
    }
}
