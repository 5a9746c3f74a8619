//! Travel times in cells whose fronts are faster in some directions than in others.
//!
//! A conduction tensor D, symmetric and positive definite, gives the speed sqrt(n . D n) to a front
//! with the unit normal n: the arrival time u satisfies sqrt(grad u . D grad u) = 1. A straight
//! step v then takes the time sqrt(v . G v) with the metric G = D^-1 (Fu, Kirby, Whitaker 2013).
//! The map x -> F x with G = F^T F turns this time into the length |F v|. In the mapped
//! coordinates, the front has speed 1 in all directions, so the formulas of docs/distances.md,
//! sections 5.1 to 5.4, apply to the mapped cell (section 5.12).

use nalgebra::Matrix3;

use super::Slowness;
use crate::geometry::{Real, Vec3};

/// The metric of a cell, in time per mesh unit, by the lower triangle of F: rows (f00), (f10, f11)
/// and (f20, f21, f22).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric<R>([R; 6]);

impl Metric<f64> {
    /// The largest ratio of the fastest to the slowest speed of a cell.
    ///
    /// Beyond it, rounding in 32-bit arithmetic would decide on the shape of mapped cells.
    pub const LARGEST_RATIO: f64 = 1e3;

    /// Returns the metric of the tensor `[xx, yy, zz, xy, yz, xz]`, in squared mesh units per
    /// squared time, or `None` if the tensor is not positive definite or if its speeds differ by
    /// more than [`Metric::LARGEST_RATIO`].
    pub fn new(tensor: [f64; 6]) -> Option<Self> {
        let [xx, yy, zz, xy, yz, xz] = tensor;
        let tensor = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let values = tensor.symmetric_eigenvalues();
        let (low, high) = (values.min(), values.max());
        let is_regular = low > 0.0 && high.is_finite() && high <= low * Self::LARGEST_RATIO.powi(2);
        // D = L L^T gives G = L^-T L^-1, so F = L^-1.
        let factor = is_regular.then(|| tensor.cholesky()).flatten()?.l().try_inverse()?;
        let rows = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)];
        let metric = Metric(rows.map(|at| factor[at]));
        metric.0.iter().all(|x| x.is_finite()).then_some(metric)
    }

    /// Returns the metric as a matrix G: a straight step v takes the time sqrt(v . G v).
    pub(crate) fn matrix(&self) -> Matrix3<f64> {
        let [f00, f10, f11, f20, f21, f22] = self.0;
        let f = Matrix3::new(f00, 0.0, 0.0, f10, f11, 0.0, f20, f21, f22);
        f.transpose() * f
    }

    /// Returns the metric in the scalar type `R`.
    pub fn rounded<R: Real>(&self) -> Metric<R> {
        Metric(self.0.map(R::of))
    }
}

impl<R: Real> Metric<R> {
    /// Maps a step, in mesh units, to coordinates in which its length is its travel time.
    #[inline]
    pub fn map(&self, v: &Vec3<R>) -> Vec3<R> {
        let [f00, f10, f11, f20, f21, f22] = self.0;
        Vec3::new(f00 * v.x, f10 * v.x + f11 * v.y, f20 * v.x + f21 * v.y + f22 * v.z)
    }

    /// Returns the step, in mesh units, that [`Metric::map`] maps to `w`.
    pub fn unmap(&self, w: &Vec3<R>) -> Vec3<R> {
        let [f00, f10, f11, f20, f21, f22] = self.0;
        let x = w.x / f00;
        let y = (w.y - f10 * x) / f11;
        Vec3::new(x, y, (w.z - f20 * x - f21 * y) / f22)
    }

    /// Returns F^T w, so that `transposed_map(&map(v))` is G v.
    pub(crate) fn transposed_map(&self, w: &Vec3<R>) -> Vec3<R> {
        let [f00, f10, f11, f20, f21, f22] = self.0;
        Vec3::new(f00 * w.x + f10 * w.y + f20 * w.z, f11 * w.y + f21 * w.z, f22 * w.z)
    }

