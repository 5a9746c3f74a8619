//! The right-hand side `S(phi0) (1 - |grad phi|)` that drives phi toward a signed distance function
//! (Sussman, Smereka & Osher 1994; docs/tiles.md, section 8).
//!
//! If phi0 is the function before reinitialization and the time step is [`STEP`], this is the
//! reinitialization equation. With phi0 = phi and a factor, it is the rescaling term of Lefohn et
//! al. `|grad phi|` is Godunov's norm with the sign of phi0. With first-order differences, the term
//! moves a curved interface. With WENO5, this movement is forty times smaller.

use crate::levelset::tiled::lanes::Lanes;

/// The time step of the reinitialization equation. Characteristics leave the interface at speed 1,
/// so in one step their movements along the axes add up to at most 0.3 sqrt(3) voxels.
pub const STEP: f64 = 0.3;

/// Returns `S(phi0) = phi0 / sqrt(phi0^2 + 1)`.
#[inline(always)]
pub fn smoothed_sign<V: Lanes>(phi0: V) -> V {
    phi0 / (phi0 * phi0 + V::constant(1.0)).sqrt()
}

/// Returns `S(phi0) (1 - |grad phi|)` from the square of Godunov's gradient norm.
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
