//! The case of a motion, as a case file would state it.

use super::{EvolveOptions, Phi, Terms, Velocity};
use crate::api::mesh::mask;
use crate::api::source::expression;
use crate::api::{Mesh, Values};
use crate::config::{self, Coefficient, Component, Config, Evolve, Initial};
use crate::error::Result;
use crate::mesh::DataArray;
use crate::run::mesh_setup::MeshSetup;

/// The parts of a case other than its terms.
pub(super) struct Case {
    pub initial: Initial,
    pub phi: Option<DataArray>,
    pub options: EvolveOptions,
}

impl Case {
    /// Creates a case. The arrays of `phi` refer to the vertices of the file.
    pub fn new(mesh: &Mesh, phi: Phi, options: EvolveOptions) -> Result<Self> {
        let (initial, phi) = match phi {
            Phi::Shape(shape) => (Initial::Shape(shape), None),
            Phi::Expression(text) => (Initial::Expression { expression: expression(&text)? }, None),
            Phi::PerVertex(values) => {
                let name = "given phi";
                let array = mesh.vertex_array(name, values)?;
                (Initial::Data { data: name.into() }, Some(array))
            }
        };
        Ok(Case { initial, phi, options })
    }

    /// Returns the setup of the case with the given terms.
    pub fn setup(&self, mesh: &Mesh, terms: &Terms) -> Result<MeshSetup> {
        let options = &self.options;
        let mut arrays = (self.phi.iter().cloned().collect(), Vec::new());
        let mut evolve = Evolve::default();
        evolve.start_time = options.start_time;
        evolve.end_time = options.until;
        evolve.max_steps = options.max_steps;
        evolve.steady = options.steady;
        evolve.cfl = options.cfl;
        evolve.max_step = options.max_step;
        evolve.mask = mask(options.mask.as_deref())?;
        evolve.velocity = match &terms.velocity {
            None => None,
            Some(velocity) => Some(of_velocity(mesh, velocity, &mut arrays)?),
        };
        let mut of = |name: &str, values: &Option<Values>| match values {
            None => Ok(None),
            Some(values) => coefficient(mesh, name, values, &mut arrays).map(Some),
        };
        evolve.normal_speed = of("given normal speed", &terms.normal_speed)?;
        evolve.curvature = of("given curvature", &terms.curvature)?;
        evolve.weighted_curvature = of("given weight", &terms.weighted_curvature)?;
        let mut config = Config::of_evolve(mesh.source(), self.initial.clone(), evolve);
        config.output.interval = options.every;
        config.output.every = options.every_steps;
        mesh.setup(config, arrays, &options.control)
    }
}

type Arrays = (Vec<DataArray>, Vec<DataArray>);

fn of_velocity(mesh: &Mesh, velocity: &Velocity, arrays: &mut Arrays) -> Result<config::Velocity> {
    Ok(match velocity {
        Velocity::Constant(a) => config::Velocity::Constant(*a),
        Velocity::Expressions([x, y, z]) => {
            let component = |text: &str| expression(text).map(Component::Expression);
            config::Velocity::Components([component(x)?, component(y)?, component(z)?])
        }
        Velocity::PerVertex(rows) => {
            let name = "given velocity";
            arrays.0.push(mesh.vertex_vectors(name, rows)?);
            config::Velocity::Data(name.into())
        }
    })
}

fn coefficient(
    mesh: &Mesh,
    name: &str,
    values: &Values,
    arrays: &mut Arrays,
) -> Result<Coefficient> {
    match values {
        Values::Number(x) => return Ok(Coefficient::Number(*x)),
        Values::Expression(text) => return expression(text).map(Coefficient::Expression),
        Values::PerVertex(values) => arrays.0.push(mesh.vertex_array(name, values.clone())?),
        Values::PerCell(values) => arrays.1.push(mesh.cell_array(name, values.clone())?),
    }
    Ok(Coefficient::Data { data: name.into() })
}
