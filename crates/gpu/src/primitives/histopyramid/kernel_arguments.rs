//! Levels of a pyramid, and what the kernels take; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "pyramid", include "primitives/shape.cuh";

    /// Most levels above the words of a pyramid, and of a tree.
    pub(crate) const MOST_LEVELS: usize = 32;

    /// All levels of a pyramid, the lowest first; the last has one record.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct PyramidArgument as Pyramid {
        /// `[records[0]][FAN]`
        pub words: u64 as "const u64 *",
        /// `[records][FAN]` of each level.
        pub sums: [u64; MOST_LEVELS] as "const u32 *",
        /// Along each axis.
        pub records: [[u32; 3]; MOST_LEVELS] = "Shape",
        /// Of the grid.
        pub shape: [u32; 3] = "Shape",
        pub n_levels: u32,
    }

    /// All levels of a tree from 1 on; the last has one cell, the first slot of its record.
    #[derive(Clone, Copy)]
    pub(crate) struct TreeArgument as Tree {
        /// `[records][FAN]`, level k + 1 at place k.
        pub counts: [u64; MOST_LEVELS] as "const u32 *",
        /// Along each axis.
        pub records: [[u32; 3]; MOST_LEVELS] = "Shape",
        /// Cells of the grid.
        pub base: [u32; 3] = "Shape",
        pub n_levels: u32,
    }
}

/// How cells are joined.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Split {
    /// Four of a row.
    Lines,
    /// 2 x 2.
    Squares,
    /// 2 x 2 x 2.
    Cubes,
}

impl Split {
    /// For keys by lines, or block by block.
    pub fn new(shape: [u32; 3], by_lines: bool) -> Self {
        match (by_lines, shape[2] > 1) {
            (true, _) => Split::Lines,
            (false, false) => Split::Squares,
            (false, true) => Split::Cubes,
        }
    }

    /// Children of a cell.
    pub fn fan(self) -> usize {
        match self {
            Split::Lines | Split::Squares => 4,
            Split::Cubes => 8,
        }
    }

    /// Cells of the level above one of `shape`.
    fn above(self, [x, y, z]: [u32; 3]) -> [u32; 3] {
        match self {
            Split::Lines => [x.div_ceil(4), y, z],
            Split::Squares => [x.div_ceil(2), y.div_ceil(2), z],
            Split::Cubes => [x.div_ceil(2), y.div_ceil(2), z.div_ceil(2)],
        }
    }

    /// Records of all levels over a grid of `shape`, the lowest first; the last level has one. There are less than 2^32 cells.
    pub fn records(self, shape: [u32; 3]) -> Vec<[u32; 3]> {
        let brick = match self {
            Split::Lines => [64, 1, 1],
            Split::Squares => [8, 8, 1],
            Split::Cubes => [4, 4, 4],
        };
        let grid = match self {
            Split::Lines => [shape.iter().product(), 1, 1],
            _ => shape,
        };
        let words: [u32; 3] = std::array::from_fn(|k| grid[k].div_ceil(brick[k]).max(1));
        let mut all = vec![self.above(words)];
        while all[all.len() - 1] != [1; 3] {
            all.push(self.above(all[all.len() - 1]));
        }
        all
    }

    /// Children of all records of a level.
    pub fn slots(self, records: [u32; 3]) -> usize {
        records.iter().map(|&n| n as usize).product::<usize>() * self.fan()
    }

    /// Defines of the kernels, with running sums in records or without.
    pub fn defines(self, partial: bool) -> Vec<(&'static str, String)> {
        let lines = u32::from(matches!(self, Split::Lines));
        vec![
            ("FAN", self.fan().to_string()),
            ("LINES", lines.to_string()),
            ("PARTIAL", u32::from(partial).to_string()),
        ]
    }
}
