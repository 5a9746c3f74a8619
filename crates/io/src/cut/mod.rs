//! Cells for which the fixed split into simplices is unsuitable, and cells that cannot be split.
//!
//! A reader splits a cell by a fixed rule as soon as it has read the cell, before all vertices are
//! known. Later, [`Polygons`] replaces the splits that do not suit the coordinates. [`Uncut`] lists
//! the cells that cannot be split.

mod polygons;
mod uncut;

pub(crate) use polygons::{Polygons, Recut};
pub use uncut::Uncut;
