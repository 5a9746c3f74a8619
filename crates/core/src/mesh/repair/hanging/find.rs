//! Search for vertices inside boundary edges and faces.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::facing::Facing;
use crate::geometry::Vec3;
use crate::mesh::point_tree::PointTree;
use crate::mesh::repair::Weld;
use crate::mesh::rounding::Rounding;
use crate::mesh::{Kind, Mesh};
use crate::parallel::*;

/// The rounding of coordinates is tolerated if it is at most this fraction of the longest edge and
/// the cells on the two sides share vertices.
const FINE: f64 = 5e-2;
/// The rounding of coordinates is tolerated if it is at most this fraction of the longest edge and
/// a facet at the node lies along the edge or face, with its cell on the other side.
const FINER: f64 = 2e-2;
/// Sides with separate vertices are apart if the mean distance of the nodes from the edges exceeds
/// this multiple of the spacing of the rounded numbers. Rounding moves the nodes to both sides of
/// the edges.
const APART: f64 = 0.7;
/// A vertex closer to an end of an edge than this fraction of the length of the edge does not count
/// as inside the edge.
pub(super) const END: f64 = 1e-3;

/// The edges and faces with vertices inside them.
pub(super) struct Found {
    /// The edges, the longest first. Each has the vertices inside it, from its first end to its
    /// last.
    pub edges: Vec<([u32; 2], Vec<u32>)>,
    /// The faces of tetrahedra. Each has the vertices that are inside it but not on its edges, in
    /// ascending order.
    pub faces: Vec<([u32; 3], Vec<u32>)>,
    /// The number of nodes on edges that count as such only because rounding may have moved them,
    /// and the largest distance of such a node from its edge. Their cells have separate vertices.
    pub rounded: (usize, f64),
}

impl Found {
    pub(super) fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.faces.is_empty()
    }
}

/// Finds the hanging nodes of a mesh with the given boundary facets. If `weld` is a length, nodes
/// within this distance of an edge or face count as well.
pub(super) fn find(mesh: &Mesh, facets: &[[u32; 3]], weld: Weld) -> Found {
    let mut edges: Vec<[u32; 2]> = match mesh.kind {
        Kind::Volume => facets.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [a, c]]).collect(),
        _ => facets.iter().map(|&[a, b, _]| [a, b]).collect(),
    };
    edges.par_iter_mut().for_each(|edge| edge.sort_unstable());
    edges.par_sort_unstable();
    edges.dedup();
    let mut points: Vec<u32> = edges.iter().flatten().copied().collect();
    points.par_sort_unstable();
    points.dedup();
    let search = Search {
        mesh,
        facets,
        given: if let Weld::Within(length) = weld { length } else { 0.0 },
        rounding: Rounding::new(mesh, points.iter().copied()),
        tree: PointTree::new(&mesh.vertices, points),
        edges: &edges,
        facing: OnceLock::new(),
    };
    let on_edges: Vec<OnEdge> = edges.par_iter().filter_map(|&edge| search.on_edge(edge)).collect();
    let joins = search.joins_rounded(&on_edges);
    let off = || on_edges.iter().flat_map(|on| &on.outside).map(|off| off.abs());
    let rounded = if joins { (off().count(), off().fold(0.0, f64::max)) } else { (0, 0.0) };
    let nodes = |on: OnEdge| (on.edge, if joins { on.all } else { on.sure });
    let mut edges: Vec<_> =
        on_edges.into_iter().map(nodes).filter(|(_, nodes)| !nodes.is_empty()).collect();
    edges.sort_by(|a, b| search.length(b.0).total_cmp(&search.length(a.0)).then(a.0.cmp(&b.0)));
    let faces = match mesh.kind {
        Kind::Volume => {
            let on_edges: HashMap<[u32; 2], &[u32]> =
                edges.iter().map(|(edge, nodes)| (*edge, &nodes[..])).collect();
            facets.par_iter().filter_map(|&face| search.on_face(face, &on_edges, joins)).collect()
        }
        _ => Vec::new(),
    };
    Found { edges, faces, rounded }
}

