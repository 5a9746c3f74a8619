//! Writer of sparse matrices in the Matrix Market coordinate format, `.mtx`. Rows and columns are
//! numbered from 1.
//!
//! Source: R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market exchange formats: initial
//! design", NISTIR 5935 (1996).

use std::path::Path;

use super::{atomic, write};
use zeroset_core::error::Result;
use zeroset_core::primitives::Coo;

/// Checks that [`write_matrix`] supports the extension of `path`.
///
/// # Errors
/// Returns [`Error::Case`](zeroset_core::Error::Case) if the extension is not supported.
pub fn check_matrix_target(path: &Path) -> Result<()> {
    write::ending(path, &["mtx"], "matrices", "end the name in .mtx").map(drop)
}

/// Writes the entries of a matrix. The file is written atomically.
///
/// `shape` holds the number of rows and the number of columns. `whole` states whether all values
/// are whole numbers, which are then written as integers.
///
/// # Errors
/// Returns the errors of [`check_matrix_target`], and
/// [`Error::Output`](zeroset_core::Error::Output) if the file cannot be written.
pub fn write_matrix(path: &Path, shape: [usize; 2], matrix: &Coo<f64>, whole: bool) -> Result<()> {
    check_matrix_target(path)?;
    let field = if whole { "integer" } else { "real" };
    let ([rows, columns], n) = (shape, matrix.values.len());
    atomic::write(path, |out| {
        writeln!(out, "%%MatrixMarket matrix coordinate {field} general\n{rows} {columns} {n}")?;
        let places = matrix.rows.iter().zip(&matrix.columns).zip(&matrix.values);
        places.into_iter().try_for_each(|((&row, &column), value)| {
            writeln!(out, "{} {} {value}", u64::from(row) + 1, u64::from(column) + 1)
        })
    })
}
