//! Description of a failed step on tiles: the first affected voxel in tile order, and the likely
//! cause.

use crate::error::Error;
pub use crate::geometry::TOO_LARGE;

/// The kind of failure.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum What {
    /// phi is NaN at this number of voxels.
    Phi(u64),
    /// The coefficient with this name has this value, in units of voxels and time. The value is not
    /// finite or not allowed.
    Coefficient(&'static str, f64),
    /// The step is so short that the time does not change. The recorded voxel is the fastest one.
    NoProgress,
}

/// The likely cause.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cause {
    /// The step exceeds the stable step at the voxel by this factor, computed from the coefficients
    /// within the step.
    LongStep(f64),
    /// The sum that bounds a step, `sum_k |U_k| + |F| sqrt(d) + 2 d alpha`, has this value at the
    /// voxel, in voxels per unit of time.
    Speed(f64),
    /// The curvature coefficient at the voxel is negative.
    NegativeCurvature,
    /// The expression of the coefficient gives a value that is not finite or not allowed.
    Expression,
    /// No cause was found at the voxel.
    Unknown,
}

/// The location and cause of a failed step. Times are in the unit of the case.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Breakdown {
    /// The kind of failure.
    pub what: What,
    /// The number of the failed step, counted from 1.
    pub step: u64,
    /// The time that the step would have reached, or the time at which the coefficient was
    /// evaluated.
    pub time: f64,
    /// The time step, or 0 if it had not been chosen.
    pub dt: f64,
    /// The coordinates of the voxel.
    pub voxel: [i32; 3],
    /// The likely cause.
    pub cause: Cause,
}

impl Breakdown {
    /// Returns the position of the voxel, if voxel (0, 0, 0) lies at `origin` and voxels have edge
    /// length `dx`, in the unit of these two.
    pub fn place(&self, origin: [f64; 3], dx: f64) -> [f64; 3] {
        std::array::from_fn(|k| origin[k] + dx * f64::from(self.voxel[k]))
    }

    /// Returns the error, in world units if `origin` and `dx` are those of the case.
    pub fn error(&self, origin: [f64; 3], dx: f64) -> Error {
        let ([i, j, k], [x, y, z]) = (self.voxel, self.place(origin, dx));
        let &Breakdown { step, time, dt, .. } = self;
        let happened = match self.what {
            What::Phi(1) => "phi is NaN at".to_string(),
            What::Phi(count) => format!("phi is NaN at {count} voxels, the first is"),
            What::Coefficient(name, value) => {
                let unit = if name == "curvature" { dx * dx } else { dx };
                format!("evolve.{name} is {} at", value * unit)
            }
            What::NoProgress => format!("the time step {dt:.3e} is too small to advance time at"),
        };
        let place = format!("voxel ({i}, {j}, {k}) ({x:.6}, {y:.6}, {z:.6})");
        let (cause, remedy) = match self.cause {
            Cause::LongStep(factor) => (
                format!(": the step is {factor:.1} times the stable step there"),
                "lower evolve.cfl, or smooth the coefficients in time",
            ),
            Cause::Speed(speed) => (
                format!(
                    ": velocity, normal_speed and curvature move {speed:.3e} voxels per time there"
                ),
                "check their values and units",
            ),
            Cause::NegativeCurvature => (
                ": the equation has no solution for a negative coefficient".into(),
                "keep it at 0 or more, for example with max(0, ...)",
            ),
            Cause::Expression => match self.what {
                What::Coefficient(_, value) if value.is_infinite() => (String::new(), TOO_LARGE),
                _ => (String::new(), "correct its expression"),
            },
            Cause::Unknown => (String::new(), "lower evolve.cfl, or check the coefficients there"),
        };
        let dt = if dt > 0.0 { format!(", dt {dt:.3e}") } else { String::new() };
        Error::Numerical {
            what: format!("{happened} {place}, in step {step} (time {time:.6e}{dt}){cause}"),
            remedy: remedy.into(),
        }
    }
}
