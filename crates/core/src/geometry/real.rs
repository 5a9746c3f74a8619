//! The scalar type of states and solvers: `f64` or `f32`, chosen once per run.

use crate::Plain;

/// The remedy for an infinite coefficient whose expression may be correct.
pub const TOO_LARGE: &str =
    "check expressions and units: the largest number is 3.4e38 in f32 and 1.8e308 in f64";

/// The scalar type of a solver, implemented only by `f64` and `f32`.
///
/// Geometry, files and case files always use `f64`. The state of a solver is converted once.
pub trait Real: nalgebra::RealField + Copy + Default + Plain {
    /// The name in the case file: "f64" or "f32".
    const NAME: &'static str;
    /// The relative size below which the integral over a cell counts as zero (docs/level-set.md,
    /// section 2.2, step 5).
    const ZERO_TEST: Self;
    /// Sums of contributions below this value count as zero, because their inverse may overflow.
    const LEAST: Self;
    /// The relative decrease that a value must exceed to count as changed (docs/distances.md,
    /// section 6).
    const DECREASE: Self;
    /// Whether coordinates must be relative to a nearby point to preserve the shape of cells.
    const SHIFTED: bool;
    /// Plus infinity.
    const INFINITY: Self;
    /// Returns the nearest value of this type.
    fn of(x: f64) -> Self;
    /// Converts to `f64` without rounding.
    fn to_f64(self) -> f64;
}

impl Real for f64 {
    const NAME: &'static str = "f64";
    const ZERO_TEST: f64 = 1e-14;
    const LEAST: f64 = 1e-300;
    const DECREASE: f64 = 0.0;
    const SHIFTED: bool = false;
    const INFINITY: f64 = f64::INFINITY;
    #[inline]
    fn of(x: f64) -> f64 {
        x
    }
    #[inline]
    fn to_f64(self) -> f64 {
        self
    }
}

impl Real for f32 {
    const NAME: &'static str = "f32";
    const ZERO_TEST: f32 = 1e-6;
    const LEAST: f32 = 1e-36;
    const DECREASE: f32 = 6e-8;
    const SHIFTED: bool = true;
    const INFINITY: f32 = f32::INFINITY;
    #[inline]
    fn of(x: f64) -> f32 {
        x as f32
    }
    #[inline]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}
