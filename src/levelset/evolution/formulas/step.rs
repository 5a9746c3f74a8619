//! Longest stable step of a cell (numerics equation 4), and its shape.

use crate::geometry::{Real, Vec3, simplex::Simplex, simplex::longest_edge};

/// Part of the first-order terms, `2 r / (d speed)` with `speed = |a| + |eps|`; infinite at rest.
#[inline]
pub fn largest_step<R: Real, const N: usize>(inradius: R, speed: R) -> R {
    let d = R::narrow((N - 1) as f64);
    if speed > R::zero() { (inradius + inradius) / (d * speed) } else { R::INFINITY }
}

/// Part of the curvature term, `2 r^2 / (d beta)`; infinite without curvature.
#[inline]
pub fn largest_diffusive_step<R: Real, const N: usize>(inradius: R, beta: R) -> R {
    let d = R::narrow((N - 1) as f64);
    let square = inradius * inradius;
    if beta > R::zero() { (square + square) / (d * beta) } else { R::INFINITY }
}

/// Inradius of a cell over its longest edge, scaled so that a regular simplex has 1.
#[inline]
pub fn quality<R: Real, const N: usize>(s: &Simplex<R, N>, x: &[Vec3<R>; N]) -> R {
    // sqrt(2 d (d + 1)): 2 sqrt(3) for triangles, 2 sqrt(6) for tetrahedra.
    let scale = R::narrow((2.0 * ((N - 1) * N) as f64).sqrt());
    scale * s.inradius() / longest_edge(x)
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

    #[test]
    fn regular_simplices_have_quality_one() {
        let h = 3.0f64.sqrt() / 2.0;
        let x = [Vec3::zeros(), Vec3::x(), Vec3::new(0.5, h, 0.0)];
        assert!((quality(&Simplex::<f64, 3>::new(&x), &x) - 1.0).abs() < 1e-15);
        let top = Vec3::new(0.5, h / 3.0, (2.0f64 / 3.0).sqrt());
        let x = [x[0], x[1], x[2], top];
        assert!((quality(&Simplex::<f64, 4>::new(&x), &x) - 1.0).abs() < 1e-14);
        let flat = [Vec3::zeros(), Vec3::x(), Vec3::new(0.5, 0.01, 0.0)];
        assert!(quality(&Simplex::<f64, 3>::new(&flat), &flat) < 0.02);
    }
}
