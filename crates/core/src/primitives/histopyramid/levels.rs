//! The levels of a pyramid above its base: sums of sums.
//!
//! A cell of a level has up to `fan` children in the level below. All children of a cell are stored
//! together as one *record*, so that a descent reads 16 or 32 contiguous bytes per level. If the
//! length of an axis is not a multiple of the number of children along it, the last record has
//! empty slots, which count as 0. There is no other padding.

use crate::parallel::*;

/// The way in which cells are combined into a cell of the next level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// Four cells along the row.
    Lines,
    /// 2 x 2 cells.
    Squares,
    /// 2 x 2 x 2 cells.
    Cubes,
}

impl Split {
    /// Returns the number of children of a cell along each axis.
    pub fn ratio(self) -> [usize; 3] {
        match self {
            Split::Lines => [4, 1, 1],
            Split::Squares => [2, 2, 1],
            Split::Cubes => [2, 2, 2],
        }
    }

    /// Returns the number of children of a cell.
    #[inline]
    pub fn fan(self) -> usize {
        self.ratio().iter().product()
    }

    /// Returns the shape of the level above a level of `shape`.
    #[inline]
    pub fn above(self, shape: [usize; 3]) -> [usize; 3] {
        let ratio = self.ratio();
        std::array::from_fn(|k| shape[k].div_ceil(ratio[k]))
    }

    /// Returns child `c` of a cell.
    #[inline]
    pub fn child(self, cell: [usize; 3], c: usize) -> [usize; 3] {
        let [rx, ry, rz] = self.ratio();
        [cell[0] * rx + c % rx, cell[1] * ry + c / rx % ry, cell[2] * rz + c / (rx * ry)]
    }

    /// Returns the parent of a cell, and the index of the cell among the children of its parent.
    #[inline]
    pub fn parent(self, cell: [usize; 3]) -> ([usize; 3], usize) {
        let [rx, ry, rz] = self.ratio();
        let c = cell[0] % rx + rx * (cell[1] % ry + ry * (cell[2] % rz));
        ([cell[0] / rx, cell[1] / ry, cell[2] / rz], c)
    }

    /// Returns the index of a cell in a level with `records` records along each axis.
    #[inline]
    pub fn slot(self, records: [usize; 3], cell: [usize; 3]) -> usize {
        let (parent, c) = self.parent(cell);
        raster(records, parent) * self.fan() + c
    }
}

/// Returns the index of a cell, x fastest.
pub(super) fn raster(shape: [usize; 3], [x, y, z]: [usize; 3]) -> usize {
    x + shape[0] * (y + shape[1] * z)
}

/// Returns the cell with the index `n`.
pub(super) fn unraster(shape: [usize; 3], n: usize) -> [usize; 3] {
    [n % shape[0], n / shape[0] % shape[1], n / (shape[0] * shape[1])]
}

/// The contents of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stored {
    /// The sums of the children. A descent subtracts them from the key one after another.
    Sums,
    /// Prefix sums over the children, as in the paper's vec4 variant (section 6.3). A descent
    /// compares the key with all of them at once.
    #[default]
    PartialSums,
}

/// One level: the sums of its cells, record by record.
#[derive(Clone, Debug)]
struct Level {
    /// The number of records along each axis.
    records: [usize; 3],
    /// The sums or, with [`Stored::PartialSums`], the prefix sums of each record, `[records][fan]`.
    sums: Vec<u32>,
}

/// All levels, the lowest first. The last level has one record.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    pub split: Split,
    pub stored: Stored,
    levels: Vec<Level>,
}

/// The number of records per task.
const TASK: usize = 1 << 10;

