//! Finds out which loops of a surface do not separate their component.
//!
//! A spanning tree of the vertices of a component, and a spanning tree of its triangles that
//! crosses no edge of the first tree, leave out two edges per handle (D. Eppstein, *Dynamic
//! generators of topologically embedded graphs*, SODA 2003). Each of these edges closes a cycle of
//! triangles. A loop of vertices separates its component only if it crosses each of these cycles an
//! even number of times.
//!
//! Each cycle has a random key. The key of an edge is the sum, modulo 2 in each bit, of the keys of
//! the cycles that cross it, and the key of a loop is the sum of the keys of its edges. A loop with
//! a key other than 0 does not separate its component.

use std::collections::HashMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::NONE;
use super::half_edges::HalfEdges;

/// The keys of the edges.
pub(super) struct Keys {
    /// Whether the key of an edge differs from 0, for each half-edge.
    is_keyed: Vec<bool>,
    /// The keys other than 0, by the half-edges of the edges.
    keys: HashMap<u32, u128>,
}

impl Keys {
    /// Returns `None` if the surface has no handles.
    pub fn new(edges: &HalfEdges) -> Option<Self> {
        let mut is_used = span_vertices(edges);
        let faces = Faces::new(edges);
        let tree = faces.span(&mut is_used);
        let mut sums = vec![0_u128; faces.len()];
        let mut keys = HashMap::new();
        let mut random = ChaCha8Rng::seed_from_u64(0);
        for edge in (0..edges.len()).filter(|&edge| !is_used[edge as usize]) {
            if edges.smaller(edge) == edge {
                let key = u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
                keys.insert(edge, key);
                sums[edge as usize / 3] ^= key;
                sums[faces.beyond(edge) as usize] ^= key;
            }
        }
        if keys.is_empty() {
            return None;
        }
        // A cycle crosses an edge of the tree if exactly one of its ends is behind this edge.
        for &Step { face, edge, parent } in tree.iter().rev() {
            let key = sums[face as usize];
            if key != 0 && edge != NONE {
                sums[parent as usize] ^= key;
                keys.insert(edges.smaller(edge), key);
            }
        }
        let opposite = |(&edge, &key): (&u32, &u128)| Some((edges.opposite(edge)?, key));
        let others: Vec<(u32, u128)> = keys.iter().filter_map(opposite).collect();
        keys.extend(others);
        let mut is_keyed = vec![false; edges.len() as usize];
        keys.keys().for_each(|&edge| is_keyed[edge as usize] = true);
        Some(Keys { is_keyed, keys })
    }

    /// Returns the key of the edge of a half-edge.
    pub fn of(&self, edge: u32) -> u128 {
        if self.is_keyed[edge as usize] { self.keys[&edge] } else { 0 }
    }

    /// Returns whether each vertex is within a number of edges of an edge with a key other than 0.
    /// Shorter loops through other vertices have the key 0.
    pub fn near(&self, edges: &HalfEdges, distance: u32) -> Vec<bool> {
        let mut is_near = vec![false; edges.mesh().n_vertices()];
        let mut reached: Vec<u32> = Vec::new();
        for edge in (0..edges.len()).filter(|&edge| self.is_keyed[edge as usize]) {
            for v in [edges.start(edge), edges.end(edge)] {
                if !std::mem::replace(&mut is_near[v as usize], true) {
                    reached.push(v);
                }
            }
        }
        for _ in 0..distance {
            let mut next = Vec::new();
            for &v in &reached {
                edges.for_each_neighbor(v, |w, _| {
                    if !std::mem::replace(&mut is_near[w as usize], true) {
                        next.push(w);
                    }
                });
            }
            reached = next;
        }
        is_near
    }
}

/// Marks an edge as used.
fn mark(edges: &HalfEdges, is_used: &mut [bool], edge: u32) {
    is_used[edge as usize] = true;
    if let Some(opposite) = edges.opposite(edge) {
        is_used[opposite as usize] = true;
    }
}

