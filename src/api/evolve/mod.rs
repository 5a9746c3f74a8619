//! Moving interfaces on a mesh.

use std::ops::Deref;

use super::mesh::mask;
use super::source::expression;
use super::{Control, Mesh, Values};
use crate::config::{self, Coefficient, Component, Config, Evolve, Initial};
use crate::error::Result;
use crate::geometry::shape::Shape;
use crate::levelset::eikonal;
use crate::mesh::DataArray;
use crate::output::{Measures, Report};
use crate::run::evolve::stepping::Stepping;
use crate::run::mesh_setup::MeshSetup;
use crate::run::task::Stages;
use crate::surface::{self, Interface};

/// The initial level set: negative inside.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Phi {
    /// The signed distance to a shape.
    Shape(Shape),
    /// An expression of coordinates, arrays and groups. Only its zero set matters.
    Expression(String),
    /// One number for each vertex of the file. Only its zero set matters.
    PerVertex(Vec<f64>),
}

impl From<Shape> for Phi {
    fn from(shape: Shape) -> Self {
        Phi::Shape(shape)
    }
}

impl From<&str> for Phi {
    fn from(expression: &str) -> Self {
        Phi::Expression(expression.to_string())
    }
}

impl From<Vec<f64>> for Phi {
    fn from(values: Vec<f64>) -> Self {
        Phi::PerVertex(values)
    }
}

/// A velocity, in mesh units per time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Velocity {
    /// One vector everywhere.
    Constant([f64; 3]),
    /// An expression for each component, which may depend on the time `t`.
    Expressions([String; 3]),
    /// One vector for each vertex of the file.
    PerVertex(Vec<[f64; 3]>),
}

/// The terms of `phi_t + a . grad phi + eps |grad phi| = beta kappa |grad phi|`. Absent terms are
/// zero. Expressions may depend on the time `t`.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Terms {
    /// The velocity a.
    pub velocity: Option<Velocity>,
    /// The normal speed eps, in mesh units per time. The inside grows where it is positive.
    pub normal_speed: Option<Values>,
    /// The curvature coefficient beta >= 0, in mesh units^2 per time.
    pub curvature: Option<Values>,
    /// The weight w >= 0 of the weighted curvature flow, in mesh units^2 per time.
    pub weighted_curvature: Option<Values>,
}

impl Terms {
    /// Sets the velocity.
    pub fn velocity(mut self, velocity: Velocity) -> Self {
        self.velocity = Some(velocity);
        self
    }

    /// Sets the normal speed: a number, an expression or an array.
    pub fn normal_speed(mut self, speed: impl Into<Values>) -> Self {
        self.normal_speed = Some(speed.into());
        self
    }

    /// Sets the curvature coefficient: a number, an expression or an array.
    pub fn curvature(mut self, coefficient: impl Into<Values>) -> Self {
        self.curvature = Some(coefficient.into());
        self
    }

    /// Sets the weight of the weighted curvature flow: a number, an expression or an array.
    pub fn weighted_curvature(mut self, weight: impl Into<Values>) -> Self {
        self.weighted_curvature = Some(weight.into());
        self
    }
}

/// Options of [`evolve`]. The defaults are those of a case file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct EvolveOptions {
    /// The time at which the motion ends. Times are absolute.
    pub until: Option<f64>,
    /// The time between states.
    pub every: Option<f64>,
    /// The largest number of steps.
    pub max_steps: Option<u64>,
    /// Ends the motion when phi near the interface changes at most this fast (length per time).
    pub steady: Option<f64>,
    /// The CFL factor, 1 by default.
    pub cfl: Option<f64>,
    /// The longest step if a term depends on time.
    pub max_step: Option<f64>,
    /// The time at which the motion begins, 0 by default.
    pub start_time: Option<f64>,
    /// Excludes cells with a vertex where this expression is 0 or NaN.
    pub mask: Option<String>,
    /// Progress and cancellation.
    pub control: Control,
}

impl EvolveOptions {
    /// Sets the time at which the motion ends.
    pub fn until(mut self, time: f64) -> Self {
        self.until = Some(time);
        self
    }

