//! Cells of keys, keys of cells, counts of boxes: a descent or ascent for each.

use std::ops::Range;

use super::super::sharing;
use super::{BLOCK, DeviceHistoPyramid};
use crate::{Arguments, Array, Cuda, Element, Launch, Unit};
use zeroset_core::error::Result;
use zeroset_core::primitives::Stored;

/// Warps of a block.
const WARPS: usize = BLOCK / 32;
/// Most warps that share a box.
const MOST_PARTS: usize = 256;

impl DeviceHistoPyramid {
    /// What stands for a key, a coordinate or the number of a copy where there is none.
    pub const NONE: u32 = u32::MAX;

    /// The active cells of a range of keys; keys beyond the last are left out, for which the pyramid is waited for as by
    /// [`DeviceHistoPyramid::len`].
    ///
    /// # Errors
    /// [`Error::Device`](zeroset_core::Error::Device) if there is not enough memory or the GPU does not answer.
    pub fn cells(&self, cuda: &Cuda, keys: Range<usize>) -> Result<Array<[u32; 3]>> {
        let n = keys.end.min(self.len(cuda)?).saturating_sub(keys.start);
        self.find_cells(cuda, 0, keys.start, n)
    }

    /// The active cell of each key, three times [`DeviceHistoPyramid::NONE`] for keys that are not below their number.
    ///
    /// # Errors
    /// As [`DeviceHistoPyramid::cells`].
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
        // SAFETY: the arguments of `histopyramid_cells` but the last.
        unsafe { self.ask(cuda, "histopyramid_cells", given.with(n as u64), n) }
    }

    /// Cells and numbers of the copy of a range of entries, where each active cell has `copies` entries in succession (the
    /// paper's section 6.2): x, y, z and the number. Entries beyond the last are left out, for which the pyramid is waited for
    /// as by [`DeviceHistoPyramid::len`].
    ///
    /// # Errors
    /// As [`DeviceHistoPyramid::cells`].
    ///
    /// # Panics
    /// If `copies` is 0.
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

    /// The cell of each entry, and which of its `copies` that is: x, y, z and the number, all of them
    /// [`DeviceHistoPyramid::NONE`] for entries beyond the last.
    ///
    /// # Errors
    /// As [`DeviceHistoPyramid::cells`].
    ///
    /// # Panics
    /// If `copies` is 0.
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
        assert!(copies > 0, "at least one entry for each cell");
        let given = Arguments::default().with(self.argument()).with(entries).with(first as u64);
        // SAFETY: the arguments of `histopyramid_entries` but the last.
        unsafe { self.ask(cuda, "histopyramid_entries", given.with(n as u64).with(copies), n) }
    }

    /// The key of each cell, [`DeviceHistoPyramid::NONE`] for those that are not active or outside of the grid.
    ///
    /// # Errors
    /// As [`DeviceHistoPyramid::cells`].
    pub fn key(&self, cuda: &Cuda, cells: &Array<[u32; 3]>) -> Result<Array<u32>> {
        let n = cells.len();
        let given = Arguments::default().with(self.argument()).with_array(cells).with(n as u64);
        // SAFETY: the arguments of `histopyramid_keys` but the last.
        unsafe { self.ask(cuda, "histopyramid_keys", given, n) }
    }

    /// Launches a kernel that answers `n` questions into its last argument.
    ///
    /// # Safety
    /// The arguments before are those of the kernel.
    unsafe fn ask<T: Element>(
        &self,
        cuda: &Cuda,
        name: &str,
        given: Arguments,
        n: usize,
    ) -> Result<Array<T>> {
        // SAFETY: the kernels write an answer for each question.
        let answers = unsafe { cuda.unset::<T>(n) }?;
        let kernel = cuda.kernel(&self.find_unit()?, name)?;
        // SAFETY: by the caller's promise, and an answer for each question.
        unsafe { cuda.launch(&kernel, sharing(cuda, n.max(1)), &given.with_array(&answers)) }?;
        Ok(answers)
    }

    /// Number of active cells in each box, from its first to the second corner without the latter along each axis; what lies
    /// outside of the grid counts as empty. Only blocks that a face of the box cuts are looked into, by several warps for a box
    /// where there are few.
    ///
    /// # Errors
    /// As [`DeviceHistoPyramid::cells`].
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
        // SAFETY: the arguments of `histopyramid_counts`, a count of zero for each box.
        unsafe { cuda.launch(&kernel, launch, &arguments) }?;
        Ok(counts)
    }

    fn find_unit(&self) -> Result<Unit> {
        let defines = self.split.defines(self.stored == Stored::PartialSums);
        Unit::with("primitives/histopyramid/find", defines)
    }
}
