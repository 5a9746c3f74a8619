//! The scalar type of states and solvers: `f64` or `f32`, chosen once per run.

use crate::Plain;

/// What to do with a coefficient that is infinite where its expression may be right.
pub const TOO_LARGE: &str =
    "correct expressions or units: numbers end at 3.4e38 in f32, at 1.8e308 in f64";

/// Scalar of a solver; implemented by `f64` and `f32` only.
///
/// Geometry, files and the case file are always `f64`; a state is converted once.
pub trait Real: nalgebra::RealField + Copy + Default + Plain {
    /// "f64" or "f32", as in the case file.
    const NAME: &'static str;
    /// Relative size below which an element integral counts as zero (numerics 2.2, step 5).
    const ZERO_TEST: Self;
    /// Sums of shares below this are nothing: their inverse need not be a number.
    const LEAST: Self;
    /// Relative decrease a value must exceed to count as changed (numerics 6).
    const DECREASE: Self;
    /// Whether coordinates must be taken relative to a near point to keep the shape of cells.
    const SHIFTED: bool;
    /// Plus infinity.
    const INFINITY: Self;
    /// Nearest value of this type.
    fn of(x: f64) -> Self;
    /// Exact widening.
    fn to_f64(self) -> f64;
}

impl Real for f64 {
    const NAME: &'static str = "f64";
    const ZERO_TEST: f64 = 1e-14;
    const LEAST: f64 = 1e-300;
    const DECREASE: f64 = 0.0;
    const SHIFTED: bool = false;
    const INFINITY: f64 = f64::INFINITY;
    fn of(x: f64) -> f64 {
        x
    }
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
    fn of(x: f64) -> f32 {
        x as f32
    }
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}