    /// Returns options for an interface that takes no step until [`Evolution::continue_with`] is
    /// called.
    fn paused(time: f64) -> Self {
        // A motion without speed needs an end time.
        let until = Some(time + 1.0);
        EvolveOptions { until, max_steps: Some(0), ..EvolveOptions::default() }
    }

    /// Sets the time between states.
    pub fn every(mut self, interval: f64) -> Self {
        self.every = Some(interval);
        self
    }
}

/// A state of a moving interface.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct State {
    /// The time.
    pub time: f64,
    /// The number of steps so far.
    pub step: u64,
    /// The level set at each vertex of the file, in mesh units. NaN at vertices without a cell.
    pub phi: Vec<f64>,
    /// The length or area of the interface, the area or volume of the inside, and other measures.
    pub measures: Measures,
}

/// A moving interface: an iterator over its states, from the first to the last.
///
/// The iterator ends after an error.
///
/// `M` is `&Mesh`, or `Arc<Mesh>` for a motion that outlives the caller.
pub struct Evolution<M> {
    mesh: M,
    stepping: Stepping,
    case: Case,
    has_failed: bool,
    /// Warnings about the mesh and the case, one sentence each.
    pub warnings: Vec<String>,
}

/// The parts of a case other than its terms.
struct Case {
    initial: Initial,
    phi: Option<DataArray>,
    options: EvolveOptions,
}

