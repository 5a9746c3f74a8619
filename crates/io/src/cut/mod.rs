//! Cells that need more than the usual cut, for all readers.
//!
//! A reader splits a cell by a fixed rule when it meets the cell, before all vertices are known.
//! [`Polygons`] then replaces the cuts that do not fit the coordinates. [`Uncut`] lists the cells
//! for which there is no cut.

mod polygons;
mod uncut;

pub(crate) use polygons::{Polygons, Recut};
pub use uncut::Uncut;
