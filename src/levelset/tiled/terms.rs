//! Coefficients of the evolution on tiles as the caller passes them, with lengths in voxels.

use std::fmt;
use std::sync::Arc;

use crate::expression::Sampling;
use crate::geometry::Real;

/// A function that evaluates a coefficient on a block. It receives the first of the `E^3` voxels
/// and the time, and writes `K E^3` values, one component after the other, x fastest.
///
/// It is called from several threads at the same time and must not use the thread pool itself.
pub type Fill<R> = Arc<dyn Fn([i32; 3], f64, &mut [R]) + Send + Sync>;

/// A function that evaluates a coefficient on a block as a [`Fill`] does, or computes its bounds or
/// means over a span of time. It returns the length of the span times an upper bound on the change
/// in the coefficient over it, in voxels (for a curvature coefficient, in voxels squared), or 0 for
/// an instant.
pub type SampleFill<R> = Arc<dyn Fn([i32; 3], Sampling, &mut [R]) -> f64 + Send + Sync>;

/// A coefficient with `K` components, in the unit that [`Terms`] states for it.
#[derive(Clone)]
#[non_exhaustive]
pub enum Coefficient<R, const K: usize> {
    /// One value everywhere.
    Uniform([f64; K]),
    /// Evaluated on each block, at the time of each evaluation. Nothing is known about its change
    /// between these times.
    Varying(Fill<R>),
    /// Evaluated on each block. Its bounds over a step limit the length of the step, and its means
    /// replace its values if it changes much.
    Sampled(SampleFill<R>),
    /// Independent of time, but evaluated on each block in every pass instead of being stored.
    OfPlace(SampleFill<R>),
    /// Independent of time. Evaluated once per new block, at time 0, and stored in 16 bits as long
    /// as the block exists.
    Stationary(Fill<R>),
}

impl<R: Real, const K: usize> Coefficient<R, K> {
    /// Creates a coefficient from a function of the voxel and the time.
    pub fn of_voxel(f: impl Fn([i32; 3], f64) -> [f64; K] + Send + Sync + 'static) -> Self {
        Coefficient::Varying(Arc::new(move |first, t, out: &mut [R]| {
            let size = out.len() / K;
            let edge = (size as f64).cbrt().round() as usize;
            for n in 0..size {
                let place = [n % edge, n / edge % edge, n / (edge * edge)];
                let values = f([0, 1, 2].map(|k| first[k] + place[k] as i32), t);
                for (k, value) in values.into_iter().enumerate() {
                    out[k * size + n] = R::of(value);
                }
            }
        }))
    }

    /// Returns whether the coefficient is zero everywhere, so that its term can be left out.
    pub fn is_zero(&self) -> bool {
        matches!(self, Coefficient::Uniform(value) if value.iter().all(|v| *v == 0.0))
    }
}

impl<R, const K: usize> Default for Coefficient<R, K> {
    /// Returns zero.
    fn default() -> Self {
        Coefficient::Uniform([0.0; K])
    }
}

impl<R, const K: usize> fmt::Debug for Coefficient<R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Coefficient::Uniform(value) => f.debug_tuple("Uniform").field(value).finish(),
            Coefficient::Varying(_) => f.write_str("Varying"),
            Coefficient::Sampled(_) => f.write_str("Sampled"),
            Coefficient::OfPlace(_) => f.write_str("OfPlace"),
            Coefficient::Stationary(_) => f.write_str("Stationary"),
        }
    }
}

/// The terms of `phi_t = - F |grad phi| - U . grad phi + alpha kappa |grad phi|`. Lengths are in
/// voxels. A term whose coefficient is zero everywhere costs nothing.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Terms<R> {
    /// U, voxels per time.
    pub velocity: Coefficient<R, 3>,
    /// F, voxels per time. Positive values make the inside grow.
    pub normal_speed: Coefficient<R, 1>,
    /// alpha >= 0, voxels squared per time. Positive values shrink a sphere.
    pub curvature: Coefficient<R, 1>,
}

impl<R: Real> Terms<R> {
    /// Sets the velocity, in voxels per time.
    pub fn with_velocity(mut self, velocity: Coefficient<R, 3>) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets the normal speed, in voxels per time.
    pub fn with_normal_speed(mut self, normal_speed: Coefficient<R, 1>) -> Self {
        self.normal_speed = normal_speed;
        self
    }

    /// Sets the curvature coefficient, in voxels squared per time.
    pub fn with_curvature(mut self, curvature: Coefficient<R, 1>) -> Self {
        self.curvature = curvature;
        self
    }
}
