//! A block with the values around it: its cut cubes and the crossings it owns.
//!
//! A cube belongs to the first block, in the order of the source, that contains one of its corners.
//! A crossing belongs to the block that contains the lower end of its edge. If that block is
//! missing, the crossing belongs to the block that contains the upper end. Each cube and each
//! crossing next to at least one block is therefore visited exactly once, for any set of blocks.

use super::CHUNK;
use super::blocks::{Around, Blocks, Directory, NONE, toward};
use super::tables::{CASES, axis, ends};
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::parallel::*;

/// Scratch memory of a task that visits blocks.
pub(super) struct Scratch<R>(Vec<R>);

impl<R> Default for Scratch<R> {
    fn default() -> Self {
        Scratch(Vec::new())
    }
}

/// A block that the surface passes through, with its values.
pub(super) struct Block<'a, R> {
    pub number: usize,
    /// The voxel with the smallest coordinates in the block.
    pub corner: [i32; 3],
    /// Number of voxels along an edge.
    pub edge: i32,
    /// The blocks around this block.
    pub around: Around,
    values: &'a [R],
    reach: i32,
}

/// A cube that the surface passes through.
pub(super) struct Cube<R> {
    /// The lowest corner of the cube, relative to the corner of the block: -1 to edge - 1.
    pub low: [i32; 3],
    /// The case. Bit c is set if corner c is inside.
    pub case: u8,
    /// phi at the corners.
    pub values: [R; 8],
}

/// Returns the position of corner `c` of a cube.
pub(super) fn corner(low: [i32; 3], c: usize) -> [i32; 3] {
    std::array::from_fn(|k| low[k] + (c >> k & 1) as i32)
}

/// Returns the crossing on an edge with these values at its ends, as the fraction from the first
/// end to the second.
pub(super) fn crossing<R: Real>(first: R, second: R) -> f64 {
    let (f, g) = (first.to_f64(), second.to_f64());
    f / (f - g)
}

impl<R: Real> Cube<R> {
    /// Returns the crossing on an edge of the cube: the lower end of the edge, and the fraction
    /// from there to the upper end.
    pub fn crossing(&self, e: usize) -> ([i32; 3], f64) {
        let [c, d] = ends(e);
        (corner(self.low, c), crossing(self.values[c], self.values[d]))
    }
}

impl<'a, R: Real> Block<'a, R> {
    /// Reads the block with the index `number`. Returns `None` if the surface passes neither
    /// through the block nor through the `reach` voxels around it.
    pub fn read(
        blocks: &impl Blocks<R>,
        directory: &Directory,
        number: usize,
        reach: usize,
        scratch: &'a mut Scratch<R>,
    ) -> Option<Self> {
        let edge = blocks.edge();
        scratch.0.resize((edge + 2 * reach).pow(3), R::zero());
        blocks.fill(number, reach, &mut scratch.0);
        let is_inside = |v: &R| *v < R::zero();
        let first = scratch.0.first().is_some_and(is_inside);
        if scratch.0.iter().all(|v| is_inside(v) == first) {
            return None;
        }
        Some(Block {
            number,
            corner: blocks.corner(number),
            edge: edge as i32,
            around: directory.around(number),
            values: &scratch.0,
            reach: reach as i32,
        })
    }

    /// Returns the value at a position relative to the corner of the block. The position may lie at
    /// most `reach` voxels outside of the block.
    pub fn at(&self, place: [i32; 3]) -> R {
        let n = self.edge + 2 * self.reach;
        let [x, y, z] = place.map(|c| c + self.reach);
        self.values[(x + n * (y + n * z)) as usize]
    }

    /// Returns the block that contains a position, or `NONE`. The position is relative to the
    /// corner of this block, and each coordinate is -1 to `edge`.
    fn block_at(&self, place: [i32; 3]) -> u32 {
        self.around[toward(place.map(|c| c.div_euclid(self.edge)))]
    }

    /// Visits the cut cubes that belong to the block, x fastest. Returns the number of cubes that
    /// were skipped because a value is missing.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] if phi changes sign outside of all blocks.
    pub fn cubes(&self, mut visit: impl FnMut(Cube<R>)) -> Result<u64> {
        let mut left_out = 0;
        for z in -1..self.edge {
            for y in -1..self.edge {
                // Bits 0, 2, 4 and 6 are set if the value at this x and at (y, z), (y + 1, z), (y,
                // z + 1) or (y + 1, z + 1), in this order, is inside.
                let column = |x: i32| {
                    let inside = |dy, dz| self.at([x, y + dy, z + dz]) < R::zero();
                    u8::from(inside(0, 0))
                        | u8::from(inside(1, 0)) << 2
                        | u8::from(inside(0, 1)) << 4
                        | u8::from(inside(1, 1)) << 6
                };
                let mut left = column(-1);
                for x in -1..self.edge {
                    let right = column(x + 1);
                    let case = left | right << 1;
                    left = right;
                    let low = [x, y, z];
                    if case == 0 || case == 255 || !self.owns(low) {
                        continue;
                    }
                    let values: [R; 8] = std::array::from_fn(|c| self.at(corner(low, c)));
                    if values.iter().any(|v| v.to_f64().is_nan()) {
                        left_out += 1;
                        continue;
                    }
                    self.check(low, case)?;
                    visit(Cube { low, case, values });
                }
            }
        }
        Ok(left_out)
    }

