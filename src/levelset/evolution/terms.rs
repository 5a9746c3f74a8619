//! Coefficients of the evolution, as the caller passes them.

use crate::expression::Field;

/// A coefficient with `K` components: one value everywhere, one per vertex, or expressions that
/// depend on time.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Coefficient<const K: usize> {
    /// One value everywhere.
    Uniform([f64; K]),
    /// One value per vertex, in mesh order, `[n_vertices]`.
    PerVertex(Vec<[f64; K]>),
    /// Expressions evaluated at every vertex in every step; rows in mesh order.
    Varying([Field; K]),
}

impl<const K: usize> Coefficient<K> {
    /// Returns whether the coefficient is zero everywhere, so that its term can be omitted.
    pub fn is_zero(&self) -> bool {
        let zero = |row: &[f64; K]| row.iter().all(|v| *v == 0.0);
        match self {
            Coefficient::Uniform(value) => zero(value),
            Coefficient::PerVertex(rows) => rows.iter().all(zero),
            Coefficient::Varying(_) => false,
        }
    }

    /// Returns the values that do not depend on time: one row, one row per vertex, or none.
    pub(super) fn known(&self) -> &[[f64; K]] {
        match self {
            Coefficient::Uniform(value) => std::slice::from_ref(value),
            Coefficient::PerVertex(rows) => rows,
            Coefficient::Varying(_) => &[],
        }
    }
}

/// The coefficients of the terms of the level-set equation. Lengths are in mesh units, and times in
/// the unit of the case.
///
/// The equation is `phi_t + a . grad phi + eps |grad phi| = R`, where R is
/// `beta kappa |grad phi| + |grad phi| div(w grad phi / |grad phi|)`. A term whose coefficient is
/// zero everywhere costs nothing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Terms {
    /// The velocity a, mesh units per time. On surfaces, only its tangential part acts.
    pub velocity: Coefficient<3>,
    /// The normal speed eps, mesh units per time. With a positive value, the inside grows.
    pub normal_speed: Coefficient<1>,
    /// The curvature coefficient beta >= 0, mesh units^2 per time. Motion by curvature shrinks a
    /// circle. This coefficient cannot be combined with `weight`.
    pub curvature: Coefficient<1>,
    /// The weight w >= 0 of weighted curvature flow, mesh units^2 per time. The flow reduces the
    /// weighted length of the interface. In tetrahedral meshes, it reduces the weighted area
    /// (docs/level-set.md, section 3.3).
    pub weight: Coefficient<1>,
    /// The value of phi at inflow boundaries, in mesh units; with `None`, phi is held there.
    pub inflow: Option<Field>,
}

impl Default for Terms {
    /// Returns terms without motion.
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
    /// Sets the advection velocity, in mesh units per time.
    pub fn with_velocity(mut self, velocity: Coefficient<3>) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets the normal speed, in mesh units per time.
    pub fn with_normal_speed(mut self, normal_speed: Coefficient<1>) -> Self {
        self.normal_speed = normal_speed;
        self
    }

    /// Sets the curvature coefficient, in mesh units^2 per time.
    pub fn with_curvature(mut self, curvature: Coefficient<1>) -> Self {
        self.curvature = curvature;
        self
    }

    /// Sets the weight of the weighted curvature flow, in mesh units^2 per time.
    pub fn with_weight(mut self, weight: Coefficient<1>) -> Self {
        self.weight = weight;
        self
    }

    /// Sets phi at inflow boundaries, in mesh units (rows in mesh order).
    pub fn with_inflow(mut self, inflow: Field) -> Self {
        self.inflow = Some(inflow);
        self
    }

    /// Returns whether all terms are zero, so that nothing moves.
    pub fn is_zero(&self) -> bool {
        self.velocity.is_zero()
            && self.normal_speed.is_zero()
            && self.curvature.is_zero()
            && self.weight.is_zero()
    }
}
