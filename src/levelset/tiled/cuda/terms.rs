//! Coefficients as a card takes them.

use std::sync::Arc;

use super::kept::KeepVelocity;
use crate::expression::Field;
use crate::geometry::Real;
use crate::levelset::tiled::{Coefficient, Terms};

/// A coefficient with `K` numbers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DeviceCoefficient<const K: usize> {
    /// The same everywhere, in voxels per time (alpha: voxels squared per time).
    Uniform([f64; K]),
    /// Expressions in the coordinates and the time, without data arrays, in lengths per time (alpha:
    /// lengths squared per time): evaluated for each voxel that moves, at the time of each
    /// evaluation, and divided by dx (by dx squared).
    Fields(Box<[Field; K]>),
}

impl<const K: usize> Default for DeviceCoefficient<K> {
    /// Zero.
    fn default() -> Self {
        DeviceCoefficient::Uniform([0.0; K])
    }
}

impl<const K: usize> DeviceCoefficient<K> {
    /// How kernels are compiled for it: 0 for none, 1 for one value, 2 for expressions.
    pub(super) fn kind(&self) -> u32 {
        match self {
            DeviceCoefficient::Uniform(value) if value.iter().all(|v| *v == 0.0) => 0,
            DeviceCoefficient::Uniform(_) => 1,
            DeviceCoefficient::Fields(_) => 2,
        }
    }

    pub(super) fn fields(&self) -> &[Field] {
        match self {
            DeviceCoefficient::Uniform(_) => &[],
            DeviceCoefficient::Fields(fields) => fields.as_slice(),
        }
    }

    /// The values that are the same everywhere, zero for others.
    pub(super) fn uniform(&self) -> [f64; K] {
        match self {
            DeviceCoefficient::Uniform(value) => *value,
            DeviceCoefficient::Fields(_) => [0.0; K],
        }
    }
}

/// The terms of a motion: [`Terms`] with expressions instead of functions.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DeviceTerms {
    /// U.
    pub velocity: DeviceCoefficient<3>,
    /// U where kernels make it for the tiles that come, instead of `velocity`.
    pub kept_velocity: Option<Arc<dyn KeepVelocity>>,
    /// F; positive lets the inside grow.
    pub normal_speed: DeviceCoefficient<1>,
    /// alpha >= 0; shrinks a sphere.
    pub curvature: DeviceCoefficient<1>,
    /// Where voxel (0, 0, 0) lies, for expressions.
    pub origin: [f64; 3],
    /// Edge of a voxel, for expressions.
    pub dx: f64,
}

impl DeviceTerms {
    /// No terms, on voxels that lie at `origin + dx v`.
    pub fn new(origin: [f64; 3], dx: f64) -> Self {
        DeviceTerms { origin, dx, ..DeviceTerms::default() }
    }

    /// Sets the velocity.
    pub fn with_velocity(mut self, velocity: DeviceCoefficient<3>) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets a velocity that is made by kernels and kept with the tiles.
    pub fn with_kept_velocity(mut self, velocity: Arc<dyn KeepVelocity>) -> Self {
        self.kept_velocity = Some(velocity);
        self
    }

    /// Sets the normal speed.
    pub fn with_normal_speed(mut self, normal_speed: DeviceCoefficient<1>) -> Self {
        self.normal_speed = normal_speed;
        self
    }

    /// Sets the curvature coefficient.
    pub fn with_curvature(mut self, curvature: DeviceCoefficient<1>) -> Self {
        self.curvature = curvature;
        self
    }

    /// How kernels are compiled for the velocity: 3 for one that is kept.
    pub(super) fn velocity_kind(&self) -> u32 {
        if self.kept_velocity.is_some() { 3 } else { self.velocity.kind() }
    }

    /// Whether a coefficient is an expression.
    pub(super) fn varies(&self) -> bool {
        [self.velocity_kind(), self.normal_speed.kind(), self.curvature.kind()].contains(&2)
    }

    /// What is the same everywhere, as the CPU takes it.
    pub(super) fn uniform<R: Real>(&self) -> Terms<R> {
        Terms::default()
            .with_velocity(Coefficient::Uniform(self.velocity.uniform()))
            .with_normal_speed(Coefficient::Uniform(self.normal_speed.uniform()))
            .with_curvature(Coefficient::Uniform(self.curvature.uniform()))
    }
}
