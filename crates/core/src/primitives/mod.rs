//! Parallel building blocks that depend on neither meshes nor solvers.

mod bits;
mod compact;
mod conjunction;
mod discriminator;
mod disjoint;
pub mod disk;
mod gather;
pub mod hilbert;
mod histopyramid;
pub mod memory;
mod per_thread;
mod reduce;
mod scan;
mod sort;
mod sparse;
mod sparse_set;
mod union_find;
mod unique;

pub use bits::Bits;
pub use compact::compact;
pub use conjunction::All;
pub(crate) use discriminator::pack;
pub use discriminator::{
    Chosen, Discriminator, Edge, Flags, Grid, Template, Threshold, Values, Within,
};
pub use disjoint::DisjointRows;
pub use gather::GatherMatrix;
pub use histopyramid::{Cells, HistoPyramid, Leaf, Order, Stored, Tree};
pub use per_thread::PerThread;
pub use reduce::reduce;
pub use scan::exclusive_scan;
pub use sort::{Key, Sorted, sort};
pub use sparse::{Coo, Csr};
pub use sparse_set::SparseSet;
pub use union_find::UnionFind;
pub use unique::{Unique, unique};