impl Levels {
    /// Builds all levels from the lowest one. `sums` are the sums of the cells of a grid of
    /// `shape`, record by record. `reduce(level, cell, record)` returns the sum of a cell from the
    /// record of its children. The level of `sums` has the index 0.
    pub fn new(
        split: Split,
        stored: Stored,
        shape: [usize; 3],
        sums: Vec<u32>,
        reduce: &(impl Fn(usize, [usize; 3], &[u32]) -> u32 + Sync),
    ) -> Self {
        let fan = split.fan();
        let mut levels = vec![Level { records: split.above(shape), sums }];
        while let Some(below) = levels.last().filter(|level| level.records != [1; 3]) {
            let cells = below.records;
            let records = split.above(cells);
            let mut sums = vec![0; records.iter().product::<usize>() * fan];
            let number = levels.len();
            sums.par_chunks_mut(fan * TASK).enumerate().for_each(|(task, sums)| {
                for (k, record) in sums.chunks_mut(fan).enumerate() {
                    let parent = unraster(records, task * TASK + k);
                    for (c, sum) in record.iter_mut().enumerate() {
                        let cell = split.child(parent, c);
                        if (0..3).all(|k| cell[k] < cells[k]) {
                            let first = raster(cells, cell) * fan;
                            *sum = reduce(number, cell, &below.sums[first..first + fan]);
                        }
                    }
                }
            });
            levels.push(Level { records, sums });
        }
        let mut all = Levels { split, stored, levels };
        if stored == Stored::PartialSums {
            for level in &mut all.levels {
                level.sums.par_chunks_mut(fan * TASK).for_each(|sums| {
                    sums.chunks_mut(fan).for_each(|record| {
                        (1..fan).for_each(|c| record[c] += record[c - 1]);
                    });
                });
            }
        }
        all
    }

    /// Returns the number of levels.
    #[inline]
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Returns the number of records in a level along each axis, which equals the number of cells
    /// in the level above.
    #[inline]
    pub fn records(&self, level: usize) -> [usize; 3] {
        self.levels[level].records
    }

    #[inline]
    fn record(&self, level: usize, cell: [usize; 3]) -> &[u32] {
        let Level { records, sums } = &self.levels[level];
        let first = raster(*records, cell) * self.split.fan();
        &sums[first..first + self.split.fan()]
    }

    /// Returns the record of the highest level.
    #[inline]
    pub fn top(&self) -> &[u32] {
        self.record(self.len() - 1, [0; 3])
    }

    /// Returns the sum of child `c` of a cell, from the record of its children in `level`.
    pub fn sum(&self, level: usize, cell: [usize; 3], c: usize) -> u32 {
        let record = self.record(level, cell);
        match self.stored {
            Stored::Sums => record[c],
            Stored::PartialSums => record[c] - if c == 0 { 0 } else { record[c - 1] },
        }
    }

    /// Returns the sum of the children before child `c`.
    pub fn before(&self, level: usize, cell: [usize; 3], c: usize) -> u32 {
        let record = self.record(level, cell);
        match self.stored {
            Stored::Sums => record[..c].iter().sum(),
            Stored::PartialSums if c == 0 => 0,
            Stored::PartialSums => record[c - 1],
        }
    }

    /// Returns the sum of all cells.
    #[inline]
    pub fn total(&self) -> u32 {
        let last = self.len() - 1;
        let fan = self.split.fan();
        self.before(last, [0; 3], fan - 1) + self.sum(last, [0; 3], fan - 1)
    }

    /// Returns the child that contains entry `key` of a cell, and the index of the entry in that
    /// child. The entry must exist.
    pub fn choose(&self, level: usize, cell: [usize; 3], key: u32) -> (usize, u32) {
        let record = self.record(level, cell);
        match self.stored {
            Stored::Sums => {
                let mut left = key;
                for (c, &sum) in record.iter().enumerate() {
                    if left < sum {
                        return (c, left);
                    }
                    left -= sum;
                }
                unreachable!("the sums of a record are those of its cell")
            }
            Stored::PartialSums => {
                let c = record.iter().filter(|&&end| end <= key).count();
                (c, key - if c == 0 { 0 } else { record[c - 1] })
            }
        }
    }
}
