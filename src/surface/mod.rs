//! The zero set of a level-set function: as lines or triangles, and in numbers; and the point of a
//! mesh closest to another.
//!
//! phi is linear on each cell, so its zero set is a segment in a cut triangle, a triangle or a
//! quadrilateral in a cut tetrahedron. Inside is `phi < 0`; phi = 0 counts as outside.

mod interface;
mod locate;
mod measures;

pub use interface::{Interface, extract};
pub use locate::{Located, Locator};
pub use measures::{Measurer, Measures};
