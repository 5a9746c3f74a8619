//! The evolution on a GPU.

pub mod coefficients;