    /// Returns whether no block before this one contains a corner of the cube.
    fn owns(&self, low: [i32; 3]) -> bool {
        low.iter().all(|&c| c >= 0) || {
            let of_corner = |c| toward(corner(low, c).map(|x| x.div_euclid(self.edge)));
            let first = (0..8).map(of_corner).filter(|&k| self.around[k] != NONE).min();
            first == Some(toward([0; 3]))
        }
    }

    /// Returns an error if a crossing lies between two voxels of missing blocks.
    fn check(&self, low: [i32; 3], case: u8) -> Result<()> {
        if low.iter().all(|&c| (0..self.edge - 1).contains(&c)) {
            return Ok(());
        }
        for e in CASES[case as usize].edges() {
            let ends = ends(e).map(|c| corner(low, c));
            if ends.iter().all(|&end| self.block_at(end) == NONE) {
                let [x, y, z] = std::array::from_fn(|k| self.corner[k] + ends[0][k]);
                let along = ["x", "y", "z"][axis(e)];
                return Err(Error::Numerical {
                    what: format!(
                        "phi changes its sign outside of the band, from voxel ({x}, {y}, {z}) \
                         along {along}"
                    ),
                    remedy: "use a wider band".into(),
                });
            }
        }
        Ok(())
    }

    /// Calls `mark` with the slot of each edge whose crossing belongs to the block.
    pub fn crossings(&self, mut mark: impl FnMut(usize)) {
        let crossed = |a: R, b: R| {
            (a < R::zero()) != (b < R::zero()) && !a.to_f64().is_nan() && !b.to_f64().is_nan()
        };
        for z in 0..self.edge {
            for y in 0..self.edge {
                for x in 0..self.edge {
                    let place = [x, y, z];
                    let value = self.at(place);
                    for a in 0..3 {
                        let upper = corner(place, 1 << a);
                        if crossed(value, self.at(upper)) {
                            mark(self.slot(place, a));
                        }
                    }
                }
            }
        }
        for a in 0..3 {
            let mut offset = [0; 3];
            offset[a] = -1;
            if self.around[toward(offset)] != NONE {
                continue;
            }
            for w in 0..self.edge {
                for u in 0..self.edge {
                    let mut place = [0; 3];
                    (place[(a + 1) % 3], place[(a + 2) % 3]) = (u, w);
                    let below = std::array::from_fn(|k| place[k] + offset[k]);
                    if crossed(self.at(below), self.at(place)) {
                        mark(self.slot(below, a));
                    }
                }
            }
        }
    }

    /// Returns the slot of the edge from `low` along axis `a` among the edges that a block may own.
    /// Three slots for each voxel of the block come first. The slots of edges that start just below
    /// the block follow, one axis after the other.
    fn slot(&self, low: [i32; 3], a: usize) -> usize {
        let n = self.edge;
        let slot = if low[a] >= 0 {
            3 * (low[0] + n * (low[1] + n * low[2])) + a as i32
        } else {
            n * n * (3 * n + a as i32) + low[(a + 1) % 3] + n * low[(a + 2) % 3]
        };
        slot as usize
    }

    /// Returns the lower end and the axis of the edge of a slot.
    pub fn edge_of(&self, slot: usize) -> ([i32; 3], usize) {
        let (n, slot) = (self.edge, slot as i32);
        if slot < 3 * n * n * n {
            let voxel = slot / 3;
            return ([voxel % n, voxel / n % n, voxel / (n * n)], slot as usize % 3);
        }
        let rest = slot - 3 * n * n * n;
        let (a, rest) = ((rest / (n * n)) as usize, rest % (n * n));
        let mut low = [0; 3];
        (low[a], low[(a + 1) % 3], low[(a + 2) % 3]) = (-1, rest % n, rest / n);
        (low, a)
    }

    /// Returns the block that owns the edge from `low` along axis `a`, and its slot there.
    pub fn owner(&self, low: [i32; 3], a: usize) -> (u32, usize) {
        let n = self.edge;
        let block = self.block_at(low);
        if block != NONE {
            return (block, self.slot(low.map(|c| c.rem_euclid(n)), a));
        }
        let mut place = corner(low, 1 << a);
        let block = self.block_at(place);
        place = place.map(|c| c.rem_euclid(n));
        place[a] -= 1;
        (block, self.slot(place, a))
    }
}

/// Returns the number of edges that a block of edge `n` may own.
pub(super) fn slots(n: usize) -> usize {
    3 * n * n * (n + 1)
}

/// Folds over the blocks that the surface passes through, with one voxel around each, and returns
/// one result per chunk of blocks, in order.
pub(super) fn per_chunk<R: Real, T: Clone + Send + Sync>(
    blocks: &impl Blocks<R>,
    directory: &Directory,
    start: T,
    fold: impl Fn(&mut T, &Block<R>) -> Result<()> + Sync,
) -> Result<Vec<T>> {
    let n = blocks.len();
    (0..n.div_ceil(CHUNK))
        .into_par_iter()
        .map_init(Scratch::default, |scratch, chunk| {
            let mut result = start.clone();
            for number in chunk * CHUNK..n.min((chunk + 1) * CHUNK) {
                if let Some(block) = Block::read(blocks, directory, number, 1, scratch) {
                    fold(&mut result, &block)?;
                }
            }
            Ok(result)
        })
        .collect()
}
