//! Speeds of a front that depend on the direction.

use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zeroset::api::{Conduction, Directions, Fibers};

use crate::arrays::points;
use crate::mesh::PyValues;

/// A direction in each cell: three numbers, three expressions, the name of a cell array, or an
/// array of shape (m, 3).
#[derive(FromPyObject)]
enum PyDirections<'py> {
    Constant((f64, f64, f64)),
    Expressions((String, String, String)),
    Name(String),
    Array(PyReadonlyArray2<'py, f64>),
}

impl PyDirections<'_> {
    fn directions(&self) -> PyResult<Directions> {
        Ok(match self {
            PyDirections::Constant((x, y, z)) => Directions::Constant([*x, *y, *z]),
            PyDirections::Expressions((x, y, z)) => {
                Directions::Expressions([x.clone(), y.clone(), z.clone()])
            }
            PyDirections::Name(name) => Directions::Array(name.clone()),
            PyDirections::Array(array) => Directions::PerCell(points(array)?),
        })
    }
}

/// Speeds along and across fibers, with their directions.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PyFibers<'py> {
    along: PyValues<'py>,
    across: PyValues<'py>,
    sheet: Option<PyValues<'py>>,
    fiber: PyDirections<'py>,
    in_sheet: PyDirections<'py>,
}

/// A speed that depends on the direction: tensors of shape (m, 6), or speeds along and across
/// fibers.
#[derive(FromPyObject)]
pub enum PyConduction<'py> {
    Tensor(PyReadonlyArray2<'py, f64>),
    Fibers(PyFibers<'py>),
}

impl PyConduction<'_> {
    /// Returns the conduction on a mesh.
    pub fn conduction(&self, mesh: &zeroset::Mesh) -> PyResult<Conduction> {
        match self {
            PyConduction::Tensor(array) => {
                if array.shape()[1] != 6 {
                    return Err(PyValueError::new_err("expected tensors of shape (m, 6)"));
                }
                Ok(Conduction::Tensor(array.as_slice()?.as_chunks::<6>().0.to_vec()))
            }
            PyConduction::Fibers(given) => {
                let (along, across) = (given.along.values(mesh)?, given.across.values(mesh)?);
                let mut fibers = Fibers::new(along, across, given.fiber.directions()?);
                if let Some(speed) = &given.sheet {
                    fibers = fibers.sheets(speed.values(mesh)?, given.in_sheet.directions()?);
                }
                Ok(Conduction::Fibers(Box::new(fibers)))
            }
        }
    }
}
