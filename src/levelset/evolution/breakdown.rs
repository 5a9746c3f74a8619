//! What a broken step says: the vertex, the worst of its cells, and the likely cause.

use crate::error::Error;
use crate::geometry::TOO_LARGE;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum What {
    /// phi is not a finite number, or has grown beyond all bounds.
    Phi(f64),
    /// A coefficient of this name is not a finite number, or has a value it must not have.
    Coefficient(&'static str, f64),
    /// The step is so short that the time does not change.
    NoProgress,
    /// The semi-implicit step did not converge; what was left of the residual.
    NoConvergence(f64),
}

/// What stopped a step, before anybody looked for the cause.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flaw {
    /// What happened.
    pub what: What,
    /// Where, in patch order.
    pub vertex: usize,
    /// The time the step would have reached, or at which a coefficient was evaluated.
    pub time: f64,
    /// Length of the step; 0 if it had not been chosen.
    pub dt: f64,
}

/// The likely cause.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cause {
    /// The step is so many times what is stable in the cell.
    LongStep(f64),
    /// The quality of the cell, inradius over longest edge, where a regular cell has 1.
    Sliver(f64),
    /// The velocity turns round inside the cell.
    Reversal,
    /// `|a| + |eps|` of the cell is this large.
    Speed(f64),
    /// The curvature coefficient at the vertex is this large.
    Curvature(f64),
    /// The curvature coefficient at the vertex is negative.
    NegativeCurvature,
    /// The expression of a coefficient.
    Expression,
    /// Nothing that is seen at the vertex.
    Unknown,
}

/// Where a step broke down, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Breakdown {
    /// What happened.
    pub what: What,
    /// Number of the step.
    pub step: u64,
    /// The time it would have reached, or at which the coefficient was evaluated.
    pub time: f64,
    /// Length of the step; 0 if it had not been chosen.
    pub dt: f64,
    /// The vertex, in mesh order.
    pub vertex: u32,
    /// Where it is.
    pub place: [f64; 3],
    /// The worst of its cells, in mesh order.
    pub cell: u32,
    /// The likely cause.
    pub cause: Cause,
    /// Factor C of the time step.
    pub(super) cfl: f64,
}

impl Breakdown {
    /// The error with the numbers of the cleaned mesh.
    pub(super) fn as_error(&self) -> Error {
        self.error(self.vertex, self.cell)
    }

    /// The error with the numbers that the user knows vertex and cell by.
    pub fn error(&self, vertex: u32, cell: u32) -> Error {
        let [x, y, z] = self.place;
        let place = format!("vertex {vertex} ({x:.6}, {y:.6}, {z:.6}), cell {cell}");
        let &Breakdown { step, time, dt, .. } = self;
        let happened = match self.what {
            What::Phi(value) if value.is_finite() => format!("phi has grown to {value:.3e} at"),
            What::Phi(value) => format!("phi is {value}, no finite number, at"),
            What::Coefficient(name, value) => format!("evolve.{name} is {value} at"),
            What::NoProgress => format!("the time step of {dt:.3e} is lost beside the time at"),
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
                format!("the step is {factor:.1} times what is stable in the cell"),
                format!("lower evolve.cfl, now {}", self.cfl),
            ),
            Cause::Sliver(quality) => (
                format!(
                    "the cell is a sliver (inradius over longest edge {quality:.1e}, 1 is best)"
                ),
                "mend the mesh, see `zeroset info`".into(),
            ),
            Cause::Reversal => (
                "the velocity turns round inside the cell".into(),
                "check evolve.velocity there, or refine the mesh".into(),
            ),
            Cause::Speed(speed) => (
                format!("velocity and normal_speed are {speed:.3e} there"),
                match speed.is_finite() {
                    true => "check their values and units, of formulas at that time".into(),
                    false => TOO_LARGE.into(),
                },
            ),
            Cause::Curvature(beta) => (
                format!("the curvature coefficient is {beta:.3e} there"),
                "check its value and unit".into(),
            ),
            Cause::NegativeCurvature => (
                "a negative coefficient has no solution".into(),
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

/// A step that nothing bounds.
pub(crate) fn at_rest_forever(step: u64) -> Error {
    Error::Numerical {
        what: format!("nothing moves in step {step}, so its length has no limit"),
        remedy: "give evolve.end_time, or coefficients that are not zero in the band".into(),
    }
}