    /// Returns the entries of F, row by row.
    pub(crate) fn entries(&self) -> [R; 6] {
        self.0
    }
}

impl<R: Real> Slowness<R> {
    /// Returns the metric of a cell with a tensor.
    #[inline]
    fn metric(&self, cell: u32) -> Option<&Metric<R>> {
        match self {
            Slowness::Tensor(metrics) => Some(&metrics[cell as usize]),
            Slowness::Uniform(_) | Slowness::PerCell(_) => None,
        }
    }

    /// Maps points of a cell to coordinates in which fronts have the same slowness in all
    /// directions. Returns these coordinates and this slowness.
    // As `circle_foot`: level 2 does not inline it otherwise.
    #[inline(always)]
    pub(super) fn in_cell<const N: usize>(&self, cell: u32, x: [Vec3<R>; N]) -> ([Vec3<R>; N], R) {
        match self.metric(cell) {
            None => (x, self.of(cell)),
            // Only differences of the points matter. They are computed before they are mapped,
            // because coordinates may be large.
            Some(metric) => (x.map(|at| metric.map(&(at - x[0]))), R::one()),
        }
    }

    /// Returns the time that a straight step takes in a cell.
    #[inline]
    pub(super) fn time(&self, cell: u32, step: &Vec3<R>) -> R {
        match self.metric(cell) {
            None => step.norm() * self.of(cell),
            Some(metric) => metric.map(step).norm(),
        }
    }

    /// Returns the derivative of [`Slowness::time`] by the step.
    pub(super) fn by_step(&self, cell: u32, step: &Vec3<R>) -> Vec3<R> {
        match self.metric(cell) {
            None => step * (self.of(cell) / step.norm()),
            Some(metric) => {
                let mapped = metric.map(step);
                metric.transposed_map(&mapped) / mapped.norm()
            }
        }
    }

    /// Returns the point of a cell whose step from `origin` is mapped to `w`; the inverse of
    /// [`Slowness::in_cell`] for points relative to `origin`.
    pub(super) fn unmapped(&self, cell: u32, origin: &Vec3<R>, w: &Vec3<R>) -> Vec3<R> {
        match self.metric(cell) {
            None => *w,
            Some(metric) => origin + metric.unmap(w),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn steps_take_the_time_of_the_inverse_tensor(
            speeds in proptest::array::uniform3(0.1f64..3.0),
            angles in proptest::array::uniform3(-3.0f64..3.0),
            step in proptest::array::uniform3(-1.0f64..1.0),
        ) {
            let turn = nalgebra::Rotation3::from_euler_angles(angles[0], angles[1], angles[2]);
            let d = turn.matrix()
                * Matrix3::from_diagonal(&Vec3::from(speeds.map(|s| s * s)))
                * turn.matrix().transpose();
            let tensor = [d[(0, 0)], d[(1, 1)], d[(2, 2)], d[(0, 1)], d[(1, 2)], d[(0, 2)]];
            let metric = Metric::new(tensor).unwrap();
            let step = Vec3::from(step);
            let along = turn.inverse() * step;
            let exact = (0..3).map(|k| (along[k] / speeds[k]).powi(2)).sum::<f64>().sqrt();
            let mapped = metric.map(&step);
            prop_assert!((mapped.norm() - exact).abs() < 1e-12 * (1.0 + exact));
            prop_assert!((metric.unmap(&mapped) - step).norm() < 1e-12);
        }
    }

    #[test]
    fn tensors_that_are_not_positive_definite_have_no_metric() {
        for tensor in [
            [1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
            [1.0, 1.0, 1.0, 2.0, 0.0, 0.0],
            [1.0, f64::NAN, 1.0, 0.0, 0.0, 0.0],
            [1.0, 1.0, f64::INFINITY, 0.0, 0.0, 0.0],
            [1.0, 1e-7, 1.0, 0.0, 0.0, 0.0],
        ] {
            assert_eq!(Metric::new(tensor), None, "{tensor:?}");
        }
    }
}
