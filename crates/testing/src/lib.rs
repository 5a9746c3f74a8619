//! Code that the tests and benchmarks of several crates share.
//!
//! Every crate may name this one in `[dev-dependencies]`. This one therefore depends only on
//! `zeroset-core`. Neither this crate nor the tests are published.

pub mod backends;
pub mod cell_geometry;
pub mod checkout;
mod data;
pub mod heap;
pub mod hostile_clouds;
pub mod samples;
pub mod sound;

pub use data::{data, field};
