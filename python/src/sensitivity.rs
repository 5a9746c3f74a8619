//! Derivatives of a function of distances.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use zeroset::api::sensitivity as derivatives;

use crate::arrays::{list, rows};
use crate::conduction::PySpeed;
use crate::mesh::{Mesh, OfDistance, PySource};
use crate::options::parse;
use crate::work;

/// Computes the derivatives of a function of the distances of a call. `distances` and `weights`
/// have shape (n,).
#[pyfunction]
pub fn sensitivity<'py>(
    py: Python<'py>,
    mesh: &Mesh,
    sources: Vec<PySource>,
    speed: Option<PySpeed<'py>>,
    distances: PyReadonlyArray1<'py, f64>,
    weights: PyReadonlyArray1<'py, f64>,
    options: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let mesh = mesh.shared();
    let sources = sources.into_iter().map(PySource::source).collect::<PyResult<Vec<_>>>()?;
    let mut options = parse::<OfDistance>(options)?.options();
    if let Some(speed) = speed {
        speed.set(&mesh, &mut options)?;
    }
    let (distances, weights) = (distances.as_slice()?, weights.as_slice()?);
    let found = work::run(py, None, |control| {
        options.control = control.clone();
        derivatives(&mesh, &sources, &options, distances, weights)
    })?;
    let result = PyDict::new(py);
    let of_cells = [
        ("speed", found.speed),
        ("along", found.along),
        ("across", found.across),
        ("sheet", found.sheet),
    ];
    for (name, values) in of_cells {
        result.set_item(name, values.map(|values| list(py, values)))?;
    }
    result.set_item("tensor", found.tensor.map(|tensor| rows(py, tensor)).transpose()?)?;
    result.set_item("starts", list(py, found.starts))?;
    result.set_item("positions", rows(py, found.positions)?)?;
    result.set_item("kinks", list(py, found.kinks))?;
    Ok(result)
}
