//! Surfaces from samples of them.
//!
//! - [`directed`]: the tangent plane of the nearest sample, for samples with normals;
//! - [`potential`]: a level set drawn into the potential of the samples, which needs no normals;
//! - [`surface()`]: a whole reconstruction, from the cloud of a file to a surface with a report.

mod attributes;
mod depth;
mod device;
pub mod directed;
mod options;
pub mod potential;
mod scan;
mod surface;

pub use device::{Device, WORTH_A_GPU};
pub use options::{Flaw, MOST_ROUNDS, Method, Options};
pub use scan::Scan;
pub use surface::{Distance, Report, Samples, Seconds, surface};
