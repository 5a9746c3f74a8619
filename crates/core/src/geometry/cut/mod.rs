//! Cuts polygons into triangles and polyhedra into tetrahedra.
//!
//! The readers of mesh files use these functions. A cut uses every corner and avoids flat triangles
//! and tetrahedra.

mod constrained;
mod polygon;
mod polyhedron;

pub use polygon::{BENT, CutPolygon, PolygonFault, cut_polygon};
pub use polyhedron::{CutPolyhedron, PolyhedronFault, cut_face, cut_inside, cut_polyhedron};
