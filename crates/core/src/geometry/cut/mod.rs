//! Cutting of polygons into triangles and of polyhedra into tetrahedra.
//!
//! All readers and the cleaning of meshes use these functions. A cut uses every corner, and no part
//! of it is flat unless the whole polygon is.

mod constrained;
mod polygon;
mod polyhedron;

pub use polygon::{BENT, CutPolygon, PolygonFault, cut_polygon};
pub use polyhedron::{CutPolyhedron, PolyhedronFault, cut_face, cut_inside, cut_polyhedron};
