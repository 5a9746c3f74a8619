//! What every crate of zeroset stands on; it depends on no other of them.
//!
//! - [`error`]: the one error type, a variant per exit code of the program;
//! - [`expression`]: formulas of a case, parsed, evaluated and printed as CUDA source;
//! - [`geometry`], [`mesh`], [`volume`], [`cloud`]: scalars, simplices, shapes, and what they build;
//! - [`primitives`]: scan, sort, reduce, gather and their like, in parallel with the same bits for
//!   any number of threads; [`points`]: voxels where a condition holds;
//! - [`Plain`]: data that is its bytes; [`Cpu`]: the pool of threads that passes run on;
//! - [`atomic`]: files that appear whole or not at all.
//!
//! Nothing here reads a format, draws, or knows a solver or a GPU. The compiler keeps it so:
//!
//! ```compile_fail,E0432
//! use zeroset_io::read_mesh; // a higher layer
//! ```

pub mod atomic;
pub mod cloud;
mod cpu;
pub mod error;
pub mod expression;
pub mod geometry;
pub mod mesh;
mod plain;
pub mod points;
pub mod primitives;
pub mod volume;
pub mod words;

pub use cpu::Cpu;
pub use error::{Error, Result};
pub use plain::Plain;
