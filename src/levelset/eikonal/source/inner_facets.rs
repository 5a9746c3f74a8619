//! Division of a source whose vertices are joined by edges or faces that are not part of it.
//!
//! Where a wall bends, an inner edge of the mesh may join two vertices of the wall. If both
//! vertices have the value zero, a solver treats the whole edge as part of the wall, and the front
//! starts too early. The source is therefore divided into classes without such edges, which are
//! solved separately.

use std::collections::{HashMap, HashSet};

use super::pieces::colors;
use crate::mesh::Mesh;

/// The largest number of classes per color. Each one costs a solve.
const MOST_CLASSES: usize = 8;

/// An edge or face, given by its vertices in ascending order. An edge repeats its last vertex.
type Key = [u32; 3];

/// The classes of a source.
#[derive(Debug, PartialEq, Eq)]
pub struct Classes {
    /// The vertices of the simplices of each class.
    pub simplices: Vec<Vec<u32>>,
    /// Whether a class contains inner edges or faces, because more classes would cost too much.
    pub have_inner: bool,
}

/// Divides simplices of `arity` vertices each into classes that together contain all of them.
///
/// If no edge or face of the mesh outside of the source joins vertices of the source, there is one
/// class. Otherwise, the source is divided at its corners, because the fronts from the two sides of
/// a corner meet in a kink, across which a solver interpolates. Overlapping classes then separate
/// the vertices of the remaining inner edges and faces. Single vertices (`arity` 1) stay together,
/// because the mesh file does not state which edges between them belong to the source.
pub fn classes(mesh: &Mesh, simplices: &[u32], arity: usize) -> Classes {
    let whole = || Classes { simplices: vec![simplices.to_vec()], have_inner: false };
    if arity < 2 {
        return whole();
    }
    let inner = inner_facets(mesh, simplices, arity);
    if inner.is_empty() {
        return whole();
    }
    let mut at: HashMap<u32, Vec<Key>> = HashMap::new();
    for &key in &inner {
        let [a, b, c] = key;
        at.entry(a).or_default().push(key);
        at.entry(b).or_default().push(key);
        if c != b {
            at.entry(c).or_default().push(key);
        }
    }
    let simplices: Vec<&[u32]> = simplices.chunks_exact(arity).collect();
    let color_of = colors(mesh, &simplices);
    let n_colors = color_of.iter().max().map_or(0, |last| last + 1);
    let mut classes = Classes { simplices: Vec::new(), have_inner: false };
    for color in 0..n_colors {
        let same = simplices.iter().zip(&color_of).filter(|(_, other)| **other == color);
        let same: Vec<&[u32]> = same.map(|(simplex, _)| *simplex).collect();
        let found = without_inner(&same, &at);
        classes.simplices.extend(found.simplices);
        classes.have_inner |= found.have_inner;
    }
    classes
}

/// Divides simplices into at most [`MOST_CLASSES`] overlapping classes. Only the last one may
/// contain inner edges or faces. `at` lists the inner edges and faces at each vertex.
fn without_inner(simplices: &[&[u32]], at: &HashMap<u32, Vec<Key>>) -> Classes {
    let mut is_covered = vec![false; simplices.len()];
    let mut classes = Classes { simplices: Vec::new(), have_inner: false };
    while is_covered.contains(&false) {
        let is_last = classes.simplices.len() + 1 == MOST_CLASSES;
        let mut class =
            Class { at, is_member: HashSet::new(), takes_all: is_last, is_closed: false };
        let mut chosen = vec![false; simplices.len()];
        // The first pass takes simplices that no class covers yet. The second pass repeats covered
        // ones to keep the gaps between simplices small.
        for pass in [false, true] {
            class.takes_all &= !pass;
            for (k, simplex) in simplices.iter().enumerate() {
                if is_covered[k] == pass && !chosen[k] && class.add(simplex) {
                    chosen[k] = true;
                }
            }
        }
        let members = simplices.iter().zip(&chosen).filter(|(_, chosen)| **chosen);
        classes.simplices.push(members.flat_map(|(simplex, _)| *simplex).copied().collect());
        classes.have_inner |= class.is_closed;
        is_covered.iter_mut().zip(&chosen).for_each(|(covered, chosen)| *covered |= chosen);
    }
    classes
}

/// A set of vertices without inner edges or faces between them.
struct Class<'a> {
    /// The inner edges and faces at each vertex.
    at: &'a HashMap<u32, Vec<Key>>,
    /// The vertices of the class that have inner edges or faces.
    is_member: HashSet<u32>,
    /// Whether a simplex is added even if it brings an inner edge or face into the class.
    takes_all: bool,
    /// Whether a simplex was added that brought an inner edge or face into the class.
    is_closed: bool,
}

