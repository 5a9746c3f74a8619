//! Vertices that are far from one another along a mesh.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use zeroset::api::farthest_points as chosen;

use crate::arrays::list;
use crate::conduction::PySpeed;
use crate::mesh::{Mesh, OfDistance};
use crate::options::parse;
use crate::warnings::told;
use crate::work;

/// Chooses `n` vertices, of which `first` is the first one. Returns the vertices, their distances
/// from the earlier ones, the distance and the label of each vertex, and warnings.
#[pyfunction]
pub fn farthest_points<'py>(
    py: Python<'py>,
    mesh: &Mesh,
    n: usize,
    first: u32,
    speed: Option<PySpeed<'py>>,
    options: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mesh = mesh.shared();
    let mut options = parse::<OfDistance>(options)?.options();
    if let Some(speed) = speed {
        speed.set(&mesh, &mut options)?;
    }
    let found = work::run(py, progress.as_ref(), |control| {
        options.control = control.clone();
        chosen(&mesh, n, first, &options)
    })?;
    let result = PyDict::new(py);
    result.set_item("vertices", list(py, found.vertices))?;
    result.set_item("separations", list(py, found.separations))?;
    result.set_item("values", list(py, found.values))?;
    result.set_item("labels", list(py, found.labels))?;
    result.set_item("warnings", told(&found.subjects, found.warnings))?;
    Ok(result)
}
