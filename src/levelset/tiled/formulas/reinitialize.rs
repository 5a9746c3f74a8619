//! Towards `|grad phi| = 1`: the right-hand side `S(phi0) (1 - |grad phi|)` (Sussman, Smereka &
//! Osher 1994; numerics 8).
//!
//! With phi0 the function before reinitialization and steps of [`STEP`] it is the reinitialization
//! equation; with phi0 = phi and a factor it is the rescaling term of Lefohn et al. `|grad phi|` is
//! Godunov's with the sign of phi0. In first order the term moves a curved interface; WENO5 does so
//! forty times less (numerics 8).

use crate::levelset::tiled::lanes::Lanes;

/// Length of a step of the reinitialization equation: characteristics leave the interface at speed 1,
/// so that 0.3 sqrt(3) of a voxel is passed at most.
pub const STEP: f64 = 0.3;

/// `S(phi0) = phi0 / sqrt(phi0^2 + 1)`.
#[inline(always)]
pub fn smoothed_sign<V: Lanes>(phi0: V) -> V {
    phi0 / (phi0 * phi0 + V::constant(1.0)).sqrt()
}

/// `S(phi0) (1 - |grad phi|)` from the square of Godunov's gradient.
#[inline(always)]
pub fn towards_distance<V: Lanes>(phi0: V, square: V) -> V {
    smoothed_sign(phi0) * (V::constant(1.0) - square.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_stays_and_others_go_the_right_way() {
        assert_eq!(towards_distance(2.0, 1.0), 0.0);
        assert!(towards_distance(2.0, 4.0) < 0.0 && towards_distance(2.0, 0.25) > 0.0);
        assert!(towards_distance(-2.0, 4.0) > 0.0 && towards_distance(-2.0, 0.25) < 0.0);
        assert_eq!(towards_distance(0.0, 4.0), 0.0);
    }
}
