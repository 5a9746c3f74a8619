//! A slice of a volume as a sparse matrix (Ziegler et al. 2006, section 7.3).

use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::primitives::Coo;
use crate::volume::Volume;

/// Returns a volume of one slice as a sparse matrix.
///
/// Without a `condition`, the entries are the values that are not 0, including NaN. A `condition`
/// is an expression in v, x, y, z, i, j and k. With a condition, the entries are the values of the
/// voxels where the condition is neither 0 nor NaN. The rows of the matrix are the lines of the
/// slice along x. If the matrix is `turned`, they are the lines along y.
///
/// ```
/// use zeroset_core::points::entries;
/// use zeroset_core::volume::{Placement, Volume};
///
/// let slice = Volume::new([3, 2, 1], vec![0_u8, 5, 0, 7, 0, 8].into(), Placement::identity())?;
/// let turned = entries(&slice, true, None)?;
/// assert_eq!((turned.rows, turned.columns), (vec![0, 1, 2], vec![1, 0, 1]));
/// assert_eq!(turned.values, [7.0, 5.0, 8.0]);
/// # Ok::<(), zeroset_core::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Case`] if the volume has several slices, or if the condition uses time or any
/// other name. Returns [`Error::Device`] if there are 2^32 entries or more, or if there is not
/// enough memory.
pub fn entries(volume: &Volume, turned: bool, condition: Option<&Expression>) -> Result<Coo<f64>> {
    let shape = matrix_of(volume)?;
    let values = volume.to_f64();
    let found = match condition {
        None => Coo::from_dense(shape, &values, |value| value != 0.0)?,
        Some(condition) => {
            let dense: Vec<(f64, bool)> =
                values.into_iter().zip(volume.select(condition)?).collect();
            let Coo { rows, columns, values } = Coo::from_dense(shape, &dense, |(_, taken)| taken)?;
            Coo { rows, columns, values: values.into_iter().map(|(value, _)| value).collect() }
        }
    };
    Ok(if turned { found.transposed() } else { found })
}

/// Returns the numbers of rows and columns of a slice.
///
/// # Errors
/// Returns [`Error::Case`] if the volume has several slices.
pub fn matrix_of(volume: &Volume) -> Result<[usize; 2]> {
    match volume.shape() {
        [nx, ny, 1] => Ok([ny, nx]),
        [nx, ny, nz] => {
            let what = format!("an array of {nx} x {ny} x {nz} numbers is not a matrix");
            Err(Error::usage(what, "use an array with two axes, or a picture"))
        }
    }
}
