//! The distance of a vertex to the zero set of a quadratic polynomial that fits phi around it.

use crate::geometry::Vec3;

/// Relative weights of the conditions that all unknowns are small. They decide only what the values
/// around a vertex leave open, for example at the boundary of the mesh. phi is nearly a distance,
/// whose gradient does not change along itself, so those second derivatives are set to zero first.
const SLOPE: f64 = 1e-10;
const ACROSS: f64 = 1e-7;
const ALONG: f64 = 1e-4;

/// A distance that differs from |phi| by less than this times (h kappa)^2 is not changed, where h
/// is the distance to the neighbors. The error of the fit is of this size. phi thus stays the same
/// when it is reinitialized again and again.
const UNCERTAIN: f64 = 0.5;

/// The normal equations of a quadratic polynomial with the value of phi at a vertex that fits the
/// values around it. It has `U` unknowns, the slopes and the second derivatives: 5 on surfaces and
/// 9 in tetrahedral meshes.
///
/// Coordinates are relative to the vertex, along the gradient and across it, in units of `scale`.
pub(super) struct Fit<const U: usize> {
    scale: f64,
    /// The lower half of the matrix.
    matrix: [[f64; U]; U],
    right: [f64; U],
}

/// The point of the zero set closest to a vertex.
pub(super) struct Closest {
    /// Its distance, in mesh units.
    pub distance: f64,
    /// The unit gradient of the polynomial there, in the coordinates of the fit.
    pub gradient: [f64; 3],
}

impl<const U: usize> Fit<U> {
    const DIMENSION: usize = if U == 5 { 2 } else { 3 };

