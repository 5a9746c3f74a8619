//! Shapes of finite elements, and their decomposition into simplices.
//!
//! How a solid or quad is split depends only on its vertex indices. Two elements therefore split a
//! shared face in the same way, regardless of the order of their corners.

mod build;

pub(super) use build::{Builder, Names};

use zeroset_core::mesh::{DataArray, Values};

/// The shape of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Vertex,
    Line,
    Triangle,
    Quad,
    Tetra,
    Hexahedron,
    Prism,
    Pyramid,
}

impl Shape {
    /// Returns the dimension of the shape.
    pub(super) fn dimension(self) -> usize {
        match self {
            Shape::Vertex => 0,
            Shape::Line => 1,
            Shape::Triangle | Shape::Quad => 2,
            Shape::Tetra | Shape::Hexahedron | Shape::Prism | Shape::Pyramid => 3,
        }
    }

    /// Returns the number of corners.
    pub(super) fn corners(self) -> usize {
        match self {
            Shape::Vertex => 1,
            Shape::Line => 2,
            Shape::Triangle => 3,
            Shape::Quad | Shape::Tetra => 4,
            Shape::Pyramid => 5,
            Shape::Prism => 6,
            Shape::Hexahedron => 8,
        }
    }

    /// Returns the number of simplices into which the shape is split.
    pub(super) fn simplices(self) -> usize {
        match self {
            Shape::Vertex | Shape::Line | Shape::Triangle | Shape::Tetra => 1,
            Shape::Quad | Shape::Pyramid => 2,
            Shape::Prism => 3,
            Shape::Hexahedron => 6,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Shape::Vertex => "vertex",
            Shape::Line => "line",
            Shape::Triangle => "triangle",
            Shape::Quad => "quad",
            Shape::Tetra => "tetra",
            Shape::Hexahedron => "hexahedron",
            Shape::Prism => "prism",
            Shape::Pyramid => "pyramid",
        }
    }

    /// Returns the faces of a solid as lists of local corner indices, counterclockwise when seen
    /// from outside; other shapes have none. Corners are numbered as in Gmsh, VTK and MEDIT: first
    /// around the base, then the corners above it, or the apex.
    fn faces(self) -> &'static [&'static [usize]] {
        match self {
            Shape::Hexahedron => &[
                &[0, 3, 2, 1],
                &[4, 5, 6, 7],
                &[0, 1, 5, 4],
                &[1, 2, 6, 5],
                &[2, 3, 7, 6],
                &[3, 0, 4, 7],
            ],
            Shape::Prism => &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]],
            Shape::Pyramid => &[&[0, 3, 2, 1], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]],
            _ => &[],
        }
    }

    /// Returns the faces of a solid with these corners, counterclockwise when seen from outside.
    pub(super) fn faces_of(self, corners: &[u32]) -> Vec<Vec<u32>> {
        let faces = self.faces().iter();
        faces.map(|face| face.iter().map(|&k| corners[k]).collect()).collect()
    }

    /// Appends the [`Shape::simplices`] simplices of an element, with `dimension + 1` vertices
    /// each.
    ///
    /// A quad is split along the diagonal through the vertex with the smallest index. A solid is
    /// split into the tetrahedra between the vertex with the smallest index and the triangles of
    /// the faces that do not contain this vertex. The faces that contain it are thereby split along
    /// a diagonal through it, so that all faces follow the same rule.
    pub(super) fn split(self, corners: &[u32], out: &mut Vec<u32>) {
        match self {
            Shape::Quad => each_triangle(corners, &[0, 1, 2, 3], |t| out.extend(t)),
            Shape::Hexahedron | Shape::Prism | Shape::Pyramid => {
                let hub = (0..self.corners()).min_by_key(|&k| corners[k]).unwrap_or(0);
                for face in self.faces().iter().filter(|face| !face.contains(&hub)) {
                    each_triangle(corners, face, |[a, b, c]| {
                        out.extend([corners[hub], a, b, c]);
                    });
                }
            }
            Shape::Vertex | Shape::Line | Shape::Triangle | Shape::Tetra => {
                out.extend_from_slice(&corners[..self.corners()]);
            }
        }
    }
}

/// Splits a face into a fan around its vertex with the smallest index.
fn each_triangle(corners: &[u32], face: &[usize], mut take: impl FnMut([u32; 3])) {
    let n = face.len();
    let first = (0..n).min_by_key(|&k| corners[face[k]]).unwrap_or(0);
    let corner = |k: usize| corners[face[(first + k) % n]];
    for k in 1..n - 1 {
        take([corner(0), corner(k), corner(k + 1)]);
    }
}

/// An element type: the corners of a shape, and possibly additional nodes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ElementType {
    pub(super) shape: Shape,
    /// Number of nodes per element. The corners come first.
    pub(super) nodes: usize,
}

impl ElementType {
    /// Returns the type whose only nodes are the corners.
    pub(super) fn linear(shape: Shape) -> Self {
        ElementType { shape, nodes: shape.corners() }
    }

    /// Returns the name of the shape, followed by the number of nodes if it exceeds the number of
    /// corners, such as "tetra10".
    pub(super) fn name(self) -> String {
        let name = self.shape.name();
        if self.is_linear() { name.to_string() } else { format!("{name}{}", self.nodes) }
    }

    /// Returns true if all nodes are corners.
    pub(super) fn is_linear(self) -> bool {
        self.nodes == self.shape.corners()
    }
}

