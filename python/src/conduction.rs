//! Speeds of a front, which may depend on the direction.

use numpy::{PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zeroset::api::{Conduction, Directions, DistanceOptions, Fibers};
use zeroset::volume::{Placement, Volume};

use crate::arrays::points;
use crate::errors::raised;
use crate::mesh::PyValues;
use crate::volumes::samples;

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

/// A volume: its numbers with x fastest, its shape, its origin, and its steps, in mesh units.
type PyVolume<'py> = (Bound<'py, PyUntypedArray>, [usize; 3], [f64; 3], [[f64; 3]; 3]);

/// A speed: conduction tensors of shape (m, 6), speeds along and across fibers, the values of a
/// volume, or values.
#[derive(FromPyObject)]
pub enum PySpeed<'py> {
    Tensor(PyReadonlyArray2<'py, f64>),
    Fibers(PyFibers<'py>),
    Volume(PyVolume<'py>),
    Values(PyValues<'py>),
}

impl PySpeed<'_> {
    /// Sets the speed of a distance on a mesh.
    pub fn set(&self, mesh: &zeroset::Mesh, options: &mut DistanceOptions) -> PyResult<()> {
        match self {
            PySpeed::Values(values) => options.speed = Some(values.values(mesh)?),
            PySpeed::Tensor(array) => {
                if array.shape()[1] != 6 {
                    return Err(PyValueError::new_err("expected tensors of shape (m, 6)"));
                }
                let tensors = array.as_slice()?.as_chunks::<6>().0.to_vec();
                options.conduction = Some(Conduction::Tensor(tensors));
            }
            PySpeed::Volume((values, shape, origin, steps)) => {
                let volume = Volume::new(*shape, samples(values)?, Placement::identity())
                    .and_then(|volume| volume.placed(*origin, *steps))
                    .map_err(raised)?;
                options.speed_volume = Some(volume.into());
            }
            PySpeed::Fibers(given) => {
                let (along, across) = (given.along.values(mesh)?, given.across.values(mesh)?);
                let mut fibers = Fibers::new(along, across, given.fiber.directions()?);
                if let Some(speed) = &given.sheet {
                    fibers = fibers.sheets(speed.values(mesh)?, given.in_sheet.directions()?);
                }
                options.conduction = Some(Conduction::Fibers(Box::new(fibers)));
            }
        }
        Ok(())
    }
}
