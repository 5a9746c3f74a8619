//! Options of the evolution on tiles that select numerical methods. The case file uses the names of
//! the variants in kebab case, such as "first-order".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The differences of all terms except curvature, which uses central differences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Scheme {
    /// First order: a third of the work and memory traffic of WENO5, for bands of 1.5 voxels.
    FirstOrder,
    /// HJ-WENO5 (default), for bands of 3 voxels or more.
    #[default]
    Weno5,
}

impl Scheme {
    /// Returns the number of layers of voxels that one evaluation reads beyond a voxel.
    pub const fn reach(self) -> usize {
        match self {
            Scheme::FirstOrder => 1,
            Scheme::Weno5 => 3,
        }
    }
}

/// The time integration.
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

/// The method that keeps phi close to a distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Reinitialize {
    /// No reinitialization.
    #[default]
    Never,
    /// The term `factor S(phi) (1 - |grad phi|)` is added to the others, with the differences of
    /// the scheme. With first-order differences, regions that shrink by curvature shrink 7 % faster
    /// if the factor equals alpha (docs/tiles.md, section 8).
    Rescaling {
        /// The speed at which distances spread, in voxels per time.
        factor: f64,
    },
    /// Steps of the reinitialization equation, after every `every` time steps.
    Equation {
        /// The number of steps of the equation per reinitialization.
        iterations: usize,
        /// The number of time steps between reinitializations.
        every: u64,
    },
    /// Distances are recomputed after every `every` time steps: from phi next to the interface, and
    /// by the eikonal equation farther away.
    Direct {
        /// The number of time steps between reinitializations.
        every: u64,
    },
}

/// Options of the evolution that select numerical methods. Times are in the unit of the case.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The half width of the band in voxels. phi is clamped to [-gamma, gamma]. From 1 to
    /// [`MOST_GAMMA`]; a dense grid also accepts infinity.
    pub gamma: f64,
    /// The differences of all terms except curvature.
    pub scheme: Scheme,
    /// The time integration.
    pub time: Time,
    /// The CFL factor nu, without a unit, in `dt (sum_k |U_k| + |F| sqrt(d) + 2 d alpha) <= nu`, at
    /// most 1, where d is the dimension.
    ///
    /// The default is 0.5. The 0.3 of Jalba et al. is safe, and 0.9 is about the limit of Euler
    /// steps. For any nu below 1, the error of WENO5 with RK3 comes from the discretization in
    /// space, not in time.
    pub nu: f64,
    /// The longest step allowed if any coefficient depends on time; infinite by default. Where the
    /// change in a coefficient cannot be derived from its expression, the coefficient is sampled at
    /// intervals of at most this length.
    pub max_step: f64,
    /// The time at which the motion begins, 0 by default.
    pub start_time: f64,
    /// The method that keeps phi close to a distance.
    pub reinitialize: Reinitialize,
}

/// The largest finite half width, in voxels. With differences of up to twice this value, the
/// products in [`formulas::weno`](super::formulas::weno) stay within the range of `f32`.
pub const MOST_GAMMA: f64 = 20.0;

impl Options {
    /// Returns the default options for a band of this half width in voxels.
    pub fn new(gamma: f64) -> Self {
        Options {
            gamma,
            scheme: Scheme::default(),
            time: Time::default(),
            nu: 0.5,
            max_step: f64::INFINITY,
            start_time: 0.0,
            reinitialize: Reinitialize::default(),
        }
    }

    /// Selects first-order differences and Euler steps.
    pub fn first_order(self) -> Self {
        self.with_scheme(Scheme::FirstOrder).with_time(Time::Euler)
    }

    /// Sets the difference scheme.
    pub fn with_scheme(mut self, scheme: Scheme) -> Self {
        self.scheme = scheme;
        self
    }

    /// Sets the time integration.
    pub fn with_time(mut self, time: Time) -> Self {
        self.time = time;
        self
    }

    /// Sets the CFL factor nu, > 0 and at most 1.
    pub fn with_nu(mut self, nu: f64) -> Self {
        self.nu = nu;
        self
    }

    /// Sets the time at which the motion begins, in the unit of the case.
    pub fn with_start_time(mut self, start_time: f64) -> Self {
        self.start_time = start_time;
        self
    }

    /// Sets the longest step allowed if any coefficient depends on time, in the unit of the case.
    pub fn with_max_step(mut self, max_step: f64) -> Self {
        self.max_step = max_step;
        self
    }

    /// Sets the reinitialization.
    pub fn with_reinitialize(mut self, reinitialize: Reinitialize) -> Self {
        self.reinitialize = reinitialize;
        self
    }

    /// Returns the number of layers around an active voxel within which a step needs tiles: the
    /// layers that one evaluation reads, or the layers by which the evaluations of a step move the
    /// band, if that is more.
    pub fn reach(&self) -> usize {
        let evaluations = match self.time {
            Time::Euler => 1,
            Time::Rk3 => 3,
        };
        self.scheme.reach().max(evaluations)
    }

    /// Returns the number of arrays of values during the motion: phi, and one or two stages.
    pub fn arrays(&self) -> usize {
        let repeated = matches!(
            self.reinitialize,
            Reinitialize::Equation { iterations, .. } if iterations > 1
        );
        if self.time == Time::Rk3 || repeated { 3 } else { 2 }
    }

    /// Checks the options.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if a number is out of range.
    pub(super) fn check(&self) -> Result<()> {
        let wrong = |what: String, remedy: &str| Err(Error::usage(what, remedy));
        if !(1.0..=MOST_GAMMA).contains(&self.gamma) && self.gamma != f64::INFINITY {
            let what = format!("a half width of {} voxels is out of range", self.gamma);
            return wrong(what, "use 1 to 20 voxels, such as 1.5 or 3");
        }
        if !(self.nu > 0.0 && self.nu <= 1.0) {
            return wrong(
                format!("nu = {} is out of range", self.nu),
                "use a value above 0 and at most 1",
            );
        }
        match self.reinitialize {
            Reinitialize::Rescaling { factor } if !(factor > 0.0 && factor.is_finite()) => {
                wrong(format!("the rescaling factor is {factor}"), "use a positive number")
            }
            Reinitialize::Equation { iterations: 0, .. } => {
                wrong("a reinitialization needs iterations".into(), "use 1 or more")
            }
            Reinitialize::Equation { every: 0, .. } | Reinitialize::Direct { every: 0 } => {
                wrong("a reinitialization every 0 steps is not possible".into(), "use 1 or more")
            }
            _ => Ok(()),
        }
    }
}
