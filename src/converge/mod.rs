//! Convergence studies: a case runs on several levels, each twice as fine as the one before.
//!
//! [`Study::new`] derives the levels from a case: each differs from the case only by overrides
//! (`key=value`), so that `zeroset run` can repeat it. [`Study::run`] runs them in turn, and
//! [`Files::write`] writes the errors and observed orders as a table, as JSON and as a plot.

mod files;
mod orders;
mod quantities;
mod refinement;
mod study;

pub use files::Files;
pub(crate) use files::hash_of;
pub use orders::{Quantity, Row};
pub(crate) use quantities::values;
pub use study::{Cost, Level, Results, Study};