/// Moves an interface to the time `until`, and returns the states on the way, one per interval
/// `every`.
///
/// ```
/// use zeroset::Terms;
/// let mesh = zeroset::read("meshes/fsaverage5_pial_left.gii.gz")?;
/// let options = zeroset::api::EvolveOptions::default().until(1.0).every(0.5);
/// for state in zeroset::evolve(&mesh, "z - 20", &Terms::default().curvature(1.0), options)? {
///     let state = state?;
///     println!("{} {}", state.time, state.measures.interface);
/// }
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Case`](crate::Error::Case) for terms and options that cannot be used,
/// [`Error::Mesh`](crate::Error::Mesh) for a mesh that the solver cannot use, and
/// [`Error::Device`](crate::Error::Device) if memory runs out.
pub fn evolve<M: Deref<Target = Mesh>>(
    mesh: M,
    phi: impl Into<Phi>,
    terms: &Terms,
    options: EvolveOptions,
) -> Result<Evolution<M>> {
    let case = Case::new(&mesh, phi.into(), options)?;
    let setup = case.setup(&mesh, terms)?;
    let mut report = Report::new(&setup.config, mesh.cpu()?.threads());
    let stepping = Stepping::new(setup, &mut report)?;
    Ok(Evolution { mesh, stepping, case, has_failed: false, warnings: report.warnings })
}

/// Begins a motion that pauses at its start until [`Evolution::continue_with`] sets its terms and
/// its end. Of the options, only `cfl`, `start_time`, `mask` and `control` are used.
///
/// # Errors
/// Returns the errors of [`evolve`].
pub fn begin<M: Deref<Target = Mesh>>(
    mesh: M,
    phi: impl Into<Phi>,
    options: EvolveOptions,
) -> Result<Evolution<M>> {
    let EvolveOptions { cfl, start_time, mask, control, .. } = options;
    let paused = EvolveOptions::paused(start_time.unwrap_or(0.0));
    let options = EvolveOptions { cfl, start_time, mask, control, ..paused };
    evolve(mesh, phi, &Terms::default().normal_speed(0.0), options)
}

impl Case {
    fn new(mesh: &Mesh, phi: Phi, options: EvolveOptions) -> Result<Self> {
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

    fn setup(&self, mesh: &Mesh, terms: &Terms) -> Result<MeshSetup> {
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

impl<M: Deref<Target = Mesh>> Evolution<M> {
    /// Continues with other terms from the current state, to the end that was set before.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) for terms that cannot be used.
    pub fn set_terms(&mut self, terms: &Terms) -> Result<()> {
        let setup = self.case.setup(&self.mesh, terms)?;
        self.stepping.set_terms(setup)
    }

    /// Continues with other terms and options from the current state, also after an error such as
    /// an interruption. Times and steps are still counted from the beginning of the motion, and
    /// `start_time` and `mask` stay as they were.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) for terms and options that cannot be used.
    pub fn continue_with(&mut self, terms: &Terms, options: EvolveOptions) -> Result<()> {
        let old = &self.case.options;
        let (start_time, mask) = (old.start_time, old.mask.clone());
        let options = EvolveOptions { start_time, mask, ..options };
        let (initial, phi) = (self.case.initial.clone(), self.case.phi.clone());
        let case = Case { initial, phi, options };
        let setup = case.setup(&self.mesh, terms)?;
        self.stepping.set_terms(setup)?;
        self.stepping.set_schedule();
        self.case = case;
        self.has_failed = false;
        Ok(())
    }

    /// Replaces the level set at the current time. The motion then pauses until
    /// [`Evolution::continue_with`] sets its terms and its end.
    ///
    /// # Errors
    /// Returns the errors of [`evolve`].
    pub fn set_phi(&mut self, phi: impl Into<Phi>) -> Result<()> {
        let (time, steps) = (self.stepping.time(), self.stepping.steps());
        let old = &self.case.options;
        let (cfl, mask, control) = (old.cfl, old.mask.clone(), old.control.clone());
        let options = EvolveOptions {
            start_time: Some(time),
            cfl,
            mask,
            control,
            ..EvolveOptions::paused(time)
        };
        let case = Case::new(&self.mesh, phi.into(), options)?;
        let setup = case.setup(&self.mesh, &Terms::default().normal_speed(0.0))?;
        let mut report = Report::new(&setup.config, self.mesh.cpu()?.threads());
        self.stepping = Stepping::new(setup, &mut report)?.after(steps);
        self.case = case;
        self.has_failed = false;
        self.warnings.append(&mut report.warnings);
        Ok(())
    }

    /// Returns the current state.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails or memory runs out.
    pub fn state(&mut self) -> Result<State> {
        let (measures, phi) = self.stepping.state()?;
        Ok(self.stored(measures, &phi))
    }

    /// Returns the gradient of the current level set at each vertex of the file. NaN at vertices
    /// without a cell.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails or memory runs out.
    pub fn gradient(&mut self) -> Result<Vec<[f64; 3]>> {
        let (_, phi) = self.stepping.state()?;
        let cleaned = &self.stepping.setup().cleaned;
        let gradient = self.mesh.cpu()?.run(|| eikonal::gradient(&cleaned.mesh, &phi));
        Ok(cleaned.as_stored(&gradient.vertices, [f64::NAN; 3]))
    }

    /// Returns the current interface. Its edges and parents refer to the cleaned mesh.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails or memory runs out.
    pub fn interface(&mut self) -> Result<Interface> {
        let (_, phi) = self.stepping.state()?;
        Ok(surface::extract(&self.stepping.setup().cleaned.mesh, &phi))
    }

    /// Sets how the computation of the next states reports its progress and is canceled.
    pub fn set_control(&mut self, control: &Control) {
        self.case.options.control = control.clone();
    }

    /// Returns the current time.
    pub fn time(&self) -> f64 {
        self.stepping.time()
    }

    /// Returns the number of steps so far.
    pub fn steps(&self) -> u64 {
        self.stepping.steps()
    }

    /// Returns the mesh.
    pub fn mesh(&self) -> &M {
        &self.mesh
    }

    /// Returns a state that refers to the vertices of the file.
    fn stored(&self, measures: Measures, phi: &[f64]) -> State {
        let phi = self.stepping.setup().cleaned.as_stored(phi, f64::NAN);
        State { time: measures.time, step: measures.step, phi, measures }
    }

    /// Returns the reason why the motion ended, or `None` if it has not ended: "`end_time`
    /// reached", "`max_steps` done", "steady state" or "interface gone".
    pub fn ended_by(&self) -> Option<&'static str> {
        self.stepping.ended_by()
    }
}

impl<M: Deref<Target = Mesh>> Iterator for Evolution<M> {
    type Item = Result<State>;

    fn next(&mut self) -> Option<Result<State>> {
        if self.has_failed {
            return None;
        }
        let control = &self.case.options.control;
        let found = self.stepping.next(&Stages::new(control, &control.interrupt)).transpose()?;
        self.has_failed = found.is_err();
        Some(found.map(|(measures, phi)| self.stored(measures, &phi)))
    }
}
