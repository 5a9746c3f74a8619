//! Quadrics: weighted sums of squared distances from planes and points.

use nalgebra::Matrix3;

use crate::geometry::Vec3;

/// The function `x^T A x - 2 b^T x + c`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quadric {
    /// The upper triangle of the symmetric matrix A: xx, xy, xz, yy, yz, zz.
    a: [f64; 6],
    b: [f64; 3],
    c: f64,
}

impl Quadric {
    /// Returns the squared distance from the plane through `point` with the unit normal `normal`,
    /// times a weight.
    pub(super) fn plane(normal: Vec3, point: Vec3, weight: f64) -> Self {
        let [x, y, z] = normal.into();
        let along = normal.dot(&point);
        Quadric {
            a: [x * x, x * y, x * z, y * y, y * z, z * z].map(|a| weight * a),
            b: [x, y, z].map(|n| weight * along * n),
            c: weight * along * along,
        }
    }

    /// Returns the squared distance from a point, times a weight.
    pub(super) fn point(point: Vec3, weight: f64) -> Self {
        Quadric {
            a: [1.0, 0.0, 0.0, 1.0, 0.0, 1.0].map(|a| weight * a),
            b: (weight * point).into(),
            c: weight * point.norm_squared(),
        }
    }

    /// Adds another quadric.
    pub(super) fn add(&mut self, other: &Quadric) {
        self.a.iter_mut().zip(other.a).for_each(|(a, other)| *a += other);
        self.b.iter_mut().zip(other.b).for_each(|(b, other)| *b += other);
        self.c += other.c;
    }

    /// Returns the value at a point, at least 0.
    pub(super) fn at(&self, x: Vec3) -> f64 {
        let value = x.dot(&(self.matrix() * x - 2.0 * Vec3::from(self.b))) + self.c;
        value.max(0.0)
    }

    /// Returns the point with the smallest value, or `None` if it is not unique up to rounding.
    pub(super) fn minimum(&self) -> Option<Vec3> {
        let a = self.matrix();
        let inverse = a.try_inverse()?;
        // The product of the norms bounds the condition number.
        (a.norm() * inverse.norm() < 1e10).then(|| inverse * Vec3::from(self.b))
    }

    fn matrix(&self) -> Matrix3<f64> {
        let [xx, xy, xz, yy, yz, zz] = self.a;
        Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadrics_are_squared_distances() {
        let normal = Vec3::new(1.0, 2.0, 2.0) / 3.0;
        let point = Vec3::new(0.3, -0.2, 0.9);
        let plane = Quadric::plane(normal, point, 2.0);
        let x = point + 0.5 * normal + Vec3::new(2.0, -1.0, 0.0);
        assert!((plane.at(x) - 2.0 * 0.25).abs() < 1e-12);
        assert!(plane.minimum().is_none());
        let mut all = Quadric::point(point, 3.0);
        all.add(&plane);
        assert!((all.at(x) - (0.5 + 3.0 * (x - point).norm_squared())).abs() < 1e-12);
        assert!((all.minimum().unwrap() - point).norm() < 1e-12);
    }
}