/// The vertices inside an edge, from its first end to its last.
struct OnEdge {
    edge: [u32; 2],
    /// The vertices that are inside the edge even if the coordinates are precise, or whose cells
    /// share vertices with the cell of the edge.
    sure: Vec<u32>,
    /// All vertices, including those that only rounding may have moved off the edge.
    all: Vec<u32>,
    /// For the vertices that only rounding may have moved off the edge, their distances from it,
    /// positive outside its cell.
    outside: Vec<f64>,
}

struct Search<'a> {
    mesh: &'a Mesh,
    facets: &'a [[u32; 3]],
    /// The distance that the user gave for hanging nodes, or 0 if there is none.
    given: f64,
    rounding: Rounding,
    tree: PointTree<'a>,
    /// The edges of boundary facets, each with its lower vertex first, sorted.
    edges: &'a [[u32; 2]],
    /// Prepared when a node is first found that only rounding may have moved off its edge or face.
    facing: OnceLock<Facing<'a>>,
}

impl Search<'_> {
    fn at(&self, v: u32) -> Vec3 {
        self.mesh.vertices[v as usize].into()
    }

    fn length(&self, [a, b]: [u32; 2]) -> f64 {
        (self.at(b) - self.at(a)).norm()
    }

    /// Returns the tolerances for nodes on an edge or face with the given longest edge: for all
    /// nodes, and for nodes whose cells share vertices with the cell of the edge or face. The
    /// rounding of the coordinates may move a node farther than the first tolerance.
    fn tolerances(&self, length: f64) -> [f64; 2] {
        let strict = self.rounding.strict(length).max(self.given.min(FINE * length));
        [strict, strict.max(self.rounding.loose(length, FINE))]
    }

    /// Returns the distance of `node` from the edge or face `base` if a facet at the node lies
    /// along it up to the rounding of the coordinates, with its cell on the other side. The
    /// distance is positive outside the cell of `base`.
    fn opposite(&self, base: &[u32], length: f64, node: u32, off: f64) -> Option<f64> {
        let gap = self.rounding.loose(length, FINER);
        let is_end = |&v: &u32| (self.at(v) - self.at(node)).norm() <= gap;
        if off > gap || base.iter().any(is_end) {
            return None;
        }
        let facing = self.facing.get_or_init(|| Facing::new(self.mesh, self.facets));
        facing.opposite(base, node, gap)
    }

    /// Returns whether sides with separate vertices are joined at nodes that only rounding may have
    /// moved off their edges.
    fn joins_rounded(&self, on_edges: &[OnEdge]) -> bool {
        let n = on_edges.iter().map(|on| on.outside.len()).sum::<usize>();
        let sum: f64 = on_edges.iter().flat_map(|on| &on.outside).sum();
        sum.abs() <= APART * self.rounding.quantum() * n as f64
    }

    fn has_edge(&self, a: u32, b: u32) -> bool {
        self.edges.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    /// Returns the position of a vertex along an edge, 0 to 1 between its ends, and its distance
    /// from the line through the edge.
    fn along(&self, [a, b]: [u32; 2], v: u32) -> (f64, f64) {
        let (a, b) = (self.at(a), self.at(b));
        let edge = b - a;
        let t = (self.at(v) - a).dot(&edge) / edge.norm_squared();
        (t, (self.at(v) - (a + edge * t)).norm())
    }

    fn on_edge(&self, edge: [u32; 2]) -> Option<OnEdge> {
        let length = self.length(edge);
        let [strict, linked] = self.tolerances(length);
        let mut near = self.within(edge, linked);
        let all = distinct(&near);
        let is_chain = all.first().is_some_and(|&node| self.has_edge(edge[0], node))
            && all.last().is_some_and(|&node| self.has_edge(node, edge[1]));
        if near.is_empty() || linked <= strict || is_chain {
            return (!near.is_empty()).then(|| OnEdge {
                edge,
                sure: all.clone(),
                all,
                outside: Vec::new(),
            });
        }
        let mut outside = Vec::new();
        near.retain(|&(_, off, v)| {
            let distance = || self.opposite(&edge, length, v, off);
            off <= strict || distance().inspect(|&d| outside.push(d)).is_some()
        });
        let all = distinct(&near);
        near.retain(|&(_, off, _)| off <= strict);
        Some(OnEdge { edge, sure: distinct(&near), all, outside })
    }

    /// Returns the vertices inside an edge and within `gap` of it, from its first end to its last.
    /// Each has its position along the edge, 0 to 1, and its distance from the edge.
    fn within(&self, edge: [u32; 2], gap: f64) -> Vec<(f64, f64, u32)> {
        let (a, b) = (self.at(edge[0]), self.at(edge[1]));
        let mut inside: Vec<(f64, f64, u32)> = Vec::new();
        let visit = |v: u32| {
            let (t, off) = self.along(edge, v);
            if off <= gap && (END..1.0 - END).contains(&t) && !edge.contains(&v) {
                inside.push((t, off, v));
            }
        };
        self.tree.visit(|low, high| meets_segment(a, b, gap, low, high), visit);
        inside.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
        inside
    }

    fn on_face(
        &self,
        face: [u32; 3],
        on_edges: &HashMap<[u32; 2], &[u32]>,
        joins: bool,
    ) -> Option<([u32; 3], Vec<u32>)> {
        let x = face.map(|v| self.at(v));
        let edges = [[face[0], face[1]], [face[1], face[2]], [face[0], face[2]]];
        let longest = edges.iter().fold(0.0_f64, |m, &edge| m.max(self.length(edge)));
        let [strict, gap] = self.tolerances(longest);
        let normal = (x[1] - x[0]).cross(&(x[2] - x[0])).try_normalize(0.0)?;
        let meets = |low: &[f64; 3], high: &[f64; 3]| {
            (0..3).all(|k| {
                let [least, most] = [f64::min, f64::max].map(|f| f(f(x[0][k], x[1][k]), x[2][k]));
                low[k] <= most + gap && high[k] >= least - gap
            })
        };
        let mut inside = Vec::new();
        self.tree.visit(meets, |v| {
            let p = self.at(v);
            let is_inside = || {
                (0..3).all(|k| {
                    let side = (x[(k + 1) % 3] - x[k]).cross(&(p - x[k])).dot(&normal);
                    side > 0.0
                })
            };
            let is_on_edge = || edges.iter().any(|&edge| self.along(edge, v).1 <= gap);
            let off = (p - x[0]).dot(&normal).abs();
            let is_linked = || {
                let nodes = edges.iter().filter_map(|[a, b]| on_edges.get(&[*a.min(b), *a.max(b)]));
                face.iter()
                    .chain(nodes.flat_map(|nodes| nodes.iter()))
                    .any(|&w| self.has_edge(v, w))
            };
            let is_opposite = || joins && self.opposite(&face, longest, v, off).is_some();
            let is_sure = || off <= strict || is_linked() || is_opposite();
            let is_near = !face.contains(&v) && off <= gap;
            if is_near && is_inside() && !is_on_edge() && is_sure() {
                inside.push(v);
            }
        });
        inside.sort_unstable();
        (!inside.is_empty()).then_some((face, inside))
    }
}

/// Returns the vertices of a list of positions along an edge. Of several coincident vertices, only
/// one is returned.
fn distinct(inside: &[(f64, f64, u32)]) -> Vec<u32> {
    let mut nodes = inside.to_vec();
    nodes.dedup_by(|next, last| next.0 - last.0 < END);
    nodes.into_iter().map(|(_, _, v)| v).collect()
}

/// Returns true if a box may contain a point within `gap` of a segment.
fn meets_segment(a: Vec3, b: Vec3, gap: f64, low: &[f64; 3], high: &[f64; 3]) -> bool {
    let (mut begin, mut end) = (0.0_f64, 1.0_f64);
    for k in 0..3 {
        let (low, high) = (low[k] - gap, high[k] + gap);
        let step = b[k] - a[k];
        if step == 0.0 {
            if a[k] < low || a[k] > high {
                return false;
            }
            continue;
        }
        let (first, last) = ((low - a[k]) / step, (high - a[k]) / step);
        begin = begin.max(first.min(last));
        end = end.min(first.max(last));
    }
    // The tolerance allows for the rounding of the positions.
    begin <= end + 1e-9
}
