//! Quadtrees and octrees on a GPU: the counterpart of [`zeroset_core::primitives::Tree`].

use super::histopyramid::{MOST_LEVELS, TreeArgument};
use super::{Value, sharing, tiles};
use crate::{Arguments, Array, Cuda, Unit};
use zeroset_core::error::{DeviceFault, Error, Result};
use zeroset_core::primitives::Leaf;

/// The number of threads per block.
const BLOCK: usize = 256;

/// A quadtree (for pictures) or an octree (for volumes) on a GPU. Each leaf covers cells with equal
/// values. The tree stores, for each of its cells, the number of leaves below the cell.
pub struct DeviceTree {
    unit: Unit,
    base: [u32; 3],
    /// For every level starting at 1, the number of records along each axis, and the number of
    /// leaves below each cell, record by record.
    levels: Vec<([u32; 3], Array<u32>)>,
}

impl DeviceTree {
    /// Builds the tree of the values of a grid of `shape`, x fastest, without waiting for the
    /// result. In addition to the values, the tree of a large grid takes about 4/3 bytes (quadtree)
    /// or 4/7 bytes (octree) per cell.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there are 2^32 cells or more, if there is not enough memory, or
    /// if the GPU does not respond.
    ///
    /// # Panics
    /// Panics if there is no cell, or if there is not exactly one value per cell.
    pub fn new<T: Value>(cuda: &Cuda, shape: [u32; 3], values: &Array<T>) -> Result<Self> {
        let n: u64 = shape.iter().map(|&n| u64::from(n)).product();
        assert!(
            n == values.len() as u64 && n > 0,
            "there must be one value per cell, and at least one cell"
        );
        if u32::try_from(n).is_err() {
            return Err(Error::device_fault(
                DeviceFault::Limit,
                format!("a tree of {n} cells, but at most 2^32 - 1 are supported"),
                "split the grid into parts",
            ));
        }
        let fan = if shape[2] > 1 { 8 } else { 4 };
        let defines = vec![("FAN", fan.to_string()), ("VALUE", T::NAME.to_string())];
        let unit = Unit::with("primitives/tree", defines)?;
        let kernel = cuda.kernel(&unit, "tree_level")?;
        let above = |s: [u32; 3]| {
            let z = if fan == 8 { s[2].div_ceil(2) } else { s[2] };
            [s[0].div_ceil(2), s[1].div_ceil(2), z]
        };
        let mut levels: Vec<([u32; 3], Array<u32>)> = Vec::new();
        let mut cells = above(shape);
        loop {
            let records = above(cells);
            let slots = records.iter().map(|&n| n as usize).product::<usize>() * fan;
            // SAFETY: the kernel writes all slots.
            let counts = unsafe { cuda.unset::<u32>(slots) }?;
            let below = levels.last().map_or(0, |(_, counts)| counts.address());
            let arguments = Arguments::default()
                .with_array(values)
                .with(shape)
                .with(below)
                .with(cells)
                .with(levels.len() as u32 + 1)
                .with(records)
                .with_array(&counts);
            // SAFETY: the arguments match `tree_level`: the counts of the level below (except for
            // the first level), and one slot per cell.
            unsafe { cuda.launch(&kernel, tiles(slots.div_ceil(BLOCK) as u32), &arguments) }?;
            levels.push((records, counts));
            if cells == [1; 3] {
                return Ok(DeviceTree { unit, base: shape, levels });
            }
            cells = records;
        }
    }

    /// Waits for the tree and returns the number of leaves.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if an earlier kernel failed.
    pub fn count(&self, cuda: &Cuda) -> Result<usize> {
        let (_, top) = &self.levels[self.levels.len() - 1];
        Ok(cuda.download_part(top, 0..1)?[0] as usize)
    }

    /// Waits for the tree and returns all leaves in Z-order.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is not enough memory, or if the GPU does not respond.
    pub fn leaves(&self, cuda: &Cuda) -> Result<Vec<Leaf>> {
        let n = self.count(cuda)?;
        // SAFETY: the kernel writes all leaves.
        let leaves = unsafe { cuda.unset::<u32>(4 * n) }?;
        let mut tree = TreeArgument {
            counts: [0; MOST_LEVELS],
            records: [[0; 3]; MOST_LEVELS],
            base: self.base,
            n_levels: self.levels.len() as u32,
        };
        // The counts of a level are stored in records, in the shape of the level above.
        for (k, (records, counts)) in self.levels.iter().enumerate() {
            (tree.counts[k], tree.records[k]) = (counts.address(), *records);
        }
        let arguments = Arguments::default().with(tree).with(n as u32).with_array(&leaves);
        let kernel = cuda.kernel(&self.unit, "tree_leaves")?;
        // SAFETY: the arguments match `tree_leaves`, with room for all counted leaves.
        unsafe { cuda.launch(&kernel, sharing(cuda, n), &arguments) }?;
        let leaf = |&[x, y, z, level]: &[u32; 4]| Leaf { cell: [x, y, z], level };
        Ok(cuda.download(&leaves)?.as_chunks().0.iter().map(leaf).collect())
    }
}
