//! Surfaces from samples of them.
//!
//! - [`directed`]: the tangent plane of the nearest sample, for samples with normals.

pub mod directed;
