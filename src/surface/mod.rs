//! The zero set of a level-set function: as lines or triangles, and in numbers.
//!
//! phi is linear on each cell, so its zero set is a segment in a cut triangle, a triangle or a
//! quadrilateral in a cut tetrahedron. Inside is `phi < 0`; phi = 0 counts as outside.

mod interface;
mod measures;

pub use interface::{Interface, extract};
pub use measures::{Measurer, Measures};
