//! Parallel loops over slices and ranges.
//!
//! The traits have the methods of rayon's iterators that this workspace uses, and run on rayon's
//! threads. Rayon compiles its scheduling code for every loop, about 5 KB each time. Here, all
//! loops share that code: a thread calls a loop once per part of the positions, through a reference
//! to a closure ([`for_parts`]). Another thread can end them ([`interruptible`]).
//!
//! ```
//! use zeroset_core::parallel::*;
//!
//! let squares: Vec<u64> = (0..1000_u64).into_par_iter().map(|x| x * x).collect();
//! assert_eq!(squares.par_iter().copied().max(), Some(998_001));
//! ```

mod adaptors;
mod collect;
mod consume;
pub(crate) mod interrupt;
mod slice;
mod source;
mod tasks;

pub use collect::{FromParallelIterator, ParallelExtend};
pub use consume::ParallelIterator;
pub use interrupt::{interruptible, is_interruption, uninterrupted};
pub use slice::ParallelSlice;
pub use source::IntoParallelIterator;
pub use tasks::{for_parts, join};

#[cfg(test)]
mod tests;
