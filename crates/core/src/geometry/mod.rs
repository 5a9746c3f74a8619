//! Scalars, vectors, simplices and analytic shapes. Knows no mesh and no solver.

mod real;
pub mod sample;
pub mod shape;
pub mod simplex;

pub use real::Real;
pub use real::TOO_LARGE;

/// Vector in the ambient space R^3.
pub type Vec3<R = f64> = nalgebra::Vector3<R>;
