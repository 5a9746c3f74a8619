//! Point clouds and distances to points.
//!
//! [`cloud`] cleans clouds, estimates their normals, spacing and noise, and draws samples of
//! surfaces. [`point_distance`] finds nearest points and makes Euclidean distance transforms, on the
//! CPU and on GPUs.

pub mod cloud;
pub mod point_distance;
