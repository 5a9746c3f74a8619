//! Cell types of VTK and how each becomes simplices.

use std::borrow::Cow;

/// What the points of a cell type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Nothing.
    Empty,
    /// Every point by itself.
    Points,
    /// A chain of edges.
    Chain,
    /// An edge: the first two points.
    Edge,
    /// A triangle: the first three points.
    Triangle,
    /// A quadrilateral: the first four points, in a circle.
    Quad,
    /// A quadrilateral whose first four points run along rows.
    Pixel,
    /// A polygon: all points, in a circle.
    Polygon,
    /// A polygon: the first half of the points, in a circle.
    HalfPolygon,
    /// A strip of triangles.
    Strip,
    /// A tetrahedron: the first four points.
    Tetra,
    /// A cell of dimension 3 that is no simplex.
    Solid,
}

/// A cell type.
pub(super) struct CellType {
    /// Name, as `cells_by_type` lists it.
    pub name: Cow<'static, str>,
    /// Dimension, 0 to 3; `None` if there is nothing to it or the type is unknown.
    pub dimension: Option<usize>,
    /// Meaning of its points.
    pub shape: Shape,
    /// Points a cell has: exactly so many, or at least.
    pub size: Size,
    /// Points other than corners are dropped.
    pub reduced: bool,
}

/// How many points a cell of some type has.
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

/// The cell type of that number.
pub(super) fn cell_type(number: u8) -> CellType {
    use Shape::*;
    use Size::{AtLeast, Exactly};
    let linear = |name, shape, size| (Some(name), shape, size, false);
    let higher = |name, shape, size| (name, shape, size, true);
    let (name, shape, size, reduced) = match number {
        1 => linear("vertex", Points, Exactly(1)),
        2 => linear("poly_vertex", Points, AtLeast(0)),
        3 => linear("line", Edge, Exactly(2)),
        4 => linear("poly_line", Chain, AtLeast(0)),
        5 => linear("triangle", Triangle, Exactly(3)),
        6 => linear("triangle_strip", Strip, AtLeast(0)),
        7 => linear("polygon", Polygon, AtLeast(0)),
        8 => linear("pixel", Pixel, Exactly(4)),
        9 => linear("quad", Quad, Exactly(4)),
        10 => linear("tetra", Tetra, Exactly(4)),
        11 => linear("voxel", Solid, Exactly(8)),
        12 => linear("hexahedron", Solid, Exactly(8)),
        13 => linear("wedge", Solid, Exactly(6)),
        14 => linear("pyramid", Solid, Exactly(5)),
        22 => higher(Some("triangle6"), Triangle, Exactly(6)),
        24 => higher(Some("tetra10"), Tetra, Exactly(10)),
        // Quadratic and cubic edge, then Lagrange and Bezier curve.
        21 => higher(None, Edge, Exactly(3)),
        35 => higher(None, Edge, Exactly(4)),
        60 | 68 | 75 => higher(None, Edge, AtLeast(2)),
        // Biquadratic triangle, Lagrange and Bezier triangle.
        34 => higher(None, Triangle, Exactly(7)),
        61 | 69 | 76 => higher(None, Triangle, AtLeast(3)),
        // Quadratic, biquadratic, quadratic-linear, Lagrange and Bezier quadrilateral.
        23 => higher(None, Quad, Exactly(8)),
        28 => higher(None, Quad, Exactly(9)),
        30 => higher(None, Quad, Exactly(6)),
        62 | 70 | 77 => higher(None, Quad, AtLeast(4)),
        // Quadratic polygon.
        36 => higher(None, HalfPolygon, AtLeast(0)),
        // Lagrange and Bezier tetrahedron.
        64 | 71 | 78 => higher(None, Tetra, AtLeast(4)),
        // Prisms, quadratic solids, polyhedra and convex point sets, Lagrange and Bezier solids.
        15 | 16 | 25..=27 | 29 | 31..=33 | 37 | 41 | 42 | 65..=67 | 72..=74 | 79..=81 => {
            (None, Solid, AtLeast(0), false)
        }
        _ => (None, Empty, AtLeast(0), false),
    };
    let dimension = match shape {
        Empty => None,
        Points => Some(0),
        Chain | Edge => Some(1),
        Triangle | Quad | Pixel | Polygon | HalfPolygon | Strip => Some(2),
        Tetra | Solid => Some(3),
    };
    let name = name.map_or_else(|| format!("vtk_type_{number}").into(), Cow::Borrowed);
    CellType { name, dimension, shape, size, reduced }
}

impl Shape {
    /// Appends the simplices of a cell to `out`, `dimension + 1` vertices each. Points too few to
    /// make one append nothing.
    pub fn split(self, cell: &[u32], out: &mut Vec<u32>) {
        match (self, cell) {
            (Shape::Empty | Shape::Solid, _) => {}
            (Shape::Points, points) => out.extend_from_slice(points),
            (Shape::Chain, points) => out.extend(points.windows(2).flatten()),
            (Shape::Edge, [a, b, ..]) => out.extend([a, b]),
            (Shape::Triangle, [a, b, c, ..]) => out.extend([a, b, c]),
            (Shape::Quad, [a, b, c, d, ..]) => out.extend([a, b, c, a, c, d]),
            (Shape::Pixel, [a, b, c, d, ..]) => out.extend([a, b, d, a, d, c]),
            (Shape::Polygon, points) => fan(points, out),
            (Shape::HalfPolygon, points) => fan(&points[..points.len() / 2], out),
            (Shape::Strip, points) => {
                for (k, triangle) in points.windows(3).enumerate() {
                    let (even, odd) = ([0, 1, 2], [1, 0, 2]);
                    out.extend(if k % 2 == 0 { even } else { odd }.map(|i| triangle[i]));
                }
            }
            (Shape::Tetra, [a, b, c, d, ..]) => out.extend([a, b, c, d]),
            (Shape::Edge | Shape::Triangle | Shape::Quad | Shape::Pixel | Shape::Tetra, _) => {}
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
        // A pixel runs along rows: its third point is above the first.
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
        assert!(split(12, &[0, 1, 2, 3, 4, 5, 6, 7]).is_empty());
        assert_eq!(cell_type(25).name, "vtk_type_25");
        assert_eq!(cell_type(200).dimension, None);
    }
}
