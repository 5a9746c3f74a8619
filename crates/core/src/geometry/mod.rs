//! Scalars, vectors, simplices and analytic shapes, independent of meshes and solvers.

pub mod cut;
mod real;
pub mod shape;
pub mod shape_sampling;
pub mod simplex;

pub use real::Real;
pub use real::TOO_LARGE;

/// A vector in R^3, in the unit of the item that holds it.
pub type Vec3<R = f64> = nalgebra::Vector3<R>;
