//! Coefficients of the evolution, as they are handed in.

use crate::expression::Field;

/// A coefficient with `K` numbers: one value everywhere, one per vertex, or expressions of time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Coefficient<const K: usize> {
    /// The same everywhere.
    Uniform([f64; K]),
    /// Per vertex, in mesh order.
    PerVertex(Vec<[f64; K]>),
    /// Expressions evaluated at every vertex in every step; rows in mesh order.
    Varying([Field; K]),
}

impl<const K: usize> Coefficient<K> {
    /// True if the term it stands before can be left out.
    pub fn is_zero(&self) -> bool {
        let zero = |row: &[f64; K]| row.iter().all(|v| *v == 0.0);
        match self {
            Coefficient::Uniform(value) => zero(value),
            Coefficient::PerVertex(rows) => rows.iter().all(zero),
            Coefficient::Varying(_) => false,
        }
    }

    /// All numbers that are known beforehand.
    pub(super) fn known(&self) -> &[[f64; K]] {
        match self {
            Coefficient::Uniform(value) => std::slice::from_ref(value),
            Coefficient::PerVertex(rows) => rows,
            Coefficient::Varying(_) => &[],
        }
    }
}

/// The terms of `phi_t + a . grad phi + eps |grad phi| = beta kappa |grad phi| + |grad phi| div(w
/// grad phi / |grad phi|)`; a term whose coefficient is zero everywhere costs nothing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Terms {
    /// a, length per time; on surfaces only its tangential part acts.
    pub velocity: Coefficient<3>,
    /// eps, length per time; positive lets the inside grow.
    pub normal_speed: Coefficient<1>,
    /// beta >= 0, length^2 per time; shrinks a circle. Not together with `weight`.
    pub curvature: Coefficient<1>,
    /// w >= 0, length^2 per time: weighted curvature flow, which shortens the length of the
    /// interface weighted by w (its area, between tetrahedra; numerics 3.3).
    pub weight: Coefficient<1>,
    /// phi at inflow boundaries; `None` holds what is there.
    pub inflow: Option<Field>,
}

impl Default for Terms {
    /// No motion.
    fn default() -> Self {
        Terms {
            velocity: Coefficient::Uniform([0.0; 3]),
            normal_speed: Coefficient::Uniform([0.0]),
            curvature: Coefficient::Uniform([0.0]),
            weight: Coefficient::Uniform([0.0]),
            inflow: None,
        }
    }
}

impl Terms {
    /// Sets the advection velocity.
    pub fn with_velocity(mut self, velocity: Coefficient<3>) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets the normal speed.
    pub fn with_normal_speed(mut self, normal_speed: Coefficient<1>) -> Self {
        self.normal_speed = normal_speed;
        self
    }

    /// Sets the curvature coefficient.
    pub fn with_curvature(mut self, curvature: Coefficient<1>) -> Self {
        self.curvature = curvature;
        self
    }

    /// Sets the weight of the weighted curvature flow.
    pub fn with_weight(mut self, weight: Coefficient<1>) -> Self {
        self.weight = weight;
        self
    }

    /// Gives phi at inflow boundaries (rows in mesh order).
    pub fn with_inflow(mut self, inflow: Field) -> Self {
        self.inflow = Some(inflow);
        self
    }

    /// True if nothing moves.
    pub fn is_zero(&self) -> bool {
        self.velocity.is_zero()
            && self.normal_speed.is_zero()
            && self.curvature.is_zero()
            && self.weight.is_zero()
    }
}
