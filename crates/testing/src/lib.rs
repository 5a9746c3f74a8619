//! What the tests and benches of several crates share.
//!
//! Every crate may name this one in `[dev-dependencies]`, so it depends on `zeroset-core` alone.
//! It is not published, and neither are the tests.

pub mod backends;
pub mod cells;
mod data;
pub mod heap;
pub mod hostile_clouds;
pub mod places;
pub mod samples;
pub mod sound;

pub use data::data;