/// Converts an array with one row per element to one row per simplex. `parents` holds the index of
/// the element to which each simplex belongs.
pub(super) fn inherit(array: DataArray, parents: &[u32]) -> DataArray {
    fn rows<T: Copy>(values: &[T], components: usize, parents: &[u32]) -> Vec<T> {
        let row = |&p: &u32| &values[p as usize * components..][..components];
        parents.iter().flat_map(row).copied().collect()
    }
    let same = parents.len() == array.rows()
        && parents.iter().enumerate().all(|(k, &parent)| parent as usize == k);
    if same {
        return array;
    }
    let values = match &array.values {
        Values::Float(v) => Values::Float(rows(v, array.components, parents)),
        Values::Int(v) => Values::Int(rows(v, array.components, parents)),
    };
    DataArray { values, ..array }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn split(shape: Shape, corners: &[u32]) -> Vec<u32> {
        let mut out = Vec::new();
        shape.split(corners, &mut out);
        assert_eq!(out.len(), shape.simplices() * (shape.dimension() + 1), "{shape:?}");
        out
    }

    fn volume(points: &[[f64; 3]], t: &[u32]) -> f64 {
        let edge = |k: usize| {
            let (x, o) = (points[t[k] as usize], points[t[0] as usize]);
            [x[0] - o[0], x[1] - o[1], x[2] - o[2]]
        };
        let [a, b, c] = [edge(1), edge(2), edge(3)];
        (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0]))
            / 6.0
    }

    /// Checks that various numberings of the corners give positive tetrahedra that fill the solid.
    #[test]
    fn solids_are_filled_whatever_their_numbers() {
        let cube: Vec<[f64; 3]> = [[0, 0], [1, 0], [1, 1], [0, 1]]
            .iter()
            .flat_map(|&[x, y]| [[x, y, 0], [x, y, 1]])
            .map(|x| x.map(f64::from))
            .collect();
        // In `cube`, the corners of the base have even indices, and those above them have odd ones.
        let solids: [(Shape, &[usize], f64); 3] = [
            (Shape::Hexahedron, &[0, 2, 4, 6, 1, 3, 5, 7], 1.0),
            (Shape::Prism, &[0, 2, 4, 1, 3, 5], 0.5),
            (Shape::Pyramid, &[0, 2, 4, 6, 1], 1.0 / 3.0),
        ];
        for (shape, places, expected) in solids {
            for turn in 0..places.len() * 7 {
                // Corner k has the vertex index `corners[k]`. The indices are a permutation of
                // `0..n`.
                let n = places.len();
                let mut corners: Vec<u32> = (0..n as u32).collect();
                corners.rotate_left(turn % n);
                corners.swap(turn % 3, n - 1 - turn % 2);
                let mut points = vec![[0.0; 3]; n];
                for (k, &number) in corners.iter().enumerate() {
                    points[number as usize] = cube[places[k]];
                }
                let cells = split(shape, &corners);
                let volumes: Vec<f64> = cells.chunks(4).map(|t| volume(&points, t)).collect();
                assert!(volumes.iter().all(|&v| v > 1e-9), "{shape:?} {corners:?}: {volumes:?}");
                let total: f64 = volumes.iter().sum();
                assert!((total - expected).abs() < 1e-12, "{shape:?} {corners:?}: {total}");
            }
        }
    }

    /// Checks a hexahedron with a prism on one side and a pyramid on top: every inner triangle
    /// belongs to two tetrahedra, and the shared quads are split like single quads.
    #[test]
    fn shared_faces_are_cut_alike() {
        for seed in 0..200_u32 {
            // A permutation of the vertex indices 0 to 10.
            let mut number: Vec<u32> = (0..11).collect();
            let mut state = seed;
            for k in (1..11).rev() {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                number.swap(k, (state >> 16) as usize % (k + 1));
            }
            let of = |places: &[usize]| -> Vec<u32> { places.iter().map(|&p| number[p]).collect() };
            let mut cells = split(Shape::Hexahedron, &of(&[0, 1, 2, 3, 4, 5, 6, 7]));
            cells.extend(split(Shape::Prism, &of(&[1, 8, 2, 5, 9, 6])));
            cells.extend(split(Shape::Pyramid, &of(&[7, 6, 5, 4, 10])));
            let mut faces: HashMap<[u32; 3], usize> = HashMap::new();
            for cell in cells.chunks(4) {
                for skip in 0..4 {
                    let mut face: Vec<u32> = cell.to_vec();
                    face.remove(skip);
                    face.sort_unstable();
                    *faces.entry([face[0], face[1], face[2]]).or_default() += 1;
                }
            }
            // The outer faces are 4 + 2 quads and 2 + 4 triangles.
            let outer = faces.values().filter(|&&n| n == 1).count();
            assert_eq!((outer, faces.values().filter(|&&n| n > 2).count()), (18, 0), "{number:?}");
            for quad in [[1, 2, 6, 5], [4, 5, 6, 7]] {
                for triangle in split(Shape::Quad, &of(&quad)).chunks(3) {
                    let mut triangle = [triangle[0], triangle[1], triangle[2]];
                    triangle.sort_unstable();
                    assert_eq!(faces.get(&triangle), Some(&2), "{number:?}");
                }
            }
        }
    }

    #[test]
    fn rows_follow_the_elements() {
        let array =
            DataArray { name: "a".into(), components: 2, values: Values::Int(vec![1, 2, 3, 4]) };
        assert_eq!(inherit(array.clone(), &[0, 1]), array);
        assert_eq!(inherit(array, &[1, 1, 0]).values, Values::Int(vec![3, 4, 3, 4, 1, 2]));
    }
}
