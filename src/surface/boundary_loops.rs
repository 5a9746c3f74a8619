//! The boundary loops of a surface, and the edges at its boundary.

use std::collections::HashMap;

use crate::mesh::Mesh;
use crate::mesh::statistics::facets::{CellsAround, Uses};

/// A boundary loop, in the direction in which triangles that fill its hole run along it.
#[derive(Clone, Debug)]
pub(super) struct BoundaryLoop {
    /// The vertices. No vertex occurs twice.
    pub vertices: Vec<u32>,
    /// The triangle of the surface at the edge from each vertex to the next one.
    pub beside: Vec<u32>,
}

/// The triangles at an edge.
#[derive(Clone, Copy, Debug)]
struct Edge {
    count: u32,
    /// The first two triangles; equal if there is only one.
    triangles: [u32; 2],
}

/// The boundary of a surface.
pub(super) struct Boundary {
    /// The loops, in the order of their lowest edges.
    pub loops: Vec<BoundaryLoop>,
    /// Number of boundary edges that belong to no loop, because the boundary from them cannot be
    /// followed past an edge with three or more triangles.
    pub stuck: usize,
    /// The edges with an end on the boundary.
    edges: HashMap<[u32; 2], Edge>,
}

/// Returns the edges with one triangle, in the direction of the triangle, sorted by their lower
/// vertex.
fn boundary_edges(mesh: &Mesh) -> Vec<[u32; 2]> {
    let around = CellsAround::new(mesh.n_vertices(), &mesh.cells, 3);
    let add = |edges: &mut Vec<[u32; 2]>, uses: Uses| {
        let [a, b, _] = uses.vertices;
        if uses.even + uses.odd == 1 && a != b {
            edges.push(if uses.even == 1 { [a, b] } else { [b, a] });
        }
    };
    around.facets(|_| true, add).concat()
}

