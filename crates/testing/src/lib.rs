//! Code that the tests and benchmarks of several crates share.
//!
//! Every crate may name this crate in `[dev-dependencies]`, so this crate depends only on
//! `zeroset-core`. Neither this crate nor the tests are published.
//!
//! Its functions panic if something is wrong, so that the test fails.

#![allow(clippy::missing_panics_doc)]

pub mod backends;
pub mod cell_geometry;
pub mod checkout;
mod data;
pub mod heap;
pub mod hostile_clouds;
mod intersections;
pub mod samples;
pub mod slivers;
pub mod sound;

pub use data::{data, field};
pub use intersections::Intersections;
