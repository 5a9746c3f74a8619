//! Surfaces from samples of them.
//!
//! - [`directed`]: the tangent plane of the nearest sample, for samples with normals;
//! - [`surface()`]: a whole reconstruction, from the cloud of a file to a surface with a report.

pub mod directed;
mod surface;

pub use surface::{Distance, Method, Options, Report, Samples, Seconds, surface};
