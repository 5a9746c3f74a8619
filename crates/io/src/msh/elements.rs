//! The Gmsh element types: shape and number of nodes of each type number.
//!
//! The numbers are from Gmsh's documentation ("MSH file format") and its header `GmshDefines.h`. In
//! every type, the corners come first.

use crate::elements::{ElementType, Shape};

/// Returns the element type with this number, or `None` for polygons, polyhedra, elements without
/// corners and numbers that Gmsh does not use.
pub(super) fn element_type(number: i64) -> Option<ElementType> {
    use Shape::*;
    /// Runs of consecutive type numbers of one shape: the first type number, the shape, and the
    /// number of nodes of each type.
    const RUNS: &[(i64, Shape, &[usize])] = &[
        (1, Line, &[2]),
        (2, Triangle, &[3]),
        (3, Quad, &[4]),
        (4, Tetra, &[4]),
        (5, Hexahedron, &[8]),
        (6, Prism, &[6]),
        (7, Pyramid, &[5]),
        (8, Line, &[3]),
        (9, Triangle, &[6]),
        (10, Quad, &[9]),
        (11, Tetra, &[10]),
        (12, Hexahedron, &[27]),
        (13, Prism, &[18]),
        (14, Pyramid, &[14]),
        (15, Vertex, &[1]),
        (16, Quad, &[8]),
        (17, Hexahedron, &[20]),
        (18, Prism, &[15]),
        (19, Pyramid, &[13]),
        (20, Triangle, &[9, 10, 12, 15, 15, 21]),
        (26, Line, &[4, 5, 6]),
        (29, Tetra, &[20, 35, 56, 22, 28]),
        (36, Quad, &[16, 25, 36, 12, 16, 20]),
        (42, Triangle, &[28, 36, 45, 55, 66]),
        (47, Quad, &[49, 64, 81, 100, 121]),
        (52, Triangle, &[18, 21, 24, 27, 30]),
        (57, Quad, &[24, 28, 32, 36, 40]),
        (62, Line, &[7, 8, 9, 10, 11]),
        (71, Tetra, &[84, 120, 165, 220, 286]),
        (79, Tetra, &[34, 40, 46, 52, 58]),
        (90, Prism, &[40, 75]),
        (92, Hexahedron, &[64, 125, 216, 343, 512, 729, 1000, 32, 44, 56, 68, 80, 92, 104]),
        (106, Prism, &[126, 196, 288, 405, 550, 24, 33, 42, 51, 60, 69, 78]),
        (118, Pyramid, &[30, 55, 91, 140, 204, 285, 385, 21, 29, 37, 45, 53, 61, 69]),
    ];
    RUNS.iter().find_map(|&(first, shape, nodes)| {
        let k = usize::try_from(number.checked_sub(first)?).ok()?;
        nodes.get(k).map(|&nodes| ElementType { shape, nodes })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_the_manual() {
        let of = |number| element_type(number).map(ElementType::name);
        assert_eq!(of(1).as_deref(), Some("line"));
        assert_eq!(of(4).as_deref(), Some("tetra"));
        assert_eq!(of(11).as_deref(), Some("tetra10"));
        assert_eq!(of(21).as_deref(), Some("triangle10"));
        assert_eq!(of(93).as_deref(), Some("hexahedron125"));
        assert_eq!(of(131).as_deref(), Some("pyramid69"));
        for unknown in [i64::MIN, -1, 0, 34, 35, 67, 84, 132, 141, i64::MAX] {
            assert_eq!(of(unknown), None, "{unknown}");
        }
    }
}
