//! Point clouds, and distances to points and voxels.
//!
//! [`cloud`] cleans clouds, estimates their normals, spacing and noise, and draws samples of
//! surfaces. [`point_distance`] finds nearest points and computes Euclidean distance transforms, on
//! the CPU and on GPUs.
//!
//! This crate reads no files and draws no pictures. The compiler enforces this:
//!
//! ```compile_fail,E0432
//! use zeroset_view::render::Rule; // a higher layer
//! ```

pub mod cloud;
pub mod point_distance;
