//! Conversion of dense matrices to sparse ones (Ziegler et al. 2006, section 7.3).

use super::discriminator::{Chosen, place};
use super::histopyramid::{HistoPyramid, Order, Stored};
use super::sort::sort;
use crate::error::{Error, Result};

/// A sparse matrix as a list of entries with their rows and columns, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Coo<T> {
    /// The row of each entry.
    pub rows: Vec<u32>,
    /// The column of each entry, ascending within a row.
    pub columns: Vec<u32>,
    /// The value of each entry, `[entries]`.
    pub values: Vec<T>,
}

/// A sparse matrix as a list of entries, row by row, with the index of the first entry of each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr<T> {
    /// The index of the first entry of each row, followed by the number of entries: `[n_rows + 1]`.
    pub offsets: Vec<u32>,
    /// The column of each entry, ascending within a row.
    pub columns: Vec<u32>,
    /// The value of each entry, `[entries]`.
    pub values: Vec<T>,
}

/// Returns the pyramid over the entries to keep, and their positions.
fn kept<T: Copy + Sync>(
    [n_rows, n_columns]: [usize; 2],
    dense: &[T],
    keep: impl Fn(T) -> bool + Sync,
) -> Result<(HistoPyramid, Vec<[u32; 3]>)> {
    if n_rows.checked_mul(n_columns) != Some(dense.len()) {
        let what =
            format!("a matrix of {n_rows} x {n_columns} cannot hold {} numbers", dense.len());
        return Err(Error::usage(what, "give one number per row and column"));
    }
    let shape = [n_columns, n_rows, 1];
    let choose = |cell| keep(dense[place(shape, cell)]);
    let pyramid = HistoPyramid::new(&Chosen { shape, choose }, Order::Lines, Stored::PartialSums)?;
    let list = pyramid.list()?;
    Ok((pyramid, list))
}

impl<T: Copy + Sync> Coo<T> {
    /// Returns the entries of a dense matrix, `[n_rows * n_columns]` row by row, for which `keep`
    /// holds.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there is not exactly one number per row and column. Returns
    /// [`Error::Device`] if there are 2^32 or more entries, or if there is not enough memory.
    pub fn from_dense(
        shape: [usize; 2],
        dense: &[T],
        keep: impl Fn(T) -> bool + Sync,
    ) -> Result<Self> {
        let (_, list) = kept(shape, dense, keep)?;
        let value = |c: &[u32; 3]| dense[c[1] as usize * shape[1] + c[0] as usize];
        Ok(Coo {
            rows: list.iter().map(|c| c[1]).collect(),
            columns: list.iter().map(|c| c[0]).collect(),
            values: list.iter().map(value).collect(),
        })
    }

    /// Returns the transposed matrix, again row by row.
    ///
    /// ```
    /// use zeroset_core::primitives::Coo;
    ///
    /// let matrix = Coo::from_dense([2, 3], &[0, 5, 7, 8, 0, 9], |x| x != 0)?.transposed();
    /// assert_eq!((matrix.rows, matrix.columns), (vec![0, 1, 2, 2], vec![1, 0, 0, 1]));
    /// assert_eq!(matrix.values, [8, 5, 7, 9]);
    /// # Ok::<(), zeroset_core::Error>(())
    /// ```
    pub fn transposed(self) -> Self {
        let order = sort(&self.columns, None, u32::BITS);
        Coo {
            rows: order.keys,
            columns: order.values.iter().map(|&k| self.rows[k as usize]).collect(),
            values: order.values.iter().map(|&k| self.values[k as usize]).collect(),
        }
    }
}

impl<T: Copy + Sync> Csr<T> {
    /// Returns the entries of a dense matrix, `[n_rows * n_columns]` row by row, for which `keep`
    /// holds.
    ///
    /// ```
    /// use zeroset_core::primitives::Csr;
    ///
    /// let matrix = Csr::from_dense([3, 2], &[0., 5., 0., 0., 7., 8.], |x| x != 0.)?;
    /// assert_eq!(matrix.offsets, [0, 1, 1, 3]);
    /// assert_eq!(matrix.columns, [1, 0, 1]);
    /// # Ok::<(), zeroset_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`Coo::from_dense`].
    pub fn from_dense(
        shape: [usize; 2],
        dense: &[T],
        keep: impl Fn(T) -> bool + Sync,
    ) -> Result<Self> {
        let (pyramid, list) = kept(shape, dense, keep)?;
        let value = |c: &[u32; 3]| dense[c[1] as usize * shape[1] + c[0] as usize];
        Ok(Csr {
            offsets: (0..=shape[0]).map(|row| pyramid.first_of_row(row) as u32).collect(),
            columns: list.iter().map(|c| c[0]).collect(),
            values: list.iter().map(value).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_those_of_the_dense_matrix() {
        for shape in [[1, 1], [3, 0], [0, 3], [1, 200], [200, 1], [17, 65], [64, 64]] {
            for every in [1, 3, 1000] {
                let n = shape[0] * shape[1];
                let dense: Vec<i32> =
                    (0..n as i32).map(|k| if k % every == 0 { k + 1 } else { 0 }).collect();
                let coo = Coo::from_dense(shape, &dense, |x| x != 0).unwrap();
                let csr = Csr::from_dense(shape, &dense, |x| x != 0).unwrap();
                let mut back = vec![0; n];
                for k in 0..coo.values.len() {
                    back[coo.rows[k] as usize * shape[1] + coo.columns[k] as usize] = coo.values[k];
                }
                assert_eq!(back, dense, "{shape:?}");
                assert_eq!((&csr.columns, &csr.values), (&coo.columns, &coo.values));
                assert_eq!((csr.offsets.len(), csr.offsets[0]), (shape[0] + 1, 0));
                for row in 0..shape[0] {
                    let here = csr.offsets[row] as usize..csr.offsets[row + 1] as usize;
                    assert!(coo.rows[here].iter().all(|&r| r as usize == row));
                }
                assert_eq!(csr.offsets[shape[0]] as usize, coo.values.len());
            }
        }
        assert!(
            Csr::from_dense([2, 2], &[1.0; 3], |_| true).unwrap_err().to_string().contains("2 x 2")
        );
    }
}
