//! Point clouds and distances to points.
//!
//! [`cloud`] cleans clouds, estimates their normals, spacing and noise, and draws samples of
//! surfaces. [`point_distance`] finds nearest points and makes Euclidean distance transforms, on the
//! CPU and on GPUs.
//!
//! Files are no matter of this crate, and neither are pictures. The compiler keeps it so:
//!
//! ```compile_fail,E0432
//! use zeroset_view::render::Rule; // a higher layer
//! ```

pub mod cloud;
pub mod point_distance;
