//! The foundation of all zeroset crates. It depends on no other zeroset crate.
//!
//! - [`error`]: the error type, whose variants determine the exit code of the program;
//! - [`expression`]: formulas of a case, which are parsed, evaluated and printed as CUDA source;
//! - [`geometry`], [`mesh`], [`volume`], [`cloud`]: scalars, simplices, shapes, meshes, volumes and
//!   point clouds;
//! - [`primitives`]: parallel scan, sort, reduce, gather and similar functions, whose results are
//!   bitwise identical for any number of threads;
//! - [`parallel`]: parallel loops over slices and ranges;
//! - [`points`]: voxels that satisfy a condition;
//! - [`Plain`]: types that can be copied as bytes;
//! - [`Cpu`]: the thread pool;
//! - [`atomic`]: atomic file writes.
//!
//! This crate neither reads file formats nor renders, and it contains no solvers and no GPU code.
//! The compiler enforces this:
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
pub mod parallel;
mod plain;
pub mod points;
pub mod primitives;
pub mod volume;
pub mod words;

pub use cpu::{Cpu, MOST_THREADS};
pub use error::{Error, Result};
pub use plain::Plain;
