//! Coefficients of the evolution on tiles, as they are handed in: lengths in voxels.

use std::fmt;
use std::sync::Arc;

use crate::geometry::Real;

/// Fills a block: from the first of its `E^3` voxels, and the time, to `K E^3` values, one component
/// after the other, x fastest.
///
/// It is called from several threads at once and must not use the thread pool itself.
pub type Fill<R> = Arc<dyn Fn([i32; 3], f64, &mut [R]) + Send + Sync>;

/// A coefficient with `K` numbers.
#[derive(Clone)]
#[non_exhaustive]
pub enum Coefficient<R, const K: usize> {
    /// The same everywhere.
    Uniform([f64; K]),
    /// Evaluated for each block, at the time of each evaluation.
    Varying(Fill<R>),
    /// The same at all times: evaluated once for each block that comes, at time 0, and kept in 16 bits
    /// while it is there.
    Stationary(Fill<R>),
}

impl<R: Real, const K: usize> Coefficient<R, K> {
    /// A function of the voxel and the time.
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

    /// True if the term it stands before can be left out.
    pub fn is_zero(&self) -> bool {
        matches!(self, Coefficient::Uniform(value) if value.iter().all(|v| *v == 0.0))
    }
}

impl<R, const K: usize> Default for Coefficient<R, K> {
    /// Zero.
    fn default() -> Self {
        Coefficient::Uniform([0.0; K])
    }
}

impl<R, const K: usize> fmt::Debug for Coefficient<R, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Coefficient::Uniform(value) => f.debug_tuple("Uniform").field(value).finish(),
            Coefficient::Varying(_) => f.write_str("Varying"),
            Coefficient::Stationary(_) => f.write_str("Stationary"),
        }
    }
}

/// The terms of `phi_t = - F |grad phi| - U . grad phi + alpha kappa |grad phi|`; a term whose
/// coefficient is zero everywhere costs nothing.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Terms<R> {
    /// U, voxels per time.
    pub velocity: Coefficient<R, 3>,
    /// F, voxels per time; positive lets the inside grow.
    pub normal_speed: Coefficient<R, 1>,
    /// alpha >= 0, voxels squared per time; shrinks a sphere.
    pub curvature: Coefficient<R, 1>,
}

impl<R: Real> Terms<R> {
    /// Sets the velocity.
    pub fn with_velocity(mut self, velocity: Coefficient<R, 3>) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets the normal speed.
    pub fn with_normal_speed(mut self, normal_speed: Coefficient<R, 1>) -> Self {
        self.normal_speed = normal_speed;
        self
    }

    /// Sets the curvature coefficient.
    pub fn with_curvature(mut self, curvature: Coefficient<R, 1>) -> Self {
        self.curvature = curvature;
        self
    }
}
