//! The octree of a cloud: the centroid and the number of samples of each node, in depth-first
//! order.
//!
//! A sample at `u` (in voxels of the finest level from the center of the cube) lies in the cell
//! `floor(u + 2^(D-1))` of `2^D` cells along each axis. Cells are sorted by their Morton keys,
//! which interleave the bits of the three coordinates. The samples of any node are therefore
//! contiguous in the list. A node is divided if it contains samples of more than one cell. Samples
//! of one cell are merged into one leaf, which stores their centroid and number.
//!
//! ```text
//! cells    a  b        c     d           common(a, b) = 2: levels that two cells share
//! nodes    0           1  ...            a node begins at its first cell. At each cell begin
//!          0 0.1 a b   c  d              1 + max(0, common with next - common with last) nodes
//! next        each node stores the first node after its subtree, which is enough for a traversal
//! ```
//!
//! Source: A. C. Jalba, W. J. van der Laan, J. B. T. M. Roerdink, "Fast sparse level sets on
//! graphics hardware", IEEE TVCG 19 (2013), section 4.1. Their algorithm 4 climbs through parents.
//! Here, `next` leads past a node that is not opened.

use super::octree_cube::Frame;
use crate::error::Result;
use crate::parallel::*;
use crate::primitives::{DisjointRows, memory, sort};

/// A cube of the octree that contains samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Node {
    /// Centroid of the samples in the cube, in voxels of the finest level from the center of the
    /// root cube.
    pub center: [f32; 3],
    /// Number of samples in the cube.
    pub count: f32,
    /// Index of the first node after the subtree of this node.
    pub next: u32,
    /// Level of the node. Its edge is 2^-level times that of the root cube.
    pub level: u32,
}

/// The octree of a cloud.
#[derive(Clone, Debug)]
pub struct Octree {
    frame: Frame,
    nodes: Vec<Node>,
    /// All samples sorted by cell, in voxels of the finest level from the center of the cube.
    samples: Vec<[f32; 3]>,
    n_cells: usize,
}

/// Bytes per sample during construction: the keys and their order, each stored twice.
const BUILD: u64 = 2 * (8 + 4);
/// Upper bound on the bytes per sample of the finished tree, with two nodes per sample.
const KEPT: u64 = 12 + 2 * size_of::<Node>() as u64;

impl Octree {
    /// Builds the tree of finite points, `[n]`, in input units.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn new(points: &[[f64; 3]], frame: Frame) -> Result<Self> {
        super::memory::check(
            points.len() as u64 * (BUILD + KEPT),
            &format!("the nodes of {} samples", points.len()),
        )?;
        let cell = |x: &[f64; 3]| morton(frame.cell(frame.voxel(*x)));
        let keys: Vec<u64> = points.par_iter().map(cell).collect();
        let sorted = sort(&keys, None, 3 * frame.depth);
        drop(keys);
        let sample = |&n: &u32| frame.voxel(points[n as usize]).map(rounded);
        let samples = sorted.values.par_iter().map(sample).collect();
        let keys = sorted.keys;
        let is_first = |n: &u32| *n == 0 || keys[*n as usize] != keys[*n as usize - 1];
        let starts: Vec<u32> = (0..keys.len() as u32).into_par_iter().filter(is_first).collect();
        let mut tree = Octree { frame, nodes: Vec::new(), samples, n_cells: starts.len() };
        tree.build(&keys, &starts)?;
        Ok(tree)
    }

    /// Builds the nodes of the cells that begin at `starts` in the sorted keys.
    fn build(&mut self, keys: &[u64], starts: &[u32]) -> Result<()> {
        let (depth, n) = (self.frame.depth, starts.len());
        let key = |cell: usize| keys[starts[cell] as usize];
        // Number of levels that a cell shares with the next one, or -1 if there is no next one.
        let common = |cell: usize| match cell + 1 < n {
            true => shared(key(cell), key(cell + 1), depth) as i32,
            false => -1,
        };
        let before = |cell: usize| if cell == 0 { -1 } else { common(cell - 1) };
        let begun = |cell: usize| 1 + (common(cell) - before(cell)).max(0) as u32;
        let mut offsets: Vec<u32> = (0..n).into_par_iter().map(begun).collect();
        let mut total = 0;
        for offset in &mut offsets {
            total += std::mem::replace(offset, total);
        }
        let remedy = "use a smaller depth";
        memory::reserve(&mut self.nodes, total as usize, "nodes of the octree", remedy)?;
        self.nodes.resize(total as usize, Node::default());
        let first_sample = |cell: usize| starts.get(cell).map_or(keys.len(), |&s| s as usize);
        let first_node = |cell: usize| offsets.get(cell).copied().unwrap_or(total);
        let samples = &self.samples;
        let rows = DisjointRows::new(&mut self.nodes);
        (0..n).into_par_iter().with_min_len(256).for_each(|cell| {
            let range = offsets[cell] as usize..first_node(cell + 1) as usize;
            // SAFETY: the ranges of different cells do not overlap.
            let nodes = unsafe { rows.range(range) };
            let (mut level, last) = (before(cell) + 1, nodes.len() - 1);
            for (k, node) in nodes.iter_mut().enumerate() {
                let end = match k == last {
                    true => cell + 1,
                    false => {
                        let bits = 3 * (depth - level as u32);
                        let prefix = key(cell) >> bits;
                        first_where(cell + 1, n, |other| key(other) >> bits != prefix)
                    }
                };
                let (center, count) = centroid(&samples[first_sample(cell)..first_sample(end)]);
                *node = Node { center, count, next: first_node(end), level: level as u32 };
                level += 1;
            }
        });
        Ok(())
    }

    /// Returns the cube around the cloud.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Returns the nodes in depth-first order, the root first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns all samples, `[n]`, sorted by cell, in voxels of the finest level from the center of
    /// the cube.
    pub fn samples(&self) -> &[[f32; 3]] {
        &self.samples
    }

    /// Returns the number of finest cells that contain samples, which is the number of samples that
    /// are left after merging.
    pub fn n_cells(&self) -> usize {
        self.n_cells
    }

    /// Returns the number of cubes in a level that contain samples: the nodes of that level and the
    /// leaves above it.
    pub fn n_cubes(&self, level: u32) -> usize {
        let mut cubes = 0;
        self.visit(level, |_| true, |_| cubes += 1);
        cubes
    }

    /// Returns the number of bytes that the tree takes.
    pub fn bytes(&self) -> u64 {
        (self.nodes.capacity() * size_of::<Node>() + self.samples.capacity() * 12) as u64
    }

    /// Traverses the tree down to a level. Passes three kinds of nodes to `take`: nodes that `open`
    /// rejects, nodes of that level, and leaves. Each sample is in exactly one of these nodes.
    #[inline(always)]
    pub fn visit(
        &self,
        level: u32,
        mut open: impl FnMut(&Node) -> bool,
        mut take: impl FnMut(&Node),
    ) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let is_leaf = node.next as usize == at + 1;
            if is_leaf || node.level >= level || !open(node) {
                take(node);
                at = node.next as usize;
            } else {
                at += 1;
            }
        }
    }
}

