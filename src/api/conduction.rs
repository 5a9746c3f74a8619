//! Speeds of a front that depend on the direction.

use super::source::expression;
use super::{Mesh, Values};
use crate::config::{self, Direction, Quantity, Speed, Tensor};
use crate::error::Result;
use crate::mesh::DataArray;

/// A speed that depends on the direction: the arrival time u satisfies `grad u . D grad u = 1` with
/// a conduction tensor D in each cell.
///
/// ```
/// use zeroset::{Source, api::{Conduction, Directions, DistanceOptions, Fibers}};
/// let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
/// let mesh = zeroset::Mesh::triangles(corners, &[[0, 1, 2], [0, 2, 3]])?;
/// let fibers = Fibers::new(4.0, 1.0, Directions::Constant([1.0, 0.0, 0.0]));
/// let options = DistanceOptions::default().conduction(Conduction::Fibers(Box::new(fibers)));
/// let found = zeroset::distance_with(&mesh, &[Source::Vertex(0)], &options)?;
/// assert_eq!((found.values[1], found.values[3]), (0.25, 1.0)); // times
/// # Ok::<(), zeroset::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Conduction {
    /// Speeds along and across fibers.
    Fibers(Box<Fibers>),
    /// One symmetric tensor per cell, `[xx, yy, zz, xy, yz, xz]`, in squared mesh units per squared
    /// time. On triangles, only its part within the triangle counts.
    Tensor(Vec<[f64; 6]>),
}

/// Speeds along and across fibers, in mesh units per time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Fibers {
    /// The speed along the fibers.
    pub along: Values,
    /// The speed across the fibers. In cells without a fiber direction, it is the speed in all
    /// directions.
    pub across: Values,
    /// The direction of the fibers. On surfaces, it is projected to the surface.
    pub direction: Directions,
    /// The speed across the fibers but within the sheets, with a direction in the sheets. By
    /// default, it is the speed across the fibers. Tetrahedra only.
    pub sheets: Option<(Values, Directions)>,
}

/// A direction in each cell, of any length.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Directions {
    /// One direction everywhere.
    Constant([f64; 3]),
    /// Expressions in coordinates, arrays and groups, evaluated at the centroids of the cells.
    Expressions([String; 3]),
    /// The name of a cell array of the mesh with three components.
    Array(String),
    /// One direction per cell of the mesh ([`Mesh::n_cells`]).
    PerCell(Vec<[f64; 3]>),
}

impl Fibers {
    /// Creates speeds along and across fibers.
    pub fn new(along: impl Into<Values>, across: impl Into<Values>, direction: Directions) -> Self {
        Fibers { along: along.into(), across: across.into(), direction, sheets: None }
    }

    /// Sets the speed across the fibers but within the sheets, and a direction in the sheets.
    pub fn sheets(mut self, speed: impl Into<Values>, direction: Directions) -> Self {
        self.sheets = Some((speed.into(), direction));
        self
    }
}

/// The arrays of the vertices and of the cells that a case needs.
pub(super) type Arrays = (Vec<DataArray>, Vec<DataArray>);

impl Conduction {
    /// Sets the speed of a case, and adds the arrays that it needs.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) for an expression that cannot be parsed, and for
    /// an array whose size does not match the mesh.
    pub(super) fn set(
        &self,
        mesh: &Mesh,
        distance: &mut config::Distance,
        arrays: &mut Arrays,
    ) -> Result<()> {
        let mut given = Given { mesh, arrays };
        match self {
            Conduction::Tensor(tensors) => {
                let name = given.cells("given tensor", 6, tensors.as_flattened().to_vec())?;
                distance.speed = Some(Speed::Tensor { tensor: Tensor::Data(name) });
            }
            Conduction::Fibers(fibers) => {
                let along = given.quantity("given speed along the fibers", &fibers.along)?;
                let across = given.quantity("given speed across the fibers", &fibers.across)?;
                distance.fiber = Some(given.direction("given fibers", &fibers.direction)?);
                let mut speeds = config::Fibers::new(along, across);
                if let Some((speed, direction)) = &fibers.sheets {
                    speeds.sheet = Some(given.quantity("given speed within the sheets", speed)?);
                    distance.sheet = Some(given.direction("given sheets", direction)?);
                }
                distance.speed = Some(Speed::Fibers(speeds));
            }
        }
        Ok(())
    }
}

/// Collects arrays of a call.
struct Given<'a> {
    mesh: &'a Mesh,
    arrays: &'a mut Arrays,
}

impl Given<'_> {
    /// Adds a cell array. Returns its name.
    fn cells(&mut self, name: &str, components: usize, values: Vec<f64>) -> Result<String> {
        self.arrays.1.push(self.mesh.cell_table(name, components, values)?);
        Ok(name.to_string())
    }

    fn quantity(&mut self, name: &str, values: &Values) -> Result<Quantity> {
        let of_array = || Ok(Quantity::Expression(expression(&format!("{{{name}}}"))?));
        match values {
            Values::Number(x) => Ok(Quantity::Number(*x)),
            Values::Expression(text) => Ok(Quantity::Expression(expression(text)?)),
            Values::PerVertex(values) => {
                self.arrays.0.push(self.mesh.vertex_array(name, values.clone())?);
                of_array()
            }
            Values::PerCell(values) => {
                self.cells(name, 1, values.clone())?;
                of_array()
            }
        }
    }

    fn direction(&mut self, name: &str, directions: &Directions) -> Result<Direction> {
        Ok(match directions {
            Directions::Constant(direction) => {
                Direction::Components(direction.map(Quantity::Number))
            }
            Directions::Expressions([x, y, z]) => {
                let of = |text: &String| expression(text).map(Quantity::Expression);
                Direction::Components([of(x)?, of(y)?, of(z)?])
            }
            Directions::Array(name) => Direction::Data(name.clone()),
            Directions::PerCell(rows) => {
                Direction::Data(self.cells(name, 3, rows.as_flattened().to_vec())?)
            }
        })
    }
}
