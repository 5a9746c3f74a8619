//! Surface reconstruction from samples.
//!
//! - [`directed`]: uses spheres fitted to the samples, or the tangent plane of the nearest sample.
//!   It needs samples with normals.
//! - [`potential`]: moves a level set to the samples along the gradient of their potential. It
//!   needs no normals.
//! - [`surface()`]: runs a whole reconstruction, from the point cloud to a surface with a report.

mod attempt;
mod attributes;
mod choice;
mod depth;
mod device;
pub mod directed;
mod layers;
mod left_behind;
mod options;
pub mod potential;
mod preparation;
mod projection;
mod scan;
mod self_check;
mod surface;
mod thickness;

pub use device::{Device, WORTH_A_GPU};
pub use options::{Flaw, MOST_ROUNDS, Method, Options};
pub use projection::Projection;
pub use scan::{Scan, check_units};
pub use self_check::SelfCheck;
pub use surface::{Distance, Report, Samples, Seconds, surface};