/// Returns the half-edges of a spanning tree of the vertices of each component.
fn span_vertices(edges: &HalfEdges) -> Vec<bool> {
    let n = edges.mesh().n_vertices() as u32;
    let mut is_used = vec![false; edges.len() as usize];
    let mut is_reached = vec![false; n as usize];
    let mut order = Vec::new();
    for root in 0..n {
        if !std::mem::replace(&mut is_reached[root as usize], true) {
            order.push(root);
        }
        let mut at = 0;
        while let Some(&v) = order.get(at) {
            at += 1;
            edges.for_each_neighbor(v, |w, edge| {
                if !std::mem::replace(&mut is_reached[w as usize], true) {
                    order.push(w);
                    mark(edges, &mut is_used, edge);
                }
            });
        }
        order.clear();
    }
    is_used
}

/// A step of the search through the faces: a face, and the half-edge and the face from which it was
/// reached. The first face of a component has no such half-edge.
struct Step {
    face: u32,
    edge: u32,
    parent: u32,
}

/// The triangles of a surface, and one more face for each of its boundary loops. With these faces,
/// the surface is closed, and a loop around a hole separates it.
struct Faces<'a> {
    edges: &'a HalfEdges<'a>,
    /// The face behind each boundary half-edge.
    behind: HashMap<u32, u32>,
    /// The boundary half-edges of each additional face.
    boundary: Vec<Vec<u32>>,
}

impl<'a> Faces<'a> {
    fn new(edges: &'a HalfEdges<'a>) -> Self {
        let n_triangles = edges.len() / 3;
        let is_open = |edge: &u32| edges.opposite(*edge).is_none();
        let open: Vec<u32> = (0..edges.len()).filter(is_open).collect();
        let ends = |edge: u32| [edges.start(edge), edges.end(edge)];
        let mut around: HashMap<u32, Vec<u32>> = HashMap::new();
        for &edge in &open {
            ends(edge).iter().for_each(|v| around.entry(*v).or_default().push(edge));
        }
        let (mut behind, mut boundary) = (HashMap::new(), Vec::new());
        for &first in &open {
            if behind.contains_key(&first) {
                continue;
            }
            let face = n_triangles + boundary.len() as u32;
            behind.insert(first, face);
            let mut of_face = vec![first];
            let mut at = 0;
            while let Some(&edge) = of_face.get(at) {
                at += 1;
                for &other in ends(edge).iter().flat_map(|v| &around[v]) {
                    if let std::collections::hash_map::Entry::Vacant(entry) = behind.entry(other) {
                        entry.insert(face);
                        of_face.push(other);
                    }
                }
            }
            boundary.push(of_face);
        }
        Faces { edges, behind, boundary }
    }

    fn len(&self) -> usize {
        self.edges.len() as usize / 3 + self.boundary.len()
    }

    /// Returns the face on the other side of an edge.
    fn beyond(&self, edge: u32) -> u32 {
        match self.edges.opposite(edge) {
            Some(opposite) => opposite / 3,
            None => self.behind[&edge],
        }
    }

    /// Spans the faces of each component by edges that are not used, and marks these edges. The
    /// parent of a face precedes it in the result.
    fn span(&self, is_used: &mut [bool]) -> Vec<Step> {
        let n_triangles = self.edges.len() / 3;
        let mut is_reached = vec![false; self.len()];
        let mut steps: Vec<Step> = Vec::with_capacity(self.len());
        for root in 0..n_triangles {
            if std::mem::replace(&mut is_reached[root as usize], true) {
                continue;
            }
            let mut at = steps.len();
            steps.push(Step { face: root, edge: NONE, parent: root });
            while let Some(&Step { face, .. }) = steps.get(at) {
                at += 1;
                let mut cross = |edge: u32, to: u32| {
                    if !is_used[edge as usize] && !is_reached[to as usize] {
                        is_reached[to as usize] = true;
                        mark(self.edges, is_used, edge);
                        steps.push(Step { face: to, edge, parent: face });
                    }
                };
                match face.checked_sub(n_triangles) {
                    None => {
                        (3 * face..3 * face + 3).for_each(|edge| cross(edge, self.beyond(edge)));
                    }
                    Some(k) => {
                        self.boundary[k as usize].iter().for_each(|&edge| cross(edge, edge / 3));
                    }
                }
            }
        }
        steps
    }
}
