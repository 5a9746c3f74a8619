//! The description of a failed step: the vertex, the worst cell around it and the likely cause.

use crate::error::Error;
use crate::geometry::TOO_LARGE;

/// The kind of failure. Values are in the units of [`Breakdown`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum What {
    /// phi has this value, which is not finite or too large.
    Phi(f64),
    /// The coefficient with this name has this value, which is not finite or not allowed.
    Coefficient(&'static str, f64),
    /// The step is too short to advance time.
    NoProgress,
    /// The semi-implicit step did not converge. It reduced the residual only to this fraction.
    NoConvergence(f64),
}

/// A failed step whose cause is not yet known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flaw {
    /// The kind of failure.
    pub what: What,
    /// The vertex, in patch order.
    pub vertex: usize,
    /// The time at the end of the step, or the time at which a coefficient was evaluated.
    pub time: f64,
    /// The length of the step; 0 if it had not been chosen yet.
    pub dt: f64,
}

/// The likely cause.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cause {
    /// The step is this many times as long as the longest stable step of the cell.
    LongStep(f64),
    /// The cell is a sliver with this quality (inradius over longest edge, scaled so that a regular
    /// cell has 1).
    Sliver(f64),
    /// The velocity reverses its direction within the cell.
    Reversal,
    /// `|a| + |eps|` of the cell, in mesh units per time, which is too large.
    Speed(f64),
    /// The curvature coefficient at the vertex, in mesh units^2 per time, which is too large.
    Curvature(f64),
    /// The curvature coefficient at the vertex is negative.
    NegativeCurvature,
    /// The expression of the coefficient gives a value that is not finite or not allowed.
    Expression,
    /// No cause was found at the vertex.
    Unknown,
}

/// The position and the likely cause of a failed step. Lengths and phi are in mesh units, times in
/// the unit of the case.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Breakdown {
    /// The kind of failure.
    pub what: What,
    /// The number of the failed step, counted from 1.
    pub step: u64,
    /// The time at the end of the step, or the time at which the coefficient was evaluated.
    pub time: f64,
    /// The length of the step; 0 if it had not been chosen yet.
    pub dt: f64,
    /// The vertex, in mesh order.
    pub vertex: u32,
    /// The position of the vertex.
    pub place: [f64; 3],
    /// The cell at the vertex that allows the shortest step, in mesh order.
    pub cell: u32,
    /// The likely cause.
    pub cause: Cause,
    /// The CFL factor C.
    pub(super) cfl: f64,
}

impl Breakdown {
    /// Returns the error with the indices of the vertex and the cell in the cleaned mesh.
    pub(super) fn as_error(&self) -> Error {
        self.error(self.vertex, self.cell)
    }

    /// Returns the error with the given indices of the vertex and the cell in the user's mesh.
    pub fn error(&self, vertex: u32, cell: u32) -> Error {
        let [x, y, z] = self.place;
        let place = format!("vertex {vertex} ({x:.6}, {y:.6}, {z:.6}), cell {cell}");
        let &Breakdown { step, time, dt, .. } = self;
        let happened = match self.what {
            What::Phi(value) if value.is_finite() => format!("phi has grown to {value:.3e} at"),
            What::Phi(value) => format!("phi is {value} (not finite) at"),
            What::Coefficient(name, value) => format!("evolve.{name} is {value} at"),
            What::NoProgress => format!("the time step {dt:.3e} is too small to advance time at"),
            What::NoConvergence(left) => format!(
                "the semi-implicit curvature step does not converge (residual reduced to \
                 {left:.1e}), slowest near"
            ),
        };
        let dt = if dt > 0.0 { format!(", dt {dt:.3e}") } else { String::new() };
        let (cause, remedy) = self.cause();
        let cause = if cause.is_empty() { cause } else { format!(": {cause}") };
        let what = format!("{happened} {place}, in step {step} (time {time:.6e}{dt}){cause}");
        Error::Numerical { what, remedy }
    }

    fn cause(&self) -> (String, String) {
        let (cause, remedy) = match self.cause {
            Cause::LongStep(factor) => (
                format!("the step is {factor:.1} times the stable step of the cell"),
                format!("lower evolve.cfl (now {})", self.cfl),
            ),
            Cause::Sliver(quality) => (
                format!(
                    "the cell is a sliver (inradius over longest edge {quality:.1e}, 1 is best)"
                ),
                "repair the mesh (see `zeroset info`)".into(),
            ),
            Cause::Reversal => (
                "the velocity reverses its direction within the cell".into(),
                "check evolve.velocity there, or refine the mesh".into(),
            ),
            Cause::Speed(speed) => (
                format!("velocity and normal_speed are {speed:.3e} there"),
                match speed.is_finite() {
                    true => "check their values and units at that time".into(),
                    false => TOO_LARGE.into(),
                },
            ),
            Cause::Curvature(beta) => (
                format!("the curvature coefficient is {beta:.3e} there"),
                "check its value and unit".into(),
            ),
            Cause::NegativeCurvature => (
                "the equation has no solution for a negative coefficient".into(),
                "keep it at 0 or more, for example with max(0, ...)".into(),
            ),
            Cause::Expression => match self.what {
                What::Coefficient(_, value) if value.is_infinite() => {
                    (String::new(), TOO_LARGE.into())
                }
                _ => (String::new(), "correct its expression".into()),
            },
            Cause::Unknown => {
                (String::new(), "lower evolve.cfl, or check the coefficients there".into())
            }
        };
        (cause, remedy)
    }
}

/// Returns the error for a step of unlimited length.
pub(crate) fn at_rest_forever(step: u64) -> Error {
    Error::Numerical {
        what: format!("nothing moves in step {step}, so its length is unlimited"),
        remedy: "set evolve.end_time, or use coefficients that are nonzero in the band".into(),
    }
}
