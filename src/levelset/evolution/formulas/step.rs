//! The longest stable step of a cell (docs/narrow-band.md, equation (4)).

use crate::geometry::Real;

/// Returns the longest time step that the first-order terms allow, `2 r / (d speed)` with `speed =
/// |a| + |eps|`; infinite if the speed is not positive.
#[inline]
pub fn largest_step<R: Real, const N: usize>(inradius: R, speed: R) -> R {
    let d = R::of((N - 1) as f64);
    if speed > R::zero() { (inradius + inradius) / (d * speed) } else { R::INFINITY }
}

/// Returns the longest time step that the curvature term allows, `2 r^2 / (d beta)`; infinite if
/// beta is not positive.
#[inline]
pub fn largest_diffusive_step<R: Real, const N: usize>(inradius: R, beta: R) -> R {
    let d = R::of((N - 1) as f64);
    let square = inradius * inradius;
    if beta > R::zero() { (square + square) / (d * beta) } else { R::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_from_the_inradius() {
        assert_eq!(largest_step::<f64, 3>(0.5, 2.0), 0.25);
        assert_eq!(largest_step::<f64, 3>(0.5, 0.0), f64::INFINITY);
        assert_eq!(largest_diffusive_step::<f64, 3>(0.5, 1.0), 0.25);
        assert_eq!(largest_diffusive_step::<f64, 4>(0.5, 0.0), f64::INFINITY);
    }
}
