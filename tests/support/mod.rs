//! What several test files share.
#![allow(dead_code, unused_imports)]

mod shared_data;

pub use shared_data::data;