/// Returns the first index in `low..high` for which a condition holds, or `high` if there is none.
/// Once the condition holds, it must hold for all larger indices. The search starts near `low`.
fn first_where(low: usize, high: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut step) = (low, 1);
    while from + step < high && !holds(from + step) {
        from += step;
        step *= 2;
    }
    let (mut from, mut to) = (from, (from + step).min(high));
    while from < to {
        let middle = from + (to - from) / 2;
        match holds(middle) {
            true => to = middle,
            false => from = middle + 1,
        }
    }
    from
}

/// Number of fixed-point units per voxel in sums of positions. Sums of 2^32 positions of up to 2^13
/// voxels fit in 64 bits.
const PARTS: f64 = (1_u32 << 18) as f64;

/// Rounds a coordinate of a sample to a multiple of 1 / `PARTS`. Sums need no further rounding,
/// and a node with one sample lies exactly at the sample.
fn rounded(u: f64) -> f32 {
    ((u * PARTS + 0.5).floor() / PARTS) as f32
}

/// Returns the mean position of samples and their number. The sums are integers, so any order gives
/// the same result, and a GPU may use differences of sums.
fn centroid(samples: &[[f32; 3]]) -> ([f32; 3], f32) {
    let mut sum = [0_i64; 3];
    for sample in samples {
        (0..3).for_each(|k| sum[k] += (f64::from(sample[k]) * PARTS + 0.5).floor() as i64);
    }
    let count = samples.len() as f64;
    (sum.map(|s| (s as f64 / PARTS / count) as f32), count as f32)
}

/// Returns the number of levels below the root on which the cells of two different keys lie in the
/// same cube.
fn shared(a: u64, b: u64, depth: u32) -> u32 {
    depth - 1 - (63 - (a ^ b).leading_zeros()) / 3
}

/// Interleaves the bits of three coordinates of up to 21 bits, with x in the lowest bit.
fn morton(cell: [u32; 3]) -> u64 {
    let spread = |c: u32| {
        let mut x = u64::from(c) & 0x1f_ffff;
        for (shift, mask) in [
            (32, 0x001f_0000_0000_ffff),
            (16, 0x001f_0000_ff00_00ff),
            (8, 0x100f_00f0_0f00_f00f),
            (4, 0x10c3_0c30_c30c_30c3),
            (2, 0x1249_2492_4924_9249),
        ] {
            x = (x | x << shift) & mask;
        }
        x
    };
    spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2
}

#[cfg(test)]
mod tests;