impl Class<'_> {
    /// Adds the vertices of a simplex, unless this would bring an inner edge or face into the class
    /// and `takes_all` is not set. Returns whether the simplex was added.
    fn add(&mut self, simplex: &[u32]) -> bool {
        let has = |v: &u32| simplex.contains(v) || self.is_member.contains(v);
        let is_closed = |key: &Key| key.iter().all(has);
        let new = || simplex.iter().filter(|v| !self.is_member.contains(v));
        if new().filter_map(|v| self.at.get(v)).flatten().any(is_closed) {
            if !self.takes_all {
                return false;
            }
            self.is_closed = true;
        }
        self.is_member.extend(simplex.iter().filter(|v| self.at.contains_key(v)));
        true
    }
}

/// Returns the edges, and in tetrahedral meshes the faces, that join vertices of the source but are
/// not part of it. A face with such an edge is not listed.
fn inner_facets(mesh: &Mesh, simplices: &[u32], arity: usize) -> HashSet<Key> {
    let mut is_source = vec![false; mesh.n_vertices()];
    simplices.iter().for_each(|&v| is_source[v as usize] = true);
    let known: HashSet<Key> = simplices.chunks_exact(arity).flat_map(facets).collect();
    let mut inner = HashSet::new();
    let mut within: Vec<u32> = Vec::with_capacity(4);
    for cell in mesh.iter_cells() {
        within.clear();
        within.extend(cell.iter().filter(|&&v| is_source[v as usize]));
        if within.len() < 2 {
            continue;
        }
        for key in facets(&within) {
            let is_face = key[1] != key[2];
            // A triangle of a triangle mesh is not a facet.
            if !known.contains(&key) && (!is_face || cell.len() == 4) {
                inner.insert(key);
            }
        }
    }
    let edges_of = |[a, b, c]: Key| [[a, b, b], [b, c, c], [a, c, c]];
    let is_minimal =
        |key: &Key| key[1] == key[2] || !edges_of(*key).iter().any(|edge| inner.contains(edge));
    inner.iter().filter(|key| is_minimal(key)).copied().collect()
}

/// Returns the edges and faces between the given vertices.
fn facets(vertices: &[u32]) -> Vec<Key> {
    let mut sorted = [0; 4];
    let n = vertices.len().min(4);
    sorted[..n].copy_from_slice(&vertices[..n]);
    sorted[..n].sort_unstable();
    let mut found = Vec::new();
    for i in 0..n {
        for j in i + 1..n {
            found.push([sorted[i], sorted[j], sorted[j]]);
            found.extend((j + 1..n).map(|k| [sorted[i], sorted[j], sorted[k]]));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Kind;

    /// Returns two triangles in a corner at vertex 0. Vertices 1 and 2 lie on the sides of the
    /// corner, and vertex 3 lies behind the edge between them.
    fn corner() -> Mesh {
        let vertices = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
        Mesh::new(Kind::Planar, vertices, vec![0, 1, 2, 1, 3, 2])
    }

    #[test]
    fn a_wall_around_a_corner_is_divided() {
        let of = |simplices: &[u32], arity| classes(&corner(), simplices, arity).simplices;
        assert_eq!(of(&[0, 1, 0, 2], 2), [vec![0, 1], vec![0, 2]]);
        assert_eq!(of(&[0, 1, 1, 3], 2), [vec![0, 1, 1, 3]], "no inner edge");
        assert_eq!(of(&[1, 2], 1), [vec![1, 2]], "single vertices stay together");
        assert_eq!(of(&[0, 1, 2], 3), [vec![0, 1, 2]]);
    }

    #[test]
    fn three_walls_of_a_box_are_divided_at_the_inner_face() {
        let vertices =
            vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
        let mesh = Mesh::new(Kind::Volume, vertices, vec![0, 1, 2, 3, 1, 2, 3, 4]);
        let walls = [0, 1, 2, 0, 2, 3, 0, 1, 3];
        let found = classes(&mesh, &walls, 3);
        assert!(!found.have_inner);
        assert_eq!(found.simplices, [vec![0, 1, 2], vec![0, 2, 3], vec![0, 1, 3]]);
        // If the inner face is also a wall, there is only one class.
        let all = [&walls[..], &[1, 2, 3]].concat();
        assert_eq!(classes(&mesh, &all, 3).simplices, [all]);
    }
}
