//! What several test files share.
#![allow(dead_code, unused_imports)]

pub mod backends;
pub mod places;
mod shared_data;

pub use shared_data::data;
