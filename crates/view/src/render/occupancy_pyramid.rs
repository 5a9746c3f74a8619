//! A pyramid over cubes. Each node states whether any of the 2 x 2 x 2 nodes below it is occupied.

use super::space_skipping::Candidates;
use super::vector::{V, dot, sub};
use zeroset_core::parallel::*;

/// The size of the stack of pending nodes: 7 for each of the 17 levels of an axis of 2^16 cubes,
/// and one more.
const STACK: usize = 7 * 17 + 1;

/// The levels above the cubes.
#[derive(Clone, Debug)]
pub(super) struct Pyramid {
    shape: [usize; 3],
    levels: Vec<Level>,
}

#[derive(Clone, Debug)]
struct Level {
    shape: [usize; 3],
    any: Vec<bool>,
}

/// A node of the pyramid: its level, which is 0 for cubes, and its position in the level.
#[derive(Clone, Copy, Debug, Default)]
struct Field {
    level: usize,
    at: [u32; 3],
    /// A lower bound on the squared distance to the nearest cube center in the node.
    square: f64,
}

impl Pyramid {
    pub(super) fn new(inside: &[bool], shape: [usize; 3]) -> Self {
        let mut levels: Vec<Level> = Vec::new();
        let mut below = shape;
        while below != [1; 3] {
            let fields = levels.last().map_or(inside, |level| &level.any);
            let level = Level::above(fields, below);
            below = level.shape;
            levels.push(level);
        }
        Pyramid { shape, levels }
    }

    /// Returns the distance from `from` to the nearest center of an occupied candidate cube, or
    /// infinity if there is none. `inside` marks the occupied cubes from which the pyramid was
    /// built.
    pub(super) fn nearest(&self, inside: &[bool], from: V, along: V, kept: &Candidates) -> f64 {
        let mut stack = [Field::default(); STACK];
        stack[0] = Field { level: self.levels.len(), at: [0; 3], square: 0.0 };
        let mut waiting = 1;
        let mut best = f64::INFINITY;
        // The first child along the ray is examined first.
        let first = [0, 1, 2].map(|k| u32::from(along[k] < 0.0));
        while waiting > 0 {
            waiting -= 1;
            let field = stack[waiting];
            if field.square >= best || !self.any(inside, field) {
                continue;
            }
            if field.level == 0 {
                if kept.has(sub(field.at.map(f64::from), from), along) {
                    best = field.square;
                }
                continue;
            }
            let level = field.level - 1;
            let shape = if level == 0 { self.shape } else { self.levels[level - 1].shape };
            for child in (0..8).rev() {
                let at = [0, 1, 2].map(|k| 2 * field.at[k] + (child >> k & 1 ^ first[k]));
                if (0..3).any(|k| at[k] as usize >= shape[k]) {
                    continue;
                }
                let (low, high) = self.centers(level, at);
                let gap = [0, 1, 2].map(|k| (low[k] - from[k]).max(from[k] - high[k]).max(0.0));
                let square = dot(gap, gap);
                let half = [0, 1, 2].map(|k| 0.5 * (high[k] - low[k]));
                let middle = [0, 1, 2].map(|k| low[k] + half[k] - from[k]);
                if square < best && kept.may_have(middle, along, dot(half, half).sqrt()) {
                    stack[waiting] = Field { level, at, square };
                    waiting += 1;
                }
            }
        }
        best.sqrt()
    }

    fn any(&self, inside: &[bool], Field { level, at, .. }: Field) -> bool {
        let (any, [nx, ny, _]) = match level {
            0 => (inside, self.shape),
            _ => (&self.levels[level - 1].any[..], self.levels[level - 1].shape),
        };
        let [x, y, z] = at.map(|i| i as usize);
        any[x + nx * (y + ny * z)]
    }

    /// Returns the two extreme corners of the box that contains all cube centers in a node.
    fn centers(&self, level: usize, at: [u32; 3]) -> (V, V) {
        let low = at.map(|i| f64::from(i << level));
        let width = f64::from((1_u32 << level) - 1);
        (low, [0, 1, 2].map(|k| (low[k] + width).min((self.shape[k] - 1) as f64)))
    }
}

impl Level {
    fn above(below: &[bool], [bx, by, bz]: [usize; 3]) -> Level {
        let shape @ [nx, ny, nz] = [bx, by, bz].map(|n| n.div_ceil(2));
        let mut any = vec![false; nx * ny * nz];
        any.par_chunks_mut(nx).enumerate().for_each(|(row, any)| {
            let (y, z) = (2 * (row % ny), 2 * (row / ny));
            for z in z..(z + 2).min(bz) {
                for y in y..(y + 2).min(by) {
                    let below = &below[bx * (y + by * z)..][..bx];
                    for (any, pair) in any.iter_mut().zip(below.chunks(2)) {
                        *any |= pair.contains(&true);
                    }
                }
            }
        });
        Level { shape, any }
    }
}
