//! The cell types of VTK and their decomposition into simplices.

use std::borrow::Cow;

use crate::elements;

/// The meaning of the points of a cell type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// No cell.
    Empty,
    /// Separate points.
    Points,
    /// A chain of edges.
    Chain,
    /// A simplex, quad or solid whose corners come first.
    Corners(elements::Shape),
    /// A quad whose four points are ordered by rows.
    Pixel,
    /// A polygon. All of its points are corners, in order around it.
    Polygon,
    /// A polygon whose corners are the first half of the points, in order around it.
    HalfPolygon,
    /// A strip of triangles.
    Strip,
    /// A hexahedron whose points are ordered by rows.
    Voxel,
    /// A prism whose first triangle faces outward.
    Wedge,
    /// A three-dimensional cell whose faces determine how it is cut.
    Solid,
}

/// A cell type.
pub(super) struct CellType {
    /// Name as listed in `cells_by_type`.
    pub name: Cow<'static, str>,
    /// Dimension, 0 to 3; `None` if the type is empty or unknown.
    pub dimension: Option<usize>,
    /// Meaning of the points.
    pub shape: Shape,
    /// The exact or the smallest number of points of a cell.
    pub size: Size,
    /// Whether points other than corners are dropped.
    pub reduced: bool,
}

/// The number of points of a cell of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Exactly(usize),
    AtLeast(usize),
}

impl Size {
    pub fn allow(self, n: usize) -> bool {
        match self {
            Size::Exactly(k) => n == k,
            Size::AtLeast(k) => n >= k,
        }
    }
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Size::Exactly(n) => write!(f, "{n}"),
            Size::AtLeast(n) => write!(f, "at least {n}"),
        }
    }
}

/// Returns the cell type with the given VTK number.
pub(super) fn cell_type(number: u8) -> CellType {
    use Shape::*;
    use Size::{AtLeast, Exactly};
    use elements::Shape::{Hexahedron, Line, Prism, Pyramid, Quad, Tetra, Triangle};
    let other = |name, shape, size| (Some(name), shape, size, false);
    let linear = |name, shape: elements::Shape| {
        (Some(name), Corners(shape), Exactly(shape.corners()), false)
    };
    let higher = |shape: elements::Shape, size| (None, Corners(shape), size, true);
    let (name, shape, size, reduced) = match number {
        1 => other("vertex", Points, Exactly(1)),
        2 => other("poly_vertex", Points, AtLeast(0)),
        3 => linear("line", Line),
        4 => other("poly_line", Chain, AtLeast(0)),
        5 => linear("triangle", Triangle),
        6 => other("triangle_strip", Strip, AtLeast(0)),
        7 => other("polygon", Polygon, AtLeast(0)),
        8 => other("pixel", Pixel, Exactly(4)),
        9 => linear("quad", Quad),
        10 => linear("tetra", Tetra),
        11 => other("voxel", Voxel, Exactly(8)),
        12 => linear("hexahedron", Hexahedron),
        13 => other("wedge", Wedge, Exactly(6)),
        14 => linear("pyramid", Pyramid),
        22 => (Some("triangle6"), Corners(Triangle), Exactly(6), true),
        24 => (Some("tetra10"), Corners(Tetra), Exactly(10), true),
        // Quadratic and cubic edge; Lagrange and Bezier curve.
        21 => higher(Line, Exactly(3)),
        35 => higher(Line, Exactly(4)),
        60 | 68 | 75 => higher(Line, AtLeast(2)),
        // Biquadratic triangle; Lagrange and Bezier triangle.
        34 => higher(Triangle, Exactly(7)),
        61 | 69 | 76 => higher(Triangle, AtLeast(3)),
        // Quadratic, biquadratic and quadratic-linear quadrilateral; Lagrange and Bezier
        // quadrilateral.
        23 => higher(Quad, Exactly(8)),
        28 => higher(Quad, Exactly(9)),
        30 => higher(Quad, Exactly(6)),
        62 | 70 | 77 => higher(Quad, AtLeast(4)),
        // Quadratic polygon.
        36 => (None, HalfPolygon, AtLeast(0), true),
        // Lagrange and Bezier tetrahedron.
        64 | 71 | 78 => higher(Tetra, AtLeast(4)),
        // Quadratic, triquadratic and biquadratic-quadratic hexahedron; Lagrange and Bezier
        // hexahedron.
        25 => higher(Hexahedron, Exactly(20)),
        29 => higher(Hexahedron, Exactly(27)),
        33 => higher(Hexahedron, Exactly(24)),
        67 | 72 | 79 => higher(Hexahedron, AtLeast(8)),
        // Quadratic, quadratic-linear and biquadratic-quadratic prism; Lagrange and Bezier prism.
        26 => higher(Prism, Exactly(15)),
        31 => higher(Prism, Exactly(12)),
        32 => higher(Prism, Exactly(18)),
        65 | 73 | 80 => higher(Prism, AtLeast(6)),
        // Quadratic and triquadratic pyramid; Lagrange and Bezier pyramid.
        27 => higher(Pyramid, Exactly(13)),
        37 => higher(Pyramid, Exactly(19)),
        66 | 74 | 81 => higher(Pyramid, AtLeast(5)),
        15 => other("pentagonal_prism", Solid, Exactly(10)),
        16 => other("hexagonal_prism", Solid, Exactly(12)),
        41 => other("convex_point_set", Solid, AtLeast(0)),
        42 => other("polyhedron", Solid, AtLeast(0)),
        _ => (None, Empty, AtLeast(0), false),
    };
    let dimension = match shape {
        Empty => None,
        Points => Some(0),
        Chain => Some(1),
        Pixel | Polygon | HalfPolygon | Strip => Some(2),
        Voxel | Wedge | Solid => Some(3),
        Corners(shape) => Some(shape.dimension()),
    };
    let name = name.map_or_else(|| format!("vtk_type_{number}").into(), Cow::Borrowed);
    CellType { name, dimension, shape, size, reduced }
}

