//! Conversion of a slice to a sparse matrix on a GPU: the counterpart of
//! [`entries`](zeroset_core::points::entries()).

use super::{check_number, criterion, room};
use crate::Cuda;
use crate::primitives::DeviceCoo;
use zeroset_core::error::Result;
use zeroset_core::expression::Expression;
use zeroset_core::points::Criterion;
use zeroset_core::points::sparse_slice::matrix_of;
use zeroset_core::primitives::Coo;
use zeroset_core::volume::Volume;

/// The bytes on the GPU per value of the slice, including its mark.
const OF_NUMBER: u64 = 9;

/// Returns the entries of a single-slice volume that are not 0 or, if an expression is given, those
/// for which it holds, like [`entries`](zeroset_core::points::entries()).
///
/// The GPU selects the entries. If `turned` is true, the matrix is transposed, and the CPU sorts
/// the entries by row.
///
/// # Errors
/// Returns [`Error::Case`](zeroset_core::Error::Case) if there are several slices, and the errors
/// of [`find_on`](super::find_on).
pub fn entries_on(
    cuda: &Cuda,
    volume: &Volume,
    turned: bool,
    condition: Option<&Expression>,
) -> Result<Coo<f64>> {
    let shape = matrix_of(volume)?;
    check_number(volume)?;
    let shape = shape.map(|n| n as u32);
    let bits = condition
        .map(|expression| criterion::bits(cuda, volume, &[Criterion::Holds(expression)]))
        .transpose()?;
    room(cuda, OF_NUMBER * volume.n_voxels() as u64, "the matrix and its marks")?;
    let dense = cuda.upload(&volume.to_f64())?;
    let found = match &bits {
        Some(bits) => DeviceCoo::from_flags(cuda, shape, &dense, bits.set())?,
        None => DeviceCoo::from_dense(cuda, shape, &dense)?,
    };
    let found = Coo {
        rows: cuda.download(&found.rows)?,
        columns: cuda.download(&found.columns)?,
        values: cuda.download(&found.values)?,
    };
    Ok(if turned { found.transposed() } else { found })
}