    /// Collects the neighbors, given by their positions (mesh units) and the differences of phi.
    pub fn new(scale: f64, neighbors: impl Iterator<Item = ([f64; 3], f64)>) -> Self {
        let (mut matrix, mut right) = ([[0.0; U]; U], [0.0; U]);
        for (x, difference) in neighbors {
            let x = x.map(|x| x / scale);
            let weight = 1.0 / (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
            let row = Self::row(x);
            for i in 0..U {
                let weighted = weight * row[i];
                right[i] += weighted * difference;
                for j in 0..=i {
                    matrix[i][j] += weighted * row[j];
                }
            }
        }
        for (i, row) in matrix.iter_mut().enumerate() {
            row[i] += match i {
                i if i < Self::DIMENSION => SLOPE,
                i if i < 2 * Self::DIMENSION => ALONG,
                _ => ACROSS,
            };
        }
        Fit { scale, matrix, right }
    }

    /// Returns the monomials at a point: slopes, second derivatives that involve the first
    /// coordinate, and the others.
    fn row([x, y, z]: [f64; 3]) -> [f64; U] {
        let all = match U {
            5 => [x, y, 0.5 * x * x, x * y, 0.5 * y * y, 0.0, 0.0, 0.0, 0.0],
            _ => [x, y, z, 0.5 * x * x, x * y, x * z, 0.5 * y * y, y * z, 0.5 * z * z],
        };
        std::array::from_fn(|i| all[i])
    }

    /// Returns the closest point of the zero set, if the polynomial has one near the vertex with
    /// the value `phi`.
    pub fn closest(mut self, phi: f64) -> Option<Closest> {
        self.factorize()?;
        let z = self.solved();
        let mut x = [0.0; 3];
        for _ in 0..20 {
            let row = Self::row(x);
            let value = phi + (0..U).map(|k| row[k] * z[k]).sum::<f64>();
            let g = Self::gradient(&z, x);
            let inverse = 1.0 / g.iter().map(|g| g * g).sum::<f64>();
            let along = (0..3).map(|k| x[k] * g[k]).sum::<f64>();
            // One Newton step to the zero set, and one along it toward the foot of the vertex.
            let to_foot = (along - value) * inverse;
            let mut change = 0.0;
            for k in 0..3 {
                let step = to_foot * g[k] - x[k];
                x[k] += step;
                change += step * step;
            }
            let far = x.iter().map(|x| x * x).sum::<f64>();
            // This form of the condition also rejects NaN.
            let is_near = far < 16.0;
            if !is_near {
                return None;
            }
            if change < 1e-24 {
                let g = Self::gradient(&z, x);
                let length = g.iter().map(|g| g * g).sum::<f64>().sqrt();
                let distance = far.sqrt() * self.scale;
                let uncertain = UNCERTAIN * Self::curvature(&z).powi(2) * phi.abs();
                let keeps = (distance - phi.abs()).abs() <= uncertain;
                return Some(Closest {
                    distance: if keeps { phi.abs() } else { distance },
                    gradient: g.map(|g| g / length),
                });
            }
        }
        None
    }

    /// Returns the largest second derivative across the gradient, relative to the slope: the
    /// curvature of the zero set times `scale`.
    fn curvature(z: &[f64; U]) -> f64 {
        let d = Self::DIMENSION;
        let slope = z[..d].iter().map(|g| g * g).sum::<f64>().sqrt();
        z[2 * d..].iter().fold(0.0, |most: f64, h| most.max(h.abs())) / slope
    }

    fn gradient(z: &[f64; U], [x, y, w]: [f64; 3]) -> [f64; 3] {
        match z[..] {
            [gx, gy, xx, xy, yy] => [gx + xx * x + xy * y, gy + xy * x + yy * y, 0.0],
            _ => [
                z[0] + z[3] * x + z[4] * y + z[5] * w,
                z[1] + z[4] * x + z[6] * y + z[7] * w,
                z[2] + z[5] * x + z[7] * y + z[8] * w,
            ],
        }
    }

    /// Replaces the matrix by its Cholesky factor, with the inverses of the diagonal. Returns
    /// `None` if it is not positive definite.
    fn factorize(&mut self) -> Option<()> {
        let a = &mut self.matrix;
        for k in 0..U {
            let pivot = a[k][k] - (0..k).map(|j| a[k][j] * a[k][j]).sum::<f64>();
            // This form of the condition also rejects NaN.
            let is_positive = pivot > 0.0;
            if !is_positive {
                return None;
            }
            let inverse = 1.0 / pivot.sqrt();
            a[k][k] = inverse;
            for i in k + 1..U {
                let sum = (0..k).map(|j| a[i][j] * a[k][j]).sum::<f64>();
                a[i][k] = (a[i][k] - sum) * inverse;
            }
        }
        Some(())
    }

    /// Returns the unknowns, from the factors of the matrix.
    fn solved(&self) -> [f64; U] {
        let (a, mut b) = (&self.matrix, self.right);
        for k in 0..U {
            b[k] = (b[k] - (0..k).map(|j| a[k][j] * b[j]).sum::<f64>()) * a[k][k];
        }
        for k in (0..U).rev() {
            b[k] = (b[k] - (k + 1..U).map(|j| a[j][k] * b[j]).sum::<f64>()) * a[k][k];
        }
        b
    }
}

/// The directions along and across the gradient at a vertex.
pub(super) struct Frame {
    axes: [Vec3; 3],
    dimension: usize,
}

impl Frame {
    /// Returns the frame with the first axis along `gradient`. On a surface, `normal` is the unit
    /// normal at the vertex. Returns `None` if the gradient has no direction.
    pub fn new(gradient: Vec3, normal: Option<Vec3>) -> Option<Self> {
        let tangential = normal.map_or(gradient, |n| gradient - n * gradient.dot(&n));
        let first = tangential.try_normalize(0.0)?;
        let second = match normal {
            Some(n) => n.cross(&first),
            None => {
                let axis = first.iamin();
                first.cross(&Vec3::ith(axis, 1.0)).normalize()
            }
        };
        let third = first.cross(&second);
        Some(Frame {
            axes: [first, second, third],
            dimension: if normal.is_some() { 2 } else { 3 },
        })
    }

    /// Returns the coordinates of an edge from the vertex. On a surface, the edge is turned into
    /// the tangent plane and keeps its length.
    pub fn coordinates(&self, edge: &Vec3) -> [f64; 3] {
        let mut x = self.axes.map(|axis| axis.dot(edge));
        if self.dimension == 2 {
            x[2] = 0.0;
            let flat = x[0].hypot(x[1]);
            if flat > 0.0 {
                x = x.map(|x| x * (edge.norm() / flat));
            }
        }
        x
    }

    /// Returns the vector with these coordinates.
    pub fn vector(&self, x: [f64; 3]) -> Vec3 {
        self.axes[0] * x[0] + self.axes[1] * x[1] + self.axes[2] * x[2]
    }
}
