//! A slice as a sparse matrix on a GPU: the twin of [`entries`](zeroset_core::points::entries()).

use super::{check_number, criterion, room};
use crate::Cuda;
use crate::primitives::DeviceCoo;
use zeroset_core::error::Result;
use zeroset_core::expression::Expression;
use zeroset_core::points::Criterion;
use zeroset_core::points::entries::matrix_of;
use zeroset_core::primitives::Coo;
use zeroset_core::volume::Volume;

/// Bytes on the GPU for a number of the slice and its mark.
const OF_NUMBER: u64 = 9;

/// The entries of a volume of one slice that are not 0, or where an expression holds, as [`entries`](zeroset_core::points::entries())
/// gives them. They are picked out on the GPU; a matrix that is `turned` comes into the order of its rows on the CPU.
///
/// # Errors
/// [`Error::Case`](zeroset_core::Error::Case) for several slices; those of [`find_on`](super::find_on).
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
