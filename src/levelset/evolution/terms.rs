//! Coefficients of the evolution: advection velocity, normal speed, curvature.

use crate::expression::Field;
use crate::geometry::Real;
use crate::patches::{Patch, Patches};

/// A coefficient with `K` numbers: one value everywhere, or one per vertex.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Coefficient<R, const K: usize> {
    /// The same everywhere.
    Uniform([R; K]),
    /// Per vertex.
    PerVertex(Vec<[R; K]>),
    /// Expressions evaluated at every vertex in every step; rows in mesh order.
    Varying([Field; K]),
}

impl<R: Real, const K: usize> Coefficient<R, K> {
    /// True if the term it stands before can be left out.
    pub fn is_zero(&self) -> bool {
        let zero = |row: &[R; K]| row.iter().all(|v| *v == R::zero());
        match self {
            Coefficient::Uniform(value) => zero(value),
            Coefficient::PerVertex(rows) => rows.iter().all(zero),
            Coefficient::Varying(_) => false,
        }
    }

    /// The same coefficient in another scalar, rows taken in patch order.
    pub(super) fn narrow(from: &Coefficient<f64, K>, patches: &Patches) -> Self {
        let narrow = |row: [f64; K]| row.map(R::narrow);
        match from {
            Coefficient::Uniform(value) => Coefficient::Uniform(narrow(*value)),
            Coefficient::PerVertex(rows) => {
                Coefficient::PerVertex(patches.to_patch_order(rows, narrow))
            }
            Coefficient::Varying(fields) => Coefficient::Varying(fields.clone()),
        }
    }

    /// Mean over the corners of a cell of a patch.
    #[inline]
    pub(super) fn mean<const N: usize>(&self, patch: &Patch<'_>, corners: &[u32]) -> [R; K] {
        match self {
            Coefficient::Uniform(value) => *value,
            Coefficient::PerVertex(rows) => {
                let mut sum = [R::zero(); K];
                for &corner in corners {
                    let row = &rows[patch.vertex(corner as usize)];
                    for (sum, &v) in sum.iter_mut().zip(row) {
                        *sum += v;
                    }
                }
                sum.map(|v| v / R::narrow(N as f64))
            }
            Coefficient::Varying(_) => [R::zero(); K],
        }
    }

    /// Value at a vertex in patch order.
    #[inline]
    pub(super) fn at(&self, vertex: usize) -> [R; K] {
        match self {
            Coefficient::Uniform(value) => *value,
            Coefficient::PerVertex(rows) => rows[vertex],
            Coefficient::Varying(_) => [R::zero(); K],
        }
    }
}

/// The three terms of `phi_t + a . grad phi + eps |grad phi| = beta kappa |grad phi|`, in mesh
/// order and `f64`; a term whose coefficient is zero everywhere costs nothing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Terms {
    /// a, length per time; on surfaces only its tangential part acts.
    pub velocity: Coefficient<f64, 3>,
    /// eps, length per time; positive lets the inside grow.
    pub normal_speed: Coefficient<f64, 1>,
    /// beta >= 0, length^2 per time; shrinks a circle.
    pub curvature: Coefficient<f64, 1>,
}

impl Default for Terms {
    /// No motion.
    fn default() -> Self {
        Terms {
            velocity: Coefficient::Uniform([0.0; 3]),
            normal_speed: Coefficient::Uniform([0.0]),
            curvature: Coefficient::Uniform([0.0]),
        }
    }
}

impl Terms {
    /// Sets the advection velocity.
    pub fn with_velocity(mut self, velocity: Coefficient<f64, 3>) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets the normal speed.
    pub fn with_normal_speed(mut self, normal_speed: Coefficient<f64, 1>) -> Self {
        self.normal_speed = normal_speed;
        self
    }

    /// Sets the curvature coefficient.
    pub fn with_curvature(mut self, curvature: Coefficient<f64, 1>) -> Self {
        self.curvature = curvature;
        self
    }
}
