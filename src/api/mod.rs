//! The facade: one function per job, with plain arrays as inputs and results.
//!
//! Its functions are re-exported at the crate root: [`read`], [`distance`] and [`evolve`]. They use
//! the same code, the same defaults and the same choice of device as the command line, so their
//! values are bitwise identical to those that the program writes. Results refer to the vertices and
//! cells of the file, although the solvers work on a repaired and cleaned mesh. Warnings are values
//! of the results. They are also emitted as `tracing` events, and nothing is printed.

mod control;
mod distance;
mod evolve;
mod mesh;
mod source;

pub use control::Control;
pub use distance::{DistanceOptions, Distances, distance, distance_with};
pub use evolve::{Evolution, EvolveOptions, Phi, State, Terms, Velocity, evolve};
pub use mesh::{Mesh, ReadOptions, read, read_with};
pub use source::{Source, Values};
