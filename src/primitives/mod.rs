//! Building blocks that know neither mesh nor solver.

#[cfg(feature = "cuda")]
pub mod cuda;
mod disjoint;
mod distinct;
mod gather;
pub mod hilbert;
pub mod memory;
mod per_thread;

pub use disjoint::DisjointRows;
pub use distinct::Distinct;
pub use gather::GatherMatrix;
pub use per_thread::PerThread;
