//! Cutting of polygons into triangles and of polyhedra into tetrahedra.
//!
//! All readers and the cleaning of meshes use these functions. A cut uses every corner, and no part
//! of it is flat unless the whole polygon is.

mod constrained;
mod polygon;

pub use polygon::{BENT, CutPolygon, PolygonFault, cut_polygon};
