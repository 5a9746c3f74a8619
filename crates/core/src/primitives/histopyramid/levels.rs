//! Sums of sums: the levels above the base of a pyramid.
//!
//! A cell of a level has up to `fan` children in the level below. All children of a cell stand side by
//! side as one *record*, so that a descent reads one place of 16 or 32 bytes per level. Along an axis
//! of odd length the last record has empty places, which count 0; nothing else is padded.

use rayon::prelude::*;

/// How cells are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Split {
    /// Four along the row.
    Lines,
    /// 2 x 2.
    Squares,
    /// 2 x 2 x 2.
    Cubes,
}

impl Split {
    /// Children of a cell along each axis.
    pub fn ratio(self) -> [usize; 3] {
        match self {
            Split::Lines => [4, 1, 1],
            Split::Squares => [2, 2, 1],
            Split::Cubes => [2, 2, 2],
        }
    }

    /// Children of a cell.
    pub fn fan(self) -> usize {
        self.ratio().iter().product()
    }

    /// Cells of the level above one of `shape`.
    pub fn above(self, shape: [usize; 3]) -> [usize; 3] {
        let ratio = self.ratio();
        std::array::from_fn(|k| shape[k].div_ceil(ratio[k]))
    }

    /// Child `c` of a cell.
    pub fn child(self, cell: [usize; 3], c: usize) -> [usize; 3] {
        let [rx, ry, rz] = self.ratio();
        [cell[0] * rx + c % rx, cell[1] * ry + c / rx % ry, cell[2] * rz + c / (rx * ry)]
    }

    /// The cell above, and which of its children this is.
    pub fn parent(self, cell: [usize; 3]) -> ([usize; 3], usize) {
        let [rx, ry, rz] = self.ratio();
        let c = cell[0] % rx + rx * (cell[1] % ry + ry * (cell[2] % rz));
        ([cell[0] / rx, cell[1] / ry, cell[2] / rz], c)
    }

    /// Place of a cell in a level whose records are those of a grid of `records`.
    pub fn slot(self, records: [usize; 3], cell: [usize; 3]) -> usize {
        let (parent, c) = self.parent(cell);
        raster(records, parent) * self.fan() + c
    }
}

/// Number of a cell, x fastest.
pub(super) fn raster(shape: [usize; 3], [x, y, z]: [usize; 3]) -> usize {
    x + shape[0] * (y + shape[1] * z)
}

/// The cell of a number.
pub(super) fn unraster(shape: [usize; 3], n: usize) -> [usize; 3] {
    [n % shape[0], n / shape[0] % shape[1], n / (shape[0] * shape[1])]
}

/// What a record holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stored {
    /// The sum of each child; a descent takes one after the other from the key.
    Sums,
    /// Running sums over the children, as the paper's vec4 variant (section 6.3): a descent compares the
    /// key with all of them at once.
    #[default]
    PartialSums,
}

/// One level: sums of cells, record by record.
#[derive(Clone, Debug)]
struct Level {
    /// Records along each axis.
    records: [usize; 3],
    /// `[records][fan]`.
    sums: Vec<u32>,
}

/// All levels, the lowest first; the last has one record.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    pub split: Split,
    pub stored: Stored,
    levels: Vec<Level>,
}

/// Records of a task.
const TASK: usize = 1 << 10;

impl Levels {
    /// Reduces the lowest level, `sums` of the cells of a grid of `shape`, record by record.
    /// `reduce` gives the sum of a record, whose cell is named by its level, counted from the lowest
    /// one of `sums`, and its coordinates there.
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

    /// Number of levels.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Records of a level along each axis: the cells of the level above.
    pub fn records(&self, level: usize) -> [usize; 3] {
        self.levels[level].records
    }

    fn record(&self, level: usize, cell: [usize; 3]) -> &[u32] {
        let Level { records, sums } = &self.levels[level];
        let first = raster(*records, cell) * self.split.fan();
        &sums[first..first + self.split.fan()]
    }

    /// The record of the highest level.
    pub fn top(&self) -> &[u32] {
        self.record(self.len() - 1, [0; 3])
    }

    /// Sum of child `c` of a cell, by the record of its children in `level`.
    pub fn sum(&self, level: usize, cell: [usize; 3], c: usize) -> u32 {
        let record = self.record(level, cell);
        match self.stored {
            Stored::Sums => record[c],
            Stored::PartialSums => record[c] - if c == 0 { 0 } else { record[c - 1] },
        }
    }

    /// Sum of the children before child `c`.
    pub fn before(&self, level: usize, cell: [usize; 3], c: usize) -> u32 {
        let record = self.record(level, cell);
        match self.stored {
            Stored::Sums => record[..c].iter().sum(),
            Stored::PartialSums if c == 0 => 0,
            Stored::PartialSums => record[c - 1],
        }
    }

    /// Sum of all.
    pub fn total(&self) -> u32 {
        let last = self.len() - 1;
        let fan = self.split.fan();
        self.before(last, [0; 3], fan - 1) + self.sum(last, [0; 3], fan - 1)
    }

    /// The child in which entry `key` of a cell is, with the number of the entry there. There must be
    /// such an entry.
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
