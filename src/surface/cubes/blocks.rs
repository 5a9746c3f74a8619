//! Sources of values for marching cubes: the trait for blocks of voxels, and dense boxes as blocks.

use crate::geometry::Real;

/// Values of phi at the voxels of cubic blocks. Voxels in no block are far from the surface.
/// Positions are in voxels.
///
/// Blocks are distinct, and their corners are multiples of [`edge`](Blocks::edge). They are in
/// ascending order of the z, then y, then x coordinate of their corners. If two voxels that are
/// adjacent along an axis differ in sign, at least one of them must lie in a block. A narrow band
/// satisfies this if each voxel with a neighbor of the other sign is in a tile.
pub trait Blocks<R: Real>: Sync {
    /// Returns the number of voxels along an edge of a block, 1 to 64.
    fn edge(&self) -> usize;

    /// Returns the number of blocks.
    fn len(&self) -> usize;

    /// Returns true if there are no blocks.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the voxel with the smallest coordinates in a block. The bounding box of all blocks
    /// must be at most 2^21 - 2 blocks wide.
    fn corner(&self, block: usize) -> [i32; 3];

    /// Writes the values of a block and of `reach` (1 or 2) voxels around it, x fastest, `[(edge +
    /// 2 reach)^3]`.
    ///
    /// Values around the block are those of the neighboring blocks. If there is no neighboring
    /// block, any value of the right sign will do, but all blocks must agree on it. NaN marks a
    /// voxel without a value. No surface is created next to such a voxel.
    fn fill(&self, block: usize, reach: usize, values: &mut [R]);
}

/// Values on a box of voxels, divided into blocks.
///
/// ```
/// use zeroset::surface::cubes::{Dense, Placement, extract};
///
/// // A ball of radius 5 in the middle of 16^3 voxels.
/// let at = |k: usize| [k % 16, k / 16 % 16, k / 256].map(|c| c as f64 - 7.5);
/// let phi: Vec<f64> =
///     (0..4096).map(|k| at(k).iter().map(|c| c * c).sum::<f64>().sqrt() - 5.0).collect();
/// let blocks = Dense { values: &phi, size: [16; 3], edge: 8, beyond: f64::NAN };
/// let mesh = extract(&blocks, &Placement::default(), true)?;
/// assert_eq!(zeroset::mesh::statistics::inspect(&mesh).euler, 2);
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Dense<'a, R> {
    /// Values, x fastest, starting with voxel (0, 0, 0), `[size[0] * size[1] * size[2]]`.
    pub values: &'a [R],
    /// Number of voxels along each axis.
    pub size: [usize; 3],
    /// Number of voxels along an edge of a block, 1 to 64.
    pub edge: usize,
    /// Value outside of the box. NaN leaves the surface open where it reaches the boundary of the
    /// box, and a positive value closes it there.
    pub beyond: R,
}

impl<R: Real> Dense<'_, R> {
    fn blocks(&self) -> [usize; 3] {
        self.size.map(|n| n.div_ceil(self.edge))
    }
}

impl<R: Real> Blocks<R> for Dense<'_, R> {
    fn edge(&self) -> usize {
        self.edge
    }

    fn len(&self) -> usize {
        self.blocks().iter().product()
    }

    fn corner(&self, block: usize) -> [i32; 3] {
        let [nx, ny, _] = self.blocks();
        [block % nx, block / nx % ny, block / (nx * ny)].map(|k| (k * self.edge) as i32)
    }

    fn fill(&self, block: usize, reach: usize, values: &mut [R]) {
        let n = self.edge + 2 * reach;
        let first = self.corner(block).map(|x| x as isize - reach as isize);
        let [nx, ny, nz] = self.size.map(|n| n as isize);
        for (row, values) in values.chunks_exact_mut(n).enumerate() {
            let (y, z) = (first[1] + (row % n) as isize, first[2] + (row / n) as isize);
            let in_box = (0..ny).contains(&y) && (0..nz).contains(&z);
            for (k, value) in values.iter_mut().enumerate() {
                let x = first[0] + k as isize;
                *value = if in_box && (0..nx).contains(&x) {
                    self.values[(x + nx * (y + ny * z)) as usize]
                } else {
                    self.beyond
                };
            }
        }
    }
}

/// Marks a block that does not exist.
pub(super) const NONE: u32 = u32::MAX;

