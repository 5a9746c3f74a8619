//! Queries of a HistoPyramid: the cells of keys or list entries, the keys of cells, and the number
//! of active cells in boxes. A query for a cell or a key traverses the pyramid once.

use std::ops::Range;

use super::super::sharing;
use super::{BLOCK, DeviceHistoPyramid};
use crate::{Arguments, Array, Cuda, Element, Launch, Unit};
use zeroset_core::error::Result;
use zeroset_core::primitives::Stored;

/// The number of warps per block.
const WARPS: usize = BLOCK / 32;
/// The largest number of warps that share a box.
const MOST_PARTS: usize = 256;

impl DeviceHistoPyramid {
    /// The placeholder for a key, coordinate or copy index that does not exist.
    pub const NONE: u32 = u32::MAX;

    /// Returns the active cells of a range of keys. Keys beyond the last key are left out. To find
    /// the last key, the call waits for the pyramid, as [`DeviceHistoPyramid::len`] does.
    ///
    /// # Errors
    /// Returns [`Error::Device`](zeroset_core::Error::Device) if there is not enough memory, or if
    /// the GPU does not respond.
    pub fn cells(&self, cuda: &Cuda, keys: Range<usize>) -> Result<Array<[u32; 3]>> {
        let n = keys.end.min(self.len(cuda)?).saturating_sub(keys.start);
        self.find_cells(cuda, 0, keys.start, n)
    }

    /// Returns the active cell of each key. For keys that are not below the number of active cells,
    /// all three coordinates are [`DeviceHistoPyramid::NONE`].
    ///
    /// # Errors
    /// Returns the errors of [`DeviceHistoPyramid::cells`].
    pub fn cell(&self, cuda: &Cuda, keys: &Array<u32>) -> Result<Array<[u32; 3]>> {
        self.find_cells(cuda, keys.address(), 0, keys.len())
    }

    fn find_cells(
        &self,
        cuda: &Cuda,
        keys: u64,
        first: usize,
        n: usize,
    ) -> Result<Array<[u32; 3]>> {
        let given = Arguments::default().with(self.argument()).with(keys).with(first as u64);
        // SAFETY: these are the arguments of `histopyramid_cells` except the last.
        unsafe { self.ask(cuda, "histopyramid_cells", given.with(n as u64), n) }
    }

    /// Returns x, y, z and the copy index for a range of entries, in a list where each active cell
    /// has `copies` consecutive entries (Ziegler et al. 2006, section 6.2). Entries beyond the last
    /// entry are left out. To find the last entry, the call waits for the pyramid like
    /// [`DeviceHistoPyramid::len`].
    ///
    /// # Errors
    /// Returns the errors of [`DeviceHistoPyramid::cells`].
    ///
    /// # Panics
    /// Panics if `copies` is 0.
    pub fn entries(
        &self,
        cuda: &Cuda,
        entries: Range<usize>,
        copies: u32,
    ) -> Result<Array<[u32; 4]>> {
        let all = self.len(cuda)?.saturating_mul(copies as usize);
        let n = entries.end.min(all).saturating_sub(entries.start);
        self.find_entries(cuda, 0, entries.start, n, copies)
    }

    /// Returns the cell of each entry and the index of its copy: x, y, z and the copy index. All
    /// four numbers are [`DeviceHistoPyramid::NONE`] for entries beyond the last.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceHistoPyramid::cells`].
    ///
    /// # Panics
    /// Panics if `copies` is 0.
    pub fn entry(&self, cuda: &Cuda, entries: &Array<u64>, copies: u32) -> Result<Array<[u32; 4]>> {
        self.find_entries(cuda, entries.address(), 0, entries.len(), copies)
    }

    fn find_entries(
        &self,
        cuda: &Cuda,
        entries: u64,
        first: usize,
        n: usize,
        copies: u32,
    ) -> Result<Array<[u32; 4]>> {
        assert!(copies > 0, "there must be at least one entry per cell");
        let given = Arguments::default().with(self.argument()).with(entries).with(first as u64);
        // SAFETY: these are the arguments of `histopyramid_entries` except the last.
        unsafe { self.ask(cuda, "histopyramid_entries", given.with(n as u64).with(copies), n) }
    }

    /// Returns the key of each cell, or [`DeviceHistoPyramid::NONE`] for cells that are not active
    /// or lie outside the grid.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceHistoPyramid::cells`].
    pub fn key(&self, cuda: &Cuda, cells: &Array<[u32; 3]>) -> Result<Array<u32>> {
        let n = cells.len();
        let given = Arguments::default().with(self.argument()).with_array(cells).with(n as u64);
        // SAFETY: these are the arguments of `histopyramid_keys` except the last.
        unsafe { self.ask(cuda, "histopyramid_keys", given, n) }
    }

    /// Launches a kernel that writes `n` results to its last argument.
    ///
    /// # Safety
    /// The other arguments must match the kernel.
    unsafe fn ask<T: Element>(
        &self,
        cuda: &Cuda,
        name: &str,
        given: Arguments,
        n: usize,
    ) -> Result<Array<T>> {
        // SAFETY: the kernels write one result per query.
        let answers = unsafe { cuda.unset::<T>(n) }?;
        let kernel = cuda.kernel(&self.find_unit()?, name)?;
        // SAFETY: the caller guarantees the other arguments, and there is room for one result per
        // query.
        unsafe { cuda.launch(&kernel, sharing(cuda, n.max(1)), &given.with_array(&answers)) }?;
        Ok(answers)
    }

    /// Returns the number of active cells in each box. A box includes its first corner and excludes
    /// its second corner along each axis. Cells outside the grid count as inactive. The traversal
    /// enters only blocks that are cut by a face of the box. If there are few boxes, several warps
    /// share each of them.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceHistoPyramid::cells`].
    pub fn count(&self, cuda: &Cuda, boxes: &Array<[[u32; 3]; 2]>) -> Result<Array<u32>> {
        let n = boxes.len();
        let counts = cuda.zeros::<u32>(n)?;
        let most = 8 * cuda.info().multiprocessors as usize;
        let parts = (most * WARPS / n.max(1)).clamp(1, MOST_PARTS);
        let grid = (n * parts).div_ceil(WARPS).clamp(1, most) as u32;
        let arguments = Arguments::default()
            .with(self.argument())
            .with_array(boxes)
            .with(n as u64)
            .with(parts as u32)
            .with_array(&counts);
        let kernel = cuda.kernel(&self.find_unit()?, "histopyramid_counts")?;
        let launch = Launch { grid, block: BLOCK as u32, shared: 0, cooperative: false };
        // SAFETY: the arguments match `histopyramid_counts`, with a count of zero per box.
        unsafe { cuda.launch(&kernel, launch, &arguments) }?;
        Ok(counts)
    }

    fn find_unit(&self) -> Result<Unit> {
        let defines = self.split.defines(self.stored == Stored::PartialSums);
        Unit::with("primitives/histopyramid/find", defines)
    }
}
