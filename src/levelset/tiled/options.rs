//! Choices of the evolution on tiles that are not physics; words of the case file are these names in
//! kebab-case, such as "first-order".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Differences of all terms but curvature, which takes central ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scheme {
    /// First order: a third of the work and memory traffic of the other, for bands of 1.5 voxels.
    FirstOrder,
    /// HJ-WENO5 (default): bands of 3 voxels or more.
    #[default]
    Weno5,
}

impl Scheme {
    /// Layers of voxels that one evaluation reads beyond a voxel.
    pub const fn reach(self) -> usize {
        match self {
            Scheme::FirstOrder => 1,
            Scheme::Weno5 => 3,
        }
    }
}

/// Time integration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Time {
    /// Forward Euler: one evaluation per step, two arrays.
    Euler,
    /// TVD-RK3 of Shu and Osher (default): three evaluations per step, three arrays.
    #[default]
    Rk3,
}

/// How phi is kept near a distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Reinitialize {
    /// Not at all.
    #[default]
    Never,
    /// The term `factor S(phi) (1 - |grad phi|)` beside the others, with differences of the scheme.
    /// In first order it shrinks what curvature shrinks, by 7 % more for a factor of alpha
    /// (numerics 8).
    Rescaling {
        /// Speed with which distances spread, in voxels per time.
        factor: f64,
    },
    /// Steps of the reinitialization equation after every so many time steps.
    Equation {
        /// Steps of the equation each time.
        iterations: usize,
        /// Time steps between.
        every: u64,
    },
    /// Distances found anew after every so many time steps: to the interface next to it, by the
    /// eikonal equation farther away.
    Direct {
        /// Time steps between.
        every: u64,
    },
}

/// Choices of the evolution that are not physics.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Half width of the band in voxels: phi is clamped to [-gamma, gamma]. Up to [`MOST_GAMMA`]; a
    /// dense grid also takes infinity.
    pub gamma: f64,
    /// Differences.
    pub scheme: Scheme,
    /// Time integration.
    pub time: Time,
    /// The number nu of `dt (sum_k |U_k| + |F| sqrt(d) + 2 d alpha) <= nu`, at most 1.
    ///
    /// The default is 0.5: the paper's 0.3 is safe, 0.9 about the limit of Euler steps. WENO5 with
    /// RK3 makes its error in space, not in time, at any nu below 1, and half a voxel per step
    /// leaves room for coefficients that grow during a step.
    pub nu: f64,
    /// How phi is kept near a distance.
    pub reinitialize: Reinitialize,
}

/// Largest finite half width: differences of twice that are what `f32` can take in
/// [`formulas::weno`](super::formulas::weno).
pub const MOST_GAMMA: f64 = 20.0;

impl Options {
    /// Defaults for a band of this half width in voxels.
    pub fn new(gamma: f64) -> Self {
        Options {
            gamma,
            scheme: Scheme::default(),
            time: Time::default(),
            nu: 0.5,
            reinitialize: Reinitialize::default(),
        }
    }

    /// First-order differences and Euler steps.
    pub fn first_order(self) -> Self {
        self.with_scheme(Scheme::FirstOrder).with_time(Time::Euler)
    }

    /// Sets the differences.
    pub fn with_scheme(mut self, scheme: Scheme) -> Self {
        self.scheme = scheme;
        self
    }

    /// Sets the time integration.
    pub fn with_time(mut self, time: Time) -> Self {
        self.time = time;
        self
    }

    /// Sets the number that bounds a step.
    pub fn with_nu(mut self, nu: f64) -> Self {
        self.nu = nu;
        self
    }

    /// Sets how phi is kept near a distance.
    pub fn with_reinitialize(mut self, reinitialize: Reinitialize) -> Self {
        self.reinitialize = reinitialize;
        self
    }

    /// Layers round an active voxel within which tiles are kept for a step: what one evaluation
    /// reads, and as far as the evaluations of a step carry the band.
    pub fn reach(&self) -> usize {
        let evaluations = match self.time {
            Time::Euler => 1,
            Time::Rk3 => 3,
        };
        self.scheme.reach().max(evaluations)
    }

    /// Arrays of values that are held while the interface moves: phi, and one or two stages.
    pub fn arrays(&self) -> usize {
        let repeated = matches!(
            self.reinitialize,
            Reinitialize::Equation { iterations, .. } if iterations > 1
        );
        if self.time == Time::Rk3 || repeated { 3 } else { 2 }
    }

    /// # Errors
    /// [`Error::Case`] for numbers out of their ranges.
    pub(super) fn check(&self) -> Result<()> {
        let wrong = |what: String, remedy: &str| Err(Error::usage(what, remedy));
        if !(1.0..=MOST_GAMMA).contains(&self.gamma) && self.gamma != f64::INFINITY {
            let what = format!("a band of half width {} voxels", self.gamma);
            return wrong(what, "take 1 to 20 voxels, such as 1.5 or 3");
        }
        if !(self.nu > 0.0 && self.nu <= 1.0) {
            return wrong(format!("nu = {}", self.nu), "take more than 0 and at most 1");
        }
        match self.reinitialize {
            Reinitialize::Rescaling { factor } if !(factor > 0.0 && factor.is_finite()) => {
                wrong(format!("a rescaling factor of {factor}"), "take a positive number")
            }
            Reinitialize::Equation { iterations: 0, .. } => {
                wrong("a reinitialization of 0 iterations".into(), "take 1 or more")
            }
            Reinitialize::Equation { every: 0, .. } | Reinitialize::Direct { every: 0 } => {
                wrong("a reinitialization every 0 steps".into(), "take 1 or more")
            }
            _ => Ok(()),
        }
    }
}
