//! The upwind gradient norm for motion along the normal (Godunov; docs/tiles.md, section 8).

use crate::levelset::tiled::lanes::Lanes;

/// Returns the contribution of an axis to `|grad phi|^2` for a front with the given speed:
/// `max(max(phi^-, 0)^2, min(phi^+, 0)^2)` where `speed > 0`. Elsewhere, the two sides are
/// exchanged.
#[inline(always)]
fn godunov<V: Lanes>(minus: V, plus: V, speed: V) -> V {
    let zero = V::constant(0.0);
    let outward = speed.gt(zero);
    let a = V::select(outward, minus, plus).larger(zero);
    let b = V::select(outward, plus, minus).smaller(zero);
    (a * a).larger(b * b)
}

/// Returns `|grad phi|^2` from both one-sided derivatives along each axis.
#[inline(always)]
pub fn godunov_square<V: Lanes>(minus: [V; 3], plus: [V; 3], speed: V) -> V {
    let (x, y) = (godunov(minus[0], plus[0], speed), godunov(minus[1], plus[1], speed));
    (x + y) + godunov(minus[2], plus[2], speed)
}

#[cfg(test)]
mod tests {
    use super::godunov;

    #[test]
    fn takes_the_side_the_front_comes_from() {
        // A slope, a valley and a ridge, for both signs of the speed.
        assert_eq!(godunov(2.0, 3.0, 1.0), 4.0);
        assert_eq!(godunov(2.0, 3.0, -1.0), 9.0);
        assert_eq!(godunov(-2.0, 3.0, 1.0), 0.0);
        assert_eq!(godunov(-2.0, 3.0, -1.0), 9.0);
        assert_eq!(godunov(2.0, -3.0, 1.0), 9.0);
        assert_eq!(godunov(2.0, -3.0, -1.0), 0.0);
        assert_eq!(godunov(-2.0, -3.0, 1.0), 9.0);
        assert_eq!(godunov(-2.0, -3.0, -1.0), 4.0);
    }
}