fn key(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl Boundary {
    /// Finds the boundary of a mesh of triangles.
    pub(super) fn of(mesh: &Mesh) -> Self {
        let edges = boundary_edges(mesh);
        if edges.is_empty() {
            return Boundary { loops: Vec::new(), stuck: 0, edges: HashMap::new() };
        }
        Self::new(mesh.n_vertices(), &mesh.cells, &edges)
    }

    /// Follows the boundary edges `at_boundary` of `triangles` (`[n * 3]`).
    fn new(n_vertices: usize, triangles: &[u32], at_boundary: &[[u32; 2]]) -> Self {
        let mut is_on = vec![false; n_vertices];
        at_boundary.as_flattened().iter().for_each(|&v| is_on[v as usize] = true);
        let mut edges: HashMap<[u32; 2], Edge> = HashMap::new();
        for (t, corners) in (0_u32..).zip(triangles.chunks_exact(3)) {
            for k in 0..3 {
                let (a, b) = (corners[k], corners[(k + 1) % 3]);
                if !is_on[a as usize] && !is_on[b as usize] {
                    continue;
                }
                let edge = edges.entry(key(a, b)).or_insert(Edge { count: 0, triangles: [t; 2] });
                if edge.count == 1 {
                    edge.triangles[1] = t;
                }
                edge.count += 1;
            }
        }
        let mut boundary = Boundary { loops: Vec::new(), stuck: 0, edges };
        let mut visited: HashMap<[u32; 2], bool> = HashMap::new();
        for &[a, b] in at_boundary {
            if visited.insert(key(a, b), true).is_none() {
                boundary.walk(triangles, [a, b], &mut visited);
            }
        }
        boundary
    }

    /// Returns whether the surface or a filled hole has the edge. One of its ends must be on the
    /// boundary.
    pub(super) fn has_edge(&self, a: u32, b: u32) -> bool {
        self.edges.contains_key(&key(a, b))
    }

    /// Adds an edge of a filled hole.
    pub(super) fn add_edge(&mut self, a: u32, b: u32) {
        self.edges.entry(key(a, b)).or_insert(Edge { count: 2, triangles: [0; 2] });
    }

    /// Follows the boundary from an edge. Adds its loops, or counts its edges as stuck.
    fn walk(
        &mut self,
        triangles: &[u32],
        [first, mut to]: [u32; 2],
        visited: &mut HashMap<[u32; 2], bool>,
    ) {
        let mut from = first;
        let (mut vertices, mut beside) = (Vec::new(), Vec::new());
        let is_closed = loop {
            let t = self.edges[&key(from, to)].triangles[0];
            vertices.push(from);
            beside.push(t);
            let Some(next) = self.next(triangles, t, from, to) else { break false };
            (from, to) = (to, next);
            if visited.insert(key(from, to), true).is_some() {
                break from == first;
            }
        };
        if !is_closed {
            self.stuck += vertices.len();
            return;
        }
        // The majority of the triangles decides the direction. The loop runs in the opposite
        // direction.
        let runs_along = |k: usize| {
            let (a, b) = (vertices[k], vertices[(k + 1) % vertices.len()]);
            let t = &triangles[3 * beside[k] as usize..][..3];
            (0..3).any(|j| t[j] == a && t[(j + 1) % 3] == b)
        };
        let along = (0..vertices.len()).filter(|&k| runs_along(k)).count();
        if 2 * along >= vertices.len() {
            vertices.reverse();
            beside.reverse();
            beside.rotate_left(1);
        }
        self.split(&vertices, &beside);
    }

    /// Returns the next vertex of the boundary after the edge from `from` to `to` of the triangle
    /// `t`, on the other side of the triangles around `to`. Returns `None` if these triangles meet
    /// an edge with three or more triangles.
    fn next(&self, triangles: &[u32], mut t: u32, mut from: u32, to: u32) -> Option<u32> {
        for _ in 0..triangles.len() {
            let corners = &triangles[3 * t as usize..][..3];
            let other = *corners.iter().find(|&&v| v != from && v != to)?;
            let edge = self.edges[&key(to, other)];
            match edge.count {
                1 => return Some(other),
                2 => t = edge.triangles[usize::from(edge.triangles[0] == t)],
                _ => return None,
            }
            from = other;
        }
        None
    }

    /// Adds a loop. If it passes through a vertex twice, it is split there.
    fn split(&mut self, vertices: &[u32], beside: &[u32]) {
        let mut at: HashMap<u32, usize> = HashMap::new();
        let mut open: Vec<(u32, u32)> = Vec::new();
        for (&v, &t) in vertices.iter().zip(beside) {
            if let Some(start) = at.get(&v).copied() {
                let part = open.split_off(start);
                for (w, _) in &part {
                    at.remove(w);
                }
                self.add(part);
            }
            at.insert(v, open.len());
            open.push((v, t));
        }
        self.add(open);
    }

    fn add(&mut self, part: Vec<(u32, u32)>) {
        let (vertices, beside) = part.into_iter().unzip();
        self.loops.push(BoundaryLoop { vertices, beside });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_run_against_the_triangles_and_split_where_they_touch() {
        // Two triangles that touch only at vertex 0. The boundary passes this vertex twice.
        let cells = [0, 1, 2, 0, 3, 4];
        let edges = [[0, 1], [1, 2], [2, 0], [0, 3], [3, 4], [4, 0]];
        let boundary = Boundary::new(5, &cells, &edges);
        let vertices: Vec<_> = boundary.loops.iter().map(|l| l.vertices.clone()).collect();
        assert_eq!(vertices, [[2, 1, 0], [4, 3, 0]]);
        assert_eq!((boundary.loops[1].beside.clone(), boundary.stuck), (vec![1, 1, 1], 0));
        assert!(boundary.has_edge(4, 0) && !boundary.has_edge(1, 3));
        // At an edge with three triangles, the boundary cannot be followed.
        let fan = [0, 1, 2, 0, 1, 3, 0, 1, 4];
        let edges = [[1, 2], [2, 0], [1, 3], [3, 0], [1, 4], [4, 0]];
        let boundary = Boundary::new(5, &fan, &edges);
        assert_eq!((boundary.loops.len(), boundary.stuck), (0, 6));
    }
}