impl Shape {
    /// Appends the simplices of a cell to `out`, with `dimension + 1` vertices each. A cell with
    /// too few points appends nothing. Nor does a [`Shape::Solid`], which is cut elsewhere.
    pub fn split(self, cell: &[u32], out: &mut Vec<u32>) {
        match (self, cell) {
            (Shape::Empty | Shape::Solid, _) => {}
            (Shape::Points, points) => out.extend_from_slice(points),
            (Shape::Chain, points) => out.extend(points.windows(2).flatten()),
            (Shape::Polygon, points) => fan(points, out),
            (Shape::HalfPolygon, points) => fan(&points[..points.len() / 2], out),
            (Shape::Strip, points) => {
                for (k, triangle) in points.windows(3).enumerate() {
                    let (even, odd) = ([0, 1, 2], [1, 0, 2]);
                    out.extend(if k % 2 == 0 { even } else { odd }.map(|i| triangle[i]));
                }
            }
            (Shape::Corners(shape), points) if points.len() >= shape.corners() => {
                shape.split(points, out);
            }
            (Shape::Pixel, &[a, b, c, d]) => elements::Shape::Quad.split(&[a, b, d, c], out),
            (Shape::Voxel, &[a, b, c, d, e, f, g, h]) => {
                elements::Shape::Hexahedron.split(&[a, b, d, c, e, f, h, g], out);
            }
            (Shape::Wedge, &[a, b, c, d, e, f]) => {
                elements::Shape::Prism.split(&[a, c, b, d, f, e], out);
            }
            (Shape::Corners(_) | Shape::Pixel | Shape::Voxel | Shape::Wedge, _) => {}
        }
    }

    /// Returns the faces of a solid that [`Shape::split`] splits into several tetrahedra.
    pub fn faces(self, cell: &[u32]) -> Vec<Vec<u32>> {
        use elements::Shape::{Hexahedron, Prism};
        match (self, cell) {
            (Shape::Corners(shape), points) => shape.faces_of(points),
            (Shape::Voxel, &[a, b, c, d, e, f, g, h]) => {
                Hexahedron.faces_of(&[a, b, d, c, e, f, h, g])
            }
            (Shape::Wedge, &[a, b, c, d, e, f]) => Prism.faces_of(&[a, c, b, d, f, e]),
            _ => Vec::new(),
        }
    }

    /// Returns true if this is a solid that is split into several tetrahedra.
    pub fn is_cut_solid(self) -> bool {
        match self {
            Shape::Voxel | Shape::Wedge | Shape::Solid => true,
            Shape::Corners(shape) => shape.dimension() == 3 && shape.simplices() > 1,
            _ => false,
        }
    }
}

fn fan(points: &[u32], out: &mut Vec<u32>) {
    if let [hub, rim @ ..] = points {
        out.extend(rim.windows(2).flat_map(|edge| [*hub, edge[0], edge[1]]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(number: u8, cell: &[u32]) -> Vec<u32> {
        let mut out = Vec::new();
        cell_type(number).shape.split(cell, &mut out);
        out
    }

    #[test]
    fn polygons_strips_and_pixels() {
        assert_eq!(split(9, &[0, 1, 2, 3]), [0, 1, 2, 0, 2, 3]);
        // The points of a pixel are ordered by rows, so its third point is above the first.
        assert_eq!(split(8, &[0, 1, 2, 3]), [0, 1, 3, 0, 3, 2]);
        assert_eq!(split(7, &[4, 5, 6, 7, 8]), [4, 5, 6, 4, 6, 7, 4, 7, 8]);
        assert_eq!(split(6, &[0, 1, 2, 3, 4]), [0, 1, 2, 2, 1, 3, 2, 3, 4]);
        assert_eq!(split(36, &[0, 1, 2, 10, 11, 12]), [0, 1, 2]);
        assert!(split(7, &[0, 1]).is_empty() && split(7, &[]).is_empty());
    }

    #[test]
    fn others() {
        assert_eq!(split(4, &[3, 4, 5]), [3, 4, 4, 5]);
        assert_eq!(split(24, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), [0, 1, 2, 3]);
        assert!(split(42, &[0, 1, 2, 3, 4, 5, 6, 7]).is_empty());
        assert_eq!(split(12, &[0, 1, 2, 3, 4, 5, 6, 7]).len(), 6 * 4);
        assert_eq!(split(11, &[0, 1, 3, 2, 4, 5, 7, 6]), split(12, &[0, 1, 2, 3, 4, 5, 6, 7]));
        assert_eq!(split(9, &[3, 0, 1, 2]), [0, 1, 2, 0, 2, 3], "cut at the smallest number");
        assert_eq!(cell_type(25).name, "vtk_type_25");
        assert_eq!(cell_type(200).dimension, None);
    }
}