/// The blocks at offsets -1 to 1 from a block along each axis, x fastest, or `NONE`.
pub(super) type Around = [u32; 27];

/// Returns the index in [`Around`] of the block at an offset.
pub(super) fn toward(offset: [i32; 3]) -> usize {
    (13 + offset[0] + 3 * offset[1] + 9 * offset[2]) as usize
}

/// An index that finds blocks by their position.
pub(super) struct Directory {
    keys: Vec<u64>,
}

/// Bits of a key per axis. A key holds the position of its block relative to the lowest coordinates
/// of all blocks, plus 1 along each axis, so that the neighbors at both ends still fit.
const BITS: u32 = 21;

impl Directory {
    /// Creates the index of the blocks of a source.
    ///
    /// # Panics
    /// Panics if the edge of the blocks is not 1 to 64, or if the blocks are not sorted or span too
    /// large a box.
    pub fn new<R: Real>(blocks: &impl Blocks<R>) -> Self {
        let (n, edge) = (blocks.len(), blocks.edge() as i32);
        assert!((1..=64).contains(&edge) && n < NONE as usize, "{n} blocks of edge {edge}");
        let places = |k| -> [i32; 3] { blocks.corner(k).map(|x| x.div_euclid(edge)) };
        let low = (0..n).map(places).reduce(|a, b| std::array::from_fn(|k| a[k].min(b[k])));
        let low = low.unwrap_or_default();
        let key = |k| {
            let place = places(k);
            let [x, y, z] = std::array::from_fn(|a| (place[a] - low[a] + 1) as u64);
            assert!(x.max(y).max(z) < (1 << BITS) - 1, "the blocks span 2^21 blocks or more");
            x | y << BITS | z << (2 * BITS)
        };
        let keys: Vec<u64> = (0..n).map(key).collect();
        assert!(keys.is_sorted_by(|a, b| a < b), "the blocks are not sorted");
        Directory { keys }
    }

    /// Returns the blocks around block `block`.
    pub fn around(&self, block: usize) -> Around {
        let mut around = [NONE; 27];
        let own = self.keys[block];
        for row in 0..9u64 {
            // Each coordinate in a key is one larger than the position, so that subtracting 1 never
            // borrows from the next field.
            let middle = own + ((row % 3) << BITS) + ((row / 3) << (2 * BITS));
            let first = middle - 1 - (1 << BITS) - (1 << (2 * BITS));
            let found = match row {
                4 => block.saturating_sub(1),
                0..4 => self.keys[..block].partition_point(|&key| key < first),
                _ => block + self.keys[block..].partition_point(|&key| key < first),
            };
            for (k, &key) in self.keys.iter().enumerate().skip(found).take(3) {
                if (first..first + 3).contains(&key) {
                    around[(3 * row + key - first) as usize] = k as u32;
                }
            }
        }
        around
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of edge 2 without values.
    struct Some(Vec<[i32; 3]>);

    impl Blocks<f64> for Some {
        fn edge(&self) -> usize {
            2
        }
        fn len(&self) -> usize {
            self.0.len()
        }
        fn corner(&self, block: usize) -> [i32; 3] {
            self.0[block]
        }
        fn fill(&self, _: usize, _: usize, _: &mut [f64]) {}
    }

    #[test]
    fn neighbors_are_those_of_a_search_through_all() {
        let mut places: Vec<[i32; 3]> = Vec::new();
        for k in 0..216 {
            if k * 7 % 5 < 3 {
                places.push([k % 6, k / 6 % 6, k / 36].map(|c| 2 * (c - 3)));
            }
        }
        let blocks = Some(places);
        let directory = Directory::new(&blocks);
        for (b, corner) in blocks.0.iter().enumerate() {
            let around = directory.around(b);
            for k in 0..27 {
                let offset = [k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1];
                let place = std::array::from_fn(|a| corner[a] + 2 * offset[a]);
                let expected = blocks.0.iter().position(|c| *c == place);
                assert_eq!(around[k as usize], expected.map_or(NONE, |k| k as u32));
                assert_eq!(toward(offset), k as usize);
            }
        }
    }

    #[test]
    #[should_panic(expected = "not sorted")]
    fn blocks_out_of_order_are_refused() {
        Directory::new(&Some(vec![[2, 0, 0], [0, 0, 0]]));
    }
}
