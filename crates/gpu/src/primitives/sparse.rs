//! Conversion of dense matrices to sparse ones on a GPU: the counterparts of
//! [`zeroset_core::primitives::Coo`] and [`zeroset_core::primitives::Csr`].

use super::{Set, Value, compact, sharing};
use crate::{Arguments, Array, Cuda, Unit};
use zeroset_core::error::{Error, Result};

/// A sparse matrix as a list of entries with their rows and columns, row by row.
pub struct DeviceCoo<T: Value> {
    /// The row of each entry.
    pub rows: Array<u32>,
    /// The column of each entry, ascending within a row.
    pub columns: Array<u32>,
    /// The value of each entry.
    pub values: Array<T>,
}

/// A sparse matrix as a list of entries, row by row, with the index of the first entry of each row.
pub struct DeviceCsr<T: Value> {
    /// The index of the first entry of each row, followed by the number of entries: `[n_rows + 1]`.
    pub offsets: Array<u32>,
    /// The column of each entry, ascending within a row.
    pub columns: Array<u32>,
    /// The value of each entry.
    pub values: Array<T>,
}

/// Returns the unit of the kernels for entries of type `T`.
fn unit<T: Value>() -> Result<Unit> {
    Unit::new("primitives/sparse", &[("VALUE", T::NAME)])
}

/// Checks that the number of items matches the shape.
fn check([n_rows, n_columns]: [u32; 2], n: usize, items: &str) -> Result<()> {
    if u64::from(n_rows) * u64::from(n_columns) == n as u64 {
        return Ok(());
    }
    let what = format!("a matrix of {n_rows} x {n_columns} from {n} {items}");
    Err(Error::usage(what, "give one number per row and column"))
}

/// The entries to keep, by their indices in a dense matrix.
struct NonZeros {
    unit: Unit,
    numbers: Array<u32>,
    shape: [u32; 2],
}

impl NonZeros {
    /// Selects the entries that are not 0.
    fn not_zero<T: Value>(cuda: &Cuda, shape: [u32; 2], dense: &Array<T>) -> Result<Self> {
        check(shape, dense.len(), "numbers")?;
        let unit = unit::<T>()?;
        let n = dense.len();
        // SAFETY: the kernel writes all marks.
        let marks = unsafe { cuda.unset::<u8>(n) }?;
        let arguments = Arguments::default().with_array(dense).with(n as u64).with_array(&marks);
        let kernel = cuda.kernel(&unit, "sparse_mark")?;
        // SAFETY: the arguments match `sparse_mark`, with one mark per entry.
        unsafe { cuda.launch(&kernel, sharing(cuda, n), &arguments) }?;
        Ok(NonZeros { unit, numbers: compact(cuda, Set::Bytes(&marks, 1))?, shape })
    }

    /// Returns the columns and values of the entries to keep, and writes their rows to `rows` if it
    /// is given.
    fn entries<T: Value>(
        &self,
        cuda: &Cuda,
        dense: &Array<T>,
        rows: Option<&Array<u32>>,
    ) -> Result<(Array<u32>, Array<T>)> {
        let n = self.numbers.len();
        // SAFETY: the kernel writes every element of both arrays.
        let (columns, values) = unsafe { (cuda.unset(n)?, cuda.unset(n)?) };
        let arguments = Arguments::default()
            .with_array(dense)
            .with_array(&self.numbers)
            .with(n as u32)
            .with(self.shape[1])
            .with(rows.map_or(0, Array::address))
            .with_array(&columns)
            .with_array(&values);
        let kernel = cuda.kernel(&self.unit, "sparse_entries")?;
        // SAFETY: the arguments match `sparse_entries`, with room for every entry.
        unsafe { cuda.launch(&kernel, sharing(cuda, n), &arguments) }?;
        Ok((columns, values))
    }
}

impl<T: Value> DeviceCoo<T> {
    /// Returns the nonzero entries of a dense matrix, `[n_rows * n_columns]` row by row.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the number of values is not `n_rows * n_columns`. Returns
    /// [`Error::Device`] if there are 2^32 values or more, if there is not enough memory, or if the
    /// GPU does not respond.
    pub fn from_dense(cuda: &Cuda, shape: [u32; 2], dense: &Array<T>) -> Result<Self> {
        Self::of(cuda, dense, &NonZeros::not_zero(cuda, shape, dense)?)
    }

    /// Returns those entries of a dense matrix whose flags are set. There must be one flag per
    /// value.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceCoo::from_dense`], and [`Error::Case`] if there is not exactly
    /// one flag per value.
    pub fn from_flags(cuda: &Cuda, shape: [u32; 2], dense: &Array<T>, flags: Set) -> Result<Self> {
        check(shape, dense.len(), "numbers")?;
        check(shape, flags.len(), "flags")?;
        Self::of(
            cuda,
            dense,
            &NonZeros { unit: unit::<T>()?, numbers: compact(cuda, flags)?, shape },
        )
    }

    fn of(cuda: &Cuda, dense: &Array<T>, kept: &NonZeros) -> Result<Self> {
        // SAFETY: the rows are written together with the columns.
        let rows = unsafe { cuda.unset(kept.numbers.len()) }?;
        let (columns, values) = kept.entries(cuda, dense, Some(&rows))?;
        Ok(DeviceCoo { rows, columns, values })
    }
}

impl<T: Value> DeviceCsr<T> {
    /// Returns the nonzero entries of a dense matrix, `[n_rows * n_columns]` row by row.
    ///
    /// # Errors
    /// Returns the errors of [`DeviceCoo::from_dense`].
    pub fn from_dense(cuda: &Cuda, shape: [u32; 2], dense: &Array<T>) -> Result<Self> {
        let kept = NonZeros::not_zero(cuda, shape, dense)?;
        let (columns, values) = kept.entries(cuda, dense, None)?;
        let n_rows = shape[0] as usize;
        // SAFETY: the kernel writes all offsets.
        let offsets = unsafe { cuda.unset(n_rows + 1) }?;
        let arguments = Arguments::default()
            .with_array(&kept.numbers)
            .with(kept.numbers.len() as u32)
            .with(shape[0])
            .with(shape[1])
            .with_array(&offsets);
        let kernel = cuda.kernel(&kept.unit, "sparse_offsets")?;
        // SAFETY: the arguments match `sparse_offsets`, with one offset per row plus one.
        unsafe { cuda.launch(&kernel, sharing(cuda, n_rows + 1), &arguments) }?;
        Ok(DeviceCsr { offsets, columns, values })
    }
}
