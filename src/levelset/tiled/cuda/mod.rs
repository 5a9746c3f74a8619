//! The motion on sparse tiles on a GPU.
//!
//! ```text
//! state   what kernels are told
//! ```

mod state;

pub use state::{MotionArgument, StageArgument};
