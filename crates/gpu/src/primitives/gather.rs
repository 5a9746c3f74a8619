//! The gathering matrix by a sort.

use super::{kernel, numbered, sharing, sort};
use crate::{Arguments, Array, Cuda};
use zeroset_core::error::Result;
use zeroset_core::primitives::GatherMatrix;

/// [`GatherMatrix`] on a GPU.
pub struct DeviceGatherMatrix {
    /// First column of each row, `[n_rows + 1]`.
    pub offsets: Array<u32>,
    /// Slots of each row in ascending order, then those that are left out: `[n_slots]`.
    pub columns: Array<u32>,
}

impl DeviceGatherMatrix {
    /// Sorts the slots `0..rows_of_slots.len()` stably by their row, as [`GatherMatrix::new`] does;
    /// those whose row is `n_rows` or beyond are left out.
    ///
    /// # Errors
    /// As [`sort`].
    pub fn new(cuda: &Cuda, n_rows: u32, rows_of_slots: &Array<u32>) -> Result<Self> {
        let n = rows_of_slots.len();
        let count = numbered(n, "slots")?;
        let keys = cuda.zeros::<u32>(n)?;
        let launch = sharing(cuda, n + 1);
        let arguments = Arguments::default()
            .with_array(rows_of_slots)
            .with(count)
            .with(n_rows)
            .with_array(&keys);
        // SAFETY: the arguments of `gather_keys`, both arrays with a number per slot.
        unsafe { cuda.launch(&kernel(cuda, FILE, "gather_keys")?, launch, &arguments) }?;
        // Keys are at most n_rows.
        let sorted = sort(cuda, &keys, None, u32::BITS - n_rows.leading_zeros())?;
        let offsets = cuda.zeros::<u32>(n_rows as usize + 1)?;
        let arguments = Arguments::default()
            .with_array(&sorted.keys)
            .with(count)
            .with(n_rows)
            .with_array(&offsets);
        // SAFETY: the arguments of `gather_offsets`; sorted keys, an offset per row and the last.
        unsafe { cuda.launch(&kernel(cuda, FILE, "gather_offsets")?, launch, &arguments) }?;
        Ok(DeviceGatherMatrix { offsets, columns: sorted.values })
    }

    /// The matrix on the host.
    ///
    /// # Errors
    /// [`Error::Device`](zeroset_core::Error::Device) if a kernel before failed.
    pub fn download(&self, cuda: &Cuda) -> Result<GatherMatrix> {
        let offsets = cuda.download(&self.offsets)?;
        let mut columns = cuda.download(&self.columns)?;
        columns.truncate(offsets.last().map_or(0, |&end| end as usize));
        Ok(GatherMatrix { offsets, columns })
    }
}

const FILE: &str = "primitives/gather";
