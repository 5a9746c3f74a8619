//! Quadtrees and octrees on a GPU: the twin of [`zeroset_core::primitives::Tree`].

use super::histopyramid::{MOST_LEVELS, TreeArgument};
use super::{Value, sharing, tiles};
use crate::{Arguments, Array, Cuda, Unit};
use zeroset_core::error::{DeviceFault, Error, Result};
use zeroset_core::primitives::Leaf;

/// Threads of a block.
const BLOCK: usize = 256;

/// The leaves of a quadtree (pictures) or octree (volumes) over equal values, counted on a GPU.
pub struct DeviceTree {
    unit: Unit,
    base: [u32; 3],
    /// Leaves of the cells of each level from 1 on, as records of this shape.
    levels: Vec<([u32; 3], Array<u32>)>,
}

impl DeviceTree {
    /// The tree of the values of a grid of `shape`, x fastest. Nothing is waited for. It takes 2 bytes a cell at most beside
    /// the values.
    ///
    /// # Errors
    /// [`Error::Device`] for 2^32 cells or more, if there is not enough memory, or the GPU does not answer.
    ///
    /// # Panics
    /// If there is not one value for each cell, or no cell.
    pub fn new<T: Value>(cuda: &Cuda, shape: [u32; 3], values: &Array<T>) -> Result<Self> {
        let n: u64 = shape.iter().map(|&n| u64::from(n)).product();
        assert!(n == values.len() as u64 && n > 0, "one value for each cell, and at least one");
        if u32::try_from(n).is_err() {
            return Err(Error::device_fault(
                DeviceFault::Limit,
                format!("{n} cells of a tree, at most 2^32 - 1 can be"),
                "take the grid in parts",
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
            // SAFETY: the arguments of `tree_level`: the counts below, but for the first, and a slot for each cell.
            unsafe { cuda.launch(&kernel, tiles(slots.div_ceil(BLOCK) as u32), &arguments) }?;
            levels.push((records, counts));
            if cells == [1; 3] {
                return Ok(DeviceTree { unit, base: shape, levels });
            }
            cells = records;
        }
    }

    /// Number of leaves; waits for the tree.
    ///
    /// # Errors
    /// [`Error::Device`] if a kernel before failed.
    pub fn count(&self, cuda: &Cuda) -> Result<usize> {
        let (_, top) = &self.levels[self.levels.len() - 1];
        Ok(cuda.download_part(top, 0..1)?[0] as usize)
    }

    /// All leaves in Z-order; waits for the tree.
    ///
    /// # Errors
    /// [`Error::Device`] if there is not enough memory or the GPU does not answer.
    pub fn leaves(&self, cuda: &Cuda) -> Result<Vec<Leaf>> {
        let n = self.count(cuda)?;
        // SAFETY: the kernel writes all of them.
        let leaves = unsafe { cuda.unset::<u32>(4 * n) }?;
        let mut tree = TreeArgument {
            counts: [0; MOST_LEVELS],
            records: [[0; 3]; MOST_LEVELS],
            base: self.base,
            n_levels: self.levels.len() as u32,
        };
        // Counts of a level stand by the shape of the level above.
        for (k, (records, counts)) in self.levels.iter().enumerate() {
            (tree.counts[k], tree.records[k]) = (counts.address(), *records);
        }
        let arguments = Arguments::default().with(tree).with(n as u32).with_array(&leaves);
        let kernel = cuda.kernel(&self.unit, "tree_leaves")?;
        // SAFETY: the arguments of `tree_leaves`, with room for as many leaves as were counted.
        unsafe { cuda.launch(&kernel, sharing(cuda, n), &arguments) }?;
        let leaf = |&[x, y, z, level]: &[u32; 4]| Leaf { cell: [x, y, z], level };
        Ok(cuda.download(&leaves)?.as_chunks().0.iter().map(leaf).collect())
    }
}
