//! Processing of point clouds such as scans: duplicates, outliers, spacing, normals, noise, and
//! sampling of surfaces.

mod clean;
mod noise;
mod normals;
mod plane;
pub mod sample;
mod thin;

pub use clean::{
    CleanOptions, FAR, Far, NEIGHBORS, Spacing, Survey, clean, clean_by, far_from_others, survey,
};
pub use noise::noise;
pub use normals::{Estimate, estimate_normals};
pub use sample::{Noise, Sampler, Sampling};
pub use thin::thin;
pub use zeroset_core::cloud::{Attribute, LocalProjection, NumberType, Numbers, PointCloud, key};
