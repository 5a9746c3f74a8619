//! Construction of the gathering matrix by sorting.

use super::{kernel, numbered, sharing, sort};
use crate::{Arguments, Array, Cuda};
use zeroset_core::error::Result;
use zeroset_core::primitives::GatherMatrix;

/// A [`GatherMatrix`] on a GPU.
pub struct DeviceGatherMatrix {
    /// The index in `columns` of the first slot of each row, `[n_rows + 1]`.
    pub offsets: Array<u32>,
    /// The slots of each row in ascending order, followed by the slots that belong to no row:
    /// `[n_slots]`.
    pub columns: Array<u32>,
}

impl DeviceGatherMatrix {
    /// Sorts the slots `0..rows_of_slots.len()` stably by row, like [`GatherMatrix::new`]. Slots
    /// whose row is `n_rows` or greater belong to no row.
    ///
    /// # Errors
    /// Returns the errors of [`sort`].
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
        // SAFETY: the arguments match `gather_keys`, and both arrays have one number per slot.
        unsafe { cuda.launch(&kernel(cuda, FILE, "gather_keys")?, launch, &arguments) }?;
        // Keys are at most `n_rows`.
        let sorted = sort(cuda, &keys, None, u32::BITS - n_rows.leading_zeros())?;
        let offsets = cuda.zeros::<u32>(n_rows as usize + 1)?;
        let arguments = Arguments::default()
            .with_array(&sorted.keys)
            .with(count)
            .with(n_rows)
            .with_array(&offsets);
        // SAFETY: the arguments match `gather_offsets`: sorted keys, and one offset per row plus
        // one.
        unsafe { cuda.launch(&kernel(cuda, FILE, "gather_offsets")?, launch, &arguments) }?;
        Ok(DeviceGatherMatrix { offsets, columns: sorted.values })
    }

    /// Copies the matrix to the host.
    ///
    /// # Errors
    /// Returns [`Error::Device`](zeroset_core::Error::Device) if an earlier kernel failed.
    pub fn download(&self, cuda: &Cuda) -> Result<GatherMatrix> {
        let offsets = cuda.download(&self.offsets)?;
        let mut columns = cuda.download(&self.columns)?;
        columns.truncate(offsets.last().map_or(0, |&end| end as usize));
        Ok(GatherMatrix { offsets, columns })
    }
}

const FILE: &str = "primitives/gather";
