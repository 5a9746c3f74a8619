//! Processing of point clouds such as scans: duplicates, outliers, spacing, normals, noise, and
//! sampling of surfaces.

mod agreement;
mod clean;
mod forest;
mod layer;
mod noise;
mod normals;
mod plane;
pub mod sample;
mod sides;
mod strays;
mod thin;

pub use clean::{
    CleanOptions, FAR, Far, NEIGHBORS, Spacing, Survey, clean, clean_by, far_from_others,
    leave_out, survey,
};
pub use noise::noise;
pub use normals::{Estimate, estimate_normals};
pub use sample::{Noise, Sampler, Sampling};
pub use sides::{Sides, settle_sides};
pub use strays::strays;
pub use thin::thin;
pub use zeroset_core::cloud::{Attribute, LocalProjection, NumberType, Numbers, PointCloud, key};
