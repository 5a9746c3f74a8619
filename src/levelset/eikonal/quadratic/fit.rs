//! The distance of a vertex to the zero set of a quadratic polynomial that fits phi around it.

use crate::geometry::Vec3;

/// The number of unknowns in three dimensions: three slopes and six second derivatives.
const MOST: usize = 9;

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

/// Collects the values around a vertex, and fits a quadratic polynomial with the value of phi at
/// the vertex.
///
/// Coordinates are relative to the vertex, along the gradient and across it, in units of `scale`.
pub(super) struct Fit {
    /// 2 on surfaces, 3 in tetrahedral meshes.
    dimension: usize,
    scale: f64,
    matrix: [[f64; MOST]; MOST],
    right: [f64; MOST],
}

/// The point of the zero set closest to a vertex.
pub(super) struct Closest {
    /// Its distance, in mesh units.
    pub distance: f64,
    /// The unit gradient of the polynomial there, in the coordinates of the fit.
    pub gradient: [f64; 3],
}

impl Fit {
    pub fn new(dimension: usize, scale: f64) -> Self {
        Fit { dimension, scale, matrix: [[0.0; MOST]; MOST], right: [0.0; MOST] }
    }

    fn n_unknowns(&self) -> usize {
        if self.dimension == 2 { 5 } else { 9 }
    }

    /// Adds a neighbor at `x` (mesh units) where phi differs by `difference`.
    pub fn add(&mut self, x: [f64; 3], difference: f64) {
        let x = x.map(|x| x / self.scale);
        let weight = 1.0 / (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        let row = self.row(x);
        let n = self.n_unknowns();
        for i in 0..n {
            self.right[i] += weight * row[i] * difference;
            for j in 0..n {
                self.matrix[i][j] += weight * row[i] * row[j];
            }
        }
    }

    /// Returns the monomials at a point: slopes, second derivatives that involve the first
    /// coordinate, and the others.
    fn row(&self, [x, y, z]: [f64; 3]) -> [f64; MOST] {
        match self.dimension {
            2 => [x, y, 0.5 * x * x, x * y, 0.5 * y * y, 0.0, 0.0, 0.0, 0.0],
            _ => [x, y, z, 0.5 * x * x, x * y, x * z, 0.5 * y * y, y * z, 0.5 * z * z],
        }
    }

    /// Returns the closest point of the zero set, if the polynomial has one near the vertex with
    /// the value `phi`.
    pub fn closest(mut self, phi: f64) -> Option<Closest> {
        let (n, d) = (self.n_unknowns(), self.dimension);
        for i in 0..n {
            self.matrix[i][i] += match i {
                i if i < d => SLOPE,
                i if i < 2 * d => ALONG,
                _ => ACROSS,
            };
        }
        let z = self.solved(n)?;
        let mut x = [0.0; 3];
        for _ in 0..20 {
            let row = self.row(x);
            let value = phi + (0..n).map(|k| row[k] * z[k]).sum::<f64>();
            let g = self.gradient(&z, x);
            let g2 = g.iter().map(|g| g * g).sum::<f64>();
            let along = (0..d).map(|k| x[k] * g[k]).sum::<f64>() / g2;
            let mut change = 0.0;
            for k in 0..d {
                // One Newton step to the zero set, and one along it toward the foot of the vertex.
                let step = -(value / g2) * g[k] + along * g[k] - x[k];
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
                let g = self.gradient(&z, x);
                let length = g.iter().map(|g| g * g).sum::<f64>().sqrt();
                let distance = far.sqrt() * self.scale;
                let uncertain = UNCERTAIN * self.curvature(&z).powi(2) * phi.abs();
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
    fn curvature(&self, z: &[f64; MOST]) -> f64 {
        let d = self.dimension;
        let slope = z[..d].iter().map(|g| g * g).sum::<f64>().sqrt();
        z[2 * d..self.n_unknowns()].iter().fold(0.0, |most: f64, h| most.max(h.abs())) / slope
    }

    fn gradient(&self, z: &[f64; MOST], [x, y, w]: [f64; 3]) -> [f64; 3] {
        match self.dimension {
            2 => [z[0] + z[2] * x + z[3] * y, z[1] + z[3] * x + z[4] * y, 0.0],
            _ => [
                z[0] + z[3] * x + z[4] * y + z[5] * w,
                z[1] + z[4] * x + z[6] * y + z[7] * w,
                z[2] + z[5] * x + z[7] * y + z[8] * w,
            ],
        }
    }

    /// Solves the normal equations by elimination. The matrix is symmetric and positive definite,
    /// so no pivots are exchanged.
    fn solved(&self, n: usize) -> Option<[f64; MOST]> {
        let (mut a, mut b) = (self.matrix, self.right);
        for k in 0..n {
            // This form of the condition also rejects NaN.
            let is_positive = a[k][k] > 0.0;
            if !is_positive {
                return None;
            }
            let (pivot, right) = (a[k], b[k]);
            for i in k + 1..n {
                let factor = a[i][k] / pivot[k];
                for (entry, above) in a[i].iter_mut().zip(&pivot).skip(k) {
                    *entry -= factor * above;
                }
                b[i] -= factor * right;
            }
        }
        for k in (0..n).rev() {
            for j in k + 1..n {
                b[k] -= a[k][j] * b[j];
            }
            b[k] /= a[k][k];
        }
        Some(b)
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
