//! Conversion between numpy arrays and vectors.

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// An array of shape (n, columns).
pub type Table<'py, T> = Bound<'py, PyArray2<T>>;

/// Copies an array of shape (n, 3) in C order.
pub fn points<T: numpy::Element + Copy>(array: &PyReadonlyArray2<'_, T>) -> PyResult<Vec<[T; 3]>> {
    let (rows, rest) = array.as_slice()?.as_chunks::<3>();
    match rest {
        [] => Ok(rows.to_vec()),
        _ => Err(PyValueError::new_err("expected an array of shape (n, 3)")),
    }
}

/// Returns rows of N numbers as an array of shape (n, N), without a copy.
pub fn rows<T: numpy::Element, const N: usize>(
    py: Python<'_>,
    rows: Vec<[T; N]>,
) -> PyResult<Table<'_, T>> {
    let n = rows.len();
    rows.into_flattened().into_pyarray(py).reshape([n, N])
}

/// Returns numbers as an array of shape (n, `columns`), without a copy.
pub fn table<T: numpy::Element>(
    py: Python<'_>,
    numbers: Vec<T>,
    columns: usize,
) -> PyResult<Table<'_, T>> {
    let n = numbers.len() / columns.max(1);
    numbers.into_pyarray(py).reshape([n, columns])
}

/// Returns numbers as an array of shape (n,), without a copy.
pub fn list<T: numpy::Element>(py: Python<'_>, numbers: Vec<T>) -> Bound<'_, PyArray1<T>> {
    numbers.into_pyarray(py)
}
