//! Motion by curvature: `kappa |grad phi|` with central differences (docs/tiles.md, section 8).

use crate::levelset::tiled::lanes::Lanes;
use crate::levelset::tiled::neighborhood::Around;

/// The largest `|kappa|` that a grid can represent: two principal curvatures of 1 per voxel each.
const MOST: f64 = 2.0;

/// The central differences of a function at one voxel, per voxel and, for second ones, per voxel
/// squared.
#[derive(Clone, Copy)]
pub struct Central<V> {
    /// `phi_x, phi_y, phi_z`.
    pub gradient: [V; 3],
    /// `phi_xx, phi_yy, phi_zz`.
    pub pure: [V; 3],
    /// `phi_xy, phi_xz, phi_yz`.
    pub mixed: [V; 3],
}

/// Returns half the difference between the values on the two sides.
#[inline(always)]
fn first<V: Lanes>(low: V, high: V) -> V {
    V::constant(0.5) * (high - low)
}

/// Returns the mixed difference at a voxel in the plane of two axes.
#[inline(always)]
fn mixed<V: Lanes>(around: &impl Around<V>, a: usize, b: usize) -> V {
    let (mut same, mut opposite) = ([0; 3], [0; 3]);
    (same[a], same[b]) = (1, 1);
    (opposite[a], opposite[b]) = (1, -1);
    let [low, high] = [[-same[0], -same[1], -same[2]], same];
    let [left, right] = [[-opposite[0], -opposite[1], -opposite[2]], opposite];
    let (along, across) = (around.at(low) + around.at(high), around.at(left) + around.at(right));
    V::constant(0.25) * (along - across)
}

impl<V: Lanes> Central<V> {
    /// Computes the differences at the voxel in the middle.
    #[inline(always)]
    pub fn new(around: &impl Around<V>) -> Self {
        let center = around.at([0, 0, 0]);
        let twice = center + center;
        let x = [around.at([-1, 0, 0]), around.at([1, 0, 0])];
        let y = [around.at([0, -1, 0]), around.at([0, 1, 0])];
        let z = [around.at([0, 0, -1]), around.at([0, 0, 1])];
        Central {
            gradient: [first(x[0], x[1]), first(y[0], y[1]), first(z[0], z[1])],
            pure: [x[0] + x[1] - twice, y[0] + y[1] - twice, z[0] + z[1] - twice],
            mixed: [mixed(around, 0, 1), mixed(around, 0, 2), mixed(around, 1, 2)],
        }
    }

    /// Returns `|grad phi|^2`.
    #[inline(always)]
    pub fn square(&self) -> V {
        let [x, y, z] = self.gradient;
        (x * x + y * y) + z * z
    }
}

/// Returns `kappa |grad phi|`, per voxel, with `kappa = (|g|^2 tr H - g^T H g) / |g|^3`. kappa is
/// the sum of the two principal curvatures and is positive for a ball with phi < 0 inside.
/// `|kappa|` is clipped to the largest value that the grid can represent.
#[inline(always)]
pub fn curvature<V: Lanes>(d: &Central<V>) -> V {
    let [x, y, z] = d.gradient;
    let [xx, yy, zz] = d.pure;
    let [xy, xz, yz] = d.mixed;
    let square = d.square();
    let two = V::constant(2.0);
    // |g|^2 tr H - g^T H g without the terms that cancel.
    let straight = ((x * x) * (yy + zz) + (y * y) * (xx + zz)) + (z * z) * (xx + yy);
    let crossed = ((x * y) * xy + (x * z) * xz) + (y * z) * yz;
    let guarded = square + V::constant(1e-12);
    let norm = square.sqrt();
    let kappa = (straight - two * crossed) / (guarded * guarded.sqrt());
    let most = V::constant(MOST);
    kappa.smaller(most).larger(-most) * norm
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A function sampled around a point.
    pub struct Function<F>(pub [f64; 3], pub F);

    impl<F: Fn([f64; 3]) -> f64> Around<f64> for Function<F> {
        fn at(&self, by: [isize; 3]) -> f64 {
            (self.1)([0, 1, 2].map(|k| self.0[k] + by[k] as f64))
        }
    }

    fn at(center: [f64; 3], f: impl Fn([f64; 3]) -> f64) -> f64 {
        curvature(&Central::new(&Function(center, f)))
    }

    #[test]
    fn a_sphere_and_a_cylinder_have_two_and_one_over_their_radius() {
        let x = [13.0, -21.0, 32.0];
        let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
        let sphere = at(x, |x| norm(&x) - 40.0);
        assert!((sphere * norm(&x) / 2.0 - 1.0).abs() < 1e-3, "{sphere}");
        let cylinder = at(x, |x| 40.0 - norm(&x[1..]));
        assert!((cylinder * norm(&x[1..]) + 1.0).abs() < 1e-3, "{cylinder}");
    }

    #[test]
    fn flat_and_constant_functions_have_none_and_kinks_are_clipped() {
        assert!(at([0.0; 3], |x| 0.3 * x[0] - x[1] + 2.0 * x[2]).abs() < 1e-12);
        assert_eq!(at([0.0; 3], |_| 3.0), 0.0);
        let tip = at([0.3, 0.1, 0.0], |x| x.iter().map(|x| x * x).sum::<f64>().sqrt());
        assert!(tip > 0.0 && tip <= 2.0, "{tip}");
    }
}
