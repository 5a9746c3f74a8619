//! Distance of a voxel next to the interface, accurate to a small fraction of a voxel.
//!
//! phi is approximated by its second-order Taylor polynomial around the voxel, with fourth-order
//! derivatives along the axes. If values two voxels away are clamped, these derivatives are of
//! second order. The point of the zero set nearest to the voxel is found by the iteration of Chopp
//! (2001): a Newton step onto the zero set, and a step along it. If a value next to the voxel is
//! clamped or the iteration does not converge, the result is the distance to the plane through the
//! crossings on the axes.

use super::curvature::Central;
use crate::levelset::tiled::lanes::Lanes;

/// The number of iterations. Each one divides the error by the ratio of the radius of curvature to
/// the distance.
const STEPS: usize = 5;

/// The smallest distance that a voxel gets. It is positive, so that an inside voxel keeps its sign.
pub const LEAST: f64 = 1e-12;

/// Returns `d` with the derivatives along the axes raised to fourth order. `outer[k]` holds the
/// values two voxels away along axis k: `[at -2, at +2]`.
#[inline(always)]
pub fn refined<V: Lanes>(d: &Central<V>, center: V, outer: [[V; 2]; 3]) -> Central<V> {
    let third = V::constant(1.0 / 3.0);
    let (four, twelfth) = (V::constant(4.0), V::constant(1.0 / 12.0));
    let mut fine = *d;
    for (k, [low, high]) in outer.into_iter().enumerate() {
        let wide = V::constant(0.25) * (high - low);
        fine.gradient[k] = (four * d.gradient[k] - wide) * third;
        let wide = (low + high) - (center + center);
        fine.pure[k] = (V::constant(16.0) * d.pure[k] - wide) * twelfth;
    }
    fine
}

#[inline(always)]
fn dot<V: Lanes>(a: [V; 3], b: [V; 3]) -> V {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

/// Returns the distance to the zero set of `value + g . x + x^T H x / 2`, or a value above 2 if the
/// iteration does not converge.
#[inline(always)]
pub fn to_quadric<V: Lanes>(value: V, d: &Central<V>) -> V {
    let [xx, yy, zz] = d.pure;
    let [xy, xz, yz] = d.mixed;
    let half = V::constant(0.5);
    let mut x = [V::constant(0.0); 3];
    let mut left = value;
    for _ in 0..STEPS {
        let bend = [
            (xx * x[0] + xy * x[1]) + xz * x[2],
            (xy * x[0] + yy * x[1]) + yz * x[2],
            (xz * x[0] + yz * x[1]) + zz * x[2],
        ];
        left = value + (dot(d.gradient, x) + half * dot(bend, x));
        let normal = [d.gradient[0] + bend[0], d.gradient[1] + bend[1], d.gradient[2] + bend[2]];
        let square = dot(normal, normal) + V::constant(1e-12);
        // Project the point onto the line through the voxel along the normal. Then move it along
        // this line onto the zero set.
        let along = (dot(x, normal) - left) / square;
        x = [along * normal[0], along * normal[1], along * normal[2]];
    }
    let distance = dot(x, x).sqrt();
    let size = dot(d.gradient, d.gradient).sqrt();
    let arrived = (V::constant(1e-4) * (size * size)).gt(left * left);
    V::select(arrived, distance, V::constant(4.0))
}

/// Returns the distance to the plane through the crossings on the axes, from the two neighboring
/// values on each axis. Returns a value above 2 if there is no crossing.
#[inline(always)]
pub fn to_crossings<V: Lanes>(value: V, neighbors: [[V; 2]; 3]) -> V {
    let zero = V::constant(0.0);
    let inside = zero.gt(value);
    let own = V::select(inside, -value, value);
    let mut sum = zero;
    for [before, behind] in neighbors {
        let (a, b) = (slope(value, before), slope(value, behind));
        sum = sum + (a * a).larger(b * b);
    }
    V::select(sum.gt(zero), own / sum.sqrt(), V::constant(4.0))
}

/// Returns the slope between two values of different sign, as a change per voxel, or zero if they
/// have the same sign.
#[inline(always)]
fn slope<V: Lanes>(value: V, other: V) -> V {
    let zero = V::constant(0.0);
    let (slope, beyond) = (other - value, zero.gt(other));
    let of_inside = V::select(beyond, zero, slope);
    V::select(zero.gt(value), of_inside, V::select(beyond, slope, zero))
}

#[cfg(test)]
mod tests {
    use super::super::curvature::tests::Function;
    use super::*;

    fn central(f: impl Fn([f64; 3]) -> f64) -> (f64, Central<f64>) {
        let at = |x: isize, y: isize, z: isize| f([x as f64, y as f64, z as f64]);
        let d = Central::new(&Function([0.0; 3], &f));
        let outer =
            [[at(-2, 0, 0), at(2, 0, 0)], [at(0, -2, 0), at(0, 2, 0)], [at(0, 0, -2), at(0, 0, 2)]];
        (at(0, 0, 0), refined(&d, at(0, 0, 0), outer))
    }

    #[test]
    fn a_plane_is_exact_and_a_warped_sphere_to_a_thousandth() {
        let plane = |x: [f64; 3]| 2.0 * x[0] - x[1] + 2.0 * x[2] + 1.2;
        let (value, d) = central(plane);
        assert!((to_quadric(value, &d) - 0.4).abs() < 1e-12);
        let crossings = [[-0.8, 3.2], [2.2, 0.2], [-0.8, 3.2]];
        assert!((to_crossings(1.2, crossings) - 1.2 / 8f64.sqrt()).abs() < 1e-12);

        let radius = |x: [f64; 3]| {
            let c = [11.0, 7.0, -14.6];
            x.iter().zip(c).map(|(x, c)| (x - c) * (x - c)).sum::<f64>().sqrt()
        };
        let exact = radius([0.0; 3]) - 19.0;
        let warped = |x: [f64; 3]| (radius(x) - 19.0) * (1.5 + 0.3 * (x[0] / 9.0).sin());
        let (value, d) = central(warped);
        assert!((to_quadric(value, &d) - exact.abs()).abs() < 1e-3);
    }

    #[test]
    fn nothing_to_find_is_said_to_be_far() {
        let (value, d) = central(|_| 1.0);
        assert!(to_quadric(value, &d) > 2.0);
        assert!(to_crossings(1.0, [[1.0; 2]; 3]) > 2.0);
    }
}
