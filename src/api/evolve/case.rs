//! The case of a motion, as a case file would state it.

use super::{EvolveOptions, Phi, Terms, Velocity};
use crate::api::mesh::mask;
use crate::api::source::expression;
use crate::api::{Mesh, Values};
use crate::config::{self, Coefficient, Component, Config, Evolve, Initial};
use crate::error::Result;
use crate::mesh::DataArray;
use crate::run::mesh_setup::MeshSetup;

/// The name of the array that phi begins with.
pub(super) const GIVEN_PHI: &str = "given phi";

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
                let array = mesh.vertex_array(GIVEN_PHI, values)?;
                (Initial::Data { data: GIVEN_PHI.into() }, Some(array))
            }
        };
        Ok(Case { initial, phi, options })
    }

    /// Creates a case whose phi is an array on a GPU, which is not known here.
    pub fn without_phi(options: EvolveOptions) -> Self {
        Case { initial: Initial::Data { data: GIVEN_PHI.into() }, phi: None, options }
    }

    /// Returns the setup of the case with the given terms.
    pub fn setup(&self, mesh: &Mesh, terms: &Terms) -> Result<MeshSetup> {
        let options = &self.options;
        let mut arrays = (self.phi.iter().cloned().collect(), Vec::new());
        let mut evolve = Evolve::default();
        self.schedule(&mut evolve);
        evolve.cfl = options.cfl;
        evolve.max_step = options.max_step;
        evolve.volume_correction = options.volume_correction;
        evolve.advection = options.advection;
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

    /// Returns a case with the terms of another one and the schedule of this one.
    ///
    /// # Errors
    /// Returns the error of a case that is not valid.
    pub fn rescheduled(&self, other: &Config) -> Result<Config> {
        let mut config = other.clone();
        self.schedule(config.evolve.get_or_insert_default());
        config.output.interval = self.options.every;
        config.output.every = self.options.every_steps;
        config.check()?;
        Ok(config)
    }

    fn schedule(&self, evolve: &mut Evolve) {
        evolve.start_time = self.options.start_time;
        evolve.end_time = self.options.until;
        evolve.max_steps = self.options.max_steps;
        evolve.steady = self.options.steady;
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
