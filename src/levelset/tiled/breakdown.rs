//! Why a step on tiles broke down: the first voxel in the order of the tiles, and the likely cause.

use crate::error::Error;
pub use crate::geometry::TOO_LARGE;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum What {
    /// phi is no number at so many voxels.
    Phi(u64),
    /// A coefficient of this name, in voxels and time, is not a finite number or has a value it must
    /// not have.
    Coefficient(&'static str, f64),
    /// The step is so short that the time does not change; this is the fastest voxel.
    NoProgress,
}

/// The likely cause.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cause {
    /// The step is so many times what is stable at the voxel, by what coefficients are within it.
    LongStep(f64),
    /// The sum that bounds a step, `sum_k |U_k| + |F| sqrt(d) + 2 d alpha`, is this large there, per time.
    Speed(f64),
    /// Backward motion by curvature.
    NegativeCurvature,
    /// The expression of a coefficient.
    Expression,
    /// Nothing that is seen at the voxel.
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
    /// The voxel.
    pub voxel: [i32; 3],
    /// The likely cause.
    pub cause: Cause,
}

impl Breakdown {
    /// Where a voxel lies, if voxel (0, 0, 0) does at `origin` and voxels have the edge `dx`.
    pub fn place(&self, origin: [f64; 3], dx: f64) -> [f64; 3] {
        std::array::from_fn(|k| origin[k] + dx * f64::from(self.voxel[k]))
    }

    /// The error, in world units where `origin` and `dx` are those of the case.
    pub fn error(&self, origin: [f64; 3], dx: f64) -> Error {
        let ([i, j, k], [x, y, z]) = (self.voxel, self.place(origin, dx));
        let &Breakdown { step, time, dt, .. } = self;
        let happened = match self.what {
            What::Phi(1) => "phi is no number at".to_string(),
            What::Phi(count) => format!("phi is no number at {count} voxels, the first"),
            What::Coefficient(name, value) => {
                let unit = if name == "curvature" { dx * dx } else { dx };
                format!("evolve.{name} is {} at", value * unit)
            }
            What::NoProgress => format!("the time step of {dt:.3e} is lost beside the time at"),
        };
        let place = format!("voxel ({i}, {j}, {k}) ({x:.6}, {y:.6}, {z:.6})");
        let (cause, remedy) = match self.cause {
            Cause::LongStep(factor) => (
                format!(": the step is {factor:.1} times what is stable there"),
                "lower evolve.cfl, or smooth what grows so fast in time",
            ),
            Cause::Speed(speed) => (
                format!(
                    ": velocity, normal_speed and curvature move {speed:.3e} voxels per time there"
                ),
                "check their values and units",
            ),
            Cause::NegativeCurvature => (
                ": a negative coefficient has no solution".into(),
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
