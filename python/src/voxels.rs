//! Selected voxels: lists of points, and octrees.

use numpy::PyUntypedArray;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use zeroset::expression::Expression;
use zeroset::points::{Criterion, find, leaves, leaves_where};
use zeroset::primitives::Order;
use zeroset::volume::{Placement, Volume};

use crate::arrays::{list, rows};
use crate::volumes::samples;
use crate::work;

/// Lists the voxels where the conditions hold. `values` are x fastest. Returns positions, values
/// and indices.
#[pyfunction]
#[expect(clippy::too_many_arguments)]
pub fn points<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyUntypedArray>,
    shape: [usize; 3],
    origin: [f64; 3],
    steps: [[f64; 3]; 3],
    condition: Option<&str>,
    edge: Option<f64>,
    in_blocks: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (samples, condition) = (samples(values)?, parsed(condition)?);
    let order = if in_blocks { Order::Blocks } else { Order::Lines };
    let points = work::run(py, None, |_| {
        let volume = Volume::new(shape, samples, Placement::identity())?.placed(origin, steps)?;
        let holds = condition.as_ref().map(Criterion::Holds);
        let criteria: Vec<Criterion> = holds.into_iter().chain(edge.map(Criterion::Edge)).collect();
        find(&volume, &Criterion::all(&criteria, &volume)?, order)
    })?;
    let found = PyDict::new(py);
    found.set_item("points", rows(py, points.positions)?)?;
    found.set_item("values", list(py, points.values))?;
    found.set_item("indices", rows(py, points.voxels)?)?;
    Ok(found)
}

/// Lists the largest blocks with a single value or, with a condition, those where it holds. Returns
/// the first voxels, levels and values.
#[pyfunction]
pub fn octree<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyUntypedArray>,
    shape: [usize; 3],
    origin: [f64; 3],
    steps: [[f64; 3]; 3],
    condition: Option<&str>,
) -> PyResult<Bound<'py, PyDict>> {
    let (samples, condition) = (samples(values)?, parsed(condition)?);
    let found = work::run(py, None, |_| {
        let volume = Volume::new(shape, samples, Placement::identity())?.placed(origin, steps)?;
        let Some(condition) = &condition else { return leaves(&volume) };
        let all = Criterion::all(&[Criterion::Holds(condition)], &volume)?;
        Ok(leaves_where(&volume, &all)?.0)
    })?;
    let cells = found.leaves.iter().map(|leaf| leaf.cell).collect();
    let levels = found.leaves.iter().map(|leaf| leaf.level).collect();
    let result = PyDict::new(py);
    result.set_item("indices", rows::<u32, 3>(py, cells)?)?;
    result.set_item("levels", list::<u32>(py, levels))?;
    result.set_item("values", list(py, found.values))?;
    Ok(result)
}

fn parsed(text: Option<&str>) -> PyResult<Option<Expression>> {
    let refused = |error| PyValueError::new_err(format!("where: {error}"));
    text.map(|text| text.parse::<Expression>().map_err(refused)).transpose()
}
