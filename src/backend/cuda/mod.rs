//! NVIDIA GPUs: what is there, and kernels compiled for it at run time.

pub mod cache;
pub mod nvrtc;
pub mod probe;
pub mod resources;
pub mod self_test;
pub mod sources;

pub use probe::available;
