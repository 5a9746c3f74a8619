//! The kernel arguments for pyramids and trees, and the shapes of the levels of a pyramid. They use
//! no crate other than `zeroset_gpu`, so that the kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "pyramid", include "primitives/grid_axes.cuh";

    /// The largest number of levels above the words of a pyramid, and of a tree.
    pub(crate) const MOST_LEVELS: usize = 32;

    /// All levels of a pyramid, the lowest first. The last level has one record.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct PyramidArgument as Pyramid {
        /// The words of the base, `[records[0]][FAN]`.
        pub words: u64 as "const u64 *",
        /// The sums of each level, `[records][FAN]`.
        pub sums: [u64; MOST_LEVELS] as "const u32 *",
        /// The number of records in each level along each axis.
        pub records: [[u32; 3]; MOST_LEVELS] = "Shape",
        /// The shape of the grid.
        pub shape: [u32; 3] = "Shape",
        pub n_levels: u32,
    }

    /// All levels of a tree, starting with level 1. The last level has one cell, the first slot of
    /// its record.
    #[derive(Clone, Copy)]
    pub(crate) struct TreeArgument as Tree {
        /// The counts of each level, `[records][FAN]`. Level k + 1 is at index k.
        pub counts: [u64; MOST_LEVELS] as "const u32 *",
        /// The number of records in each level along each axis.
        pub records: [[u32; 3]; MOST_LEVELS] = "Shape",
        /// The number of cells in the grid along each axis.
        pub base: [u32; 3] = "Shape",
        pub n_levels: u32,
    }
}

/// The way in which cells of a level are combined into a cell of the next higher level.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Split {
    /// Four cells of a row.
    Lines,
    /// 2 x 2 cells.
    Squares,
    /// 2 x 2 x 2 cells.
    Cubes,
}

impl Split {
    /// Returns the split for keys that run line by line if `by_lines` is true, or block by block
    /// otherwise.
    pub fn new(shape: [u32; 3], by_lines: bool) -> Self {
        match (by_lines, shape[2] > 1) {
            (true, _) => Split::Lines,
            (false, false) => Split::Squares,
            (false, true) => Split::Cubes,
        }
    }

    /// Returns the number of children of a cell.
    pub fn fan(self) -> usize {
        match self {
            Split::Lines | Split::Squares => 4,
            Split::Cubes => 8,
        }
    }

    /// Returns the number of cells along each axis of the level above a level of `shape`.
    fn above(self, [x, y, z]: [u32; 3]) -> [u32; 3] {
        match self {
            Split::Lines => [x.div_ceil(4), y, z],
            Split::Squares => [x.div_ceil(2), y.div_ceil(2), z],
            Split::Cubes => [x.div_ceil(2), y.div_ceil(2), z.div_ceil(2)],
        }
    }

    /// Returns the number of records along each axis of all levels over a grid of `shape`, the
    /// lowest level first. The last level has one record. The grid must have fewer than 2^32 cells.
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

    /// Returns the total number of children in a level with `records` records along each axis.
    pub fn slots(self, records: [u32; 3]) -> usize {
        records.iter().map(|&n| n as usize).product::<usize>() * self.fan()
    }

    /// Returns the defines of the kernels. `partial` selects prefix sums in records.
    pub fn defines(self, partial: bool) -> Vec<(&'static str, String)> {
        let lines = u32::from(matches!(self, Split::Lines));
        vec![
            ("FAN", self.fan().to_string()),
            ("LINES", lines.to_string()),
            ("PARTIAL", u32::from(partial).to_string()),
        ]
    }
}
