//! Search for vertices inside boundary edges and faces.

use std::collections::HashMap;

use rayon::prelude::*;

use super::point_tree::PointTree;
use crate::geometry::Vec3;
use crate::mesh::{Kind, Mesh};

/// The rounding error of coordinates in files with 32-bit numbers or six digits, as a fraction of
/// the largest coordinate.
const ROUNDING: f64 = 1e-6;
/// The largest distance of a hanging node from its edge or face, as a fraction of the longest edge.
/// [`ROUNDING`] limits the distance as well.
const OFF: f64 = 1e-4;
/// The rounding of coordinates is tolerated beyond this limit if it is at most this fraction of the
/// longest edge and the cells on the two sides share vertices.
const FINE: f64 = 5e-2;
/// The distance by which rounding may move a node off its edge or face, as a multiple of the
/// spacing of the rounded numbers: half a diagonal for the node, and as much for the edge.
const MOVED: f64 = 1.75;
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
}

impl Found {
    pub(super) fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.faces.is_empty()
    }
}

/// Finds the hanging nodes of a mesh with the given boundary facets.
pub(super) fn find(mesh: &Mesh, facets: &[[u32; 3]]) -> Found {
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
    let at = |v: u32| mesh.vertices[v as usize];
    let largest = points.iter().flat_map(|&v| at(v)).fold(0.0_f64, |m, x| m.max(x.abs()));
    let search = Search {
        mesh,
        rounding: ROUNDING * largest,
        quantum: quantum(mesh),
        tree: PointTree::new(&mesh.vertices, points),
        edges: &edges,
    };
    let mut edges: Vec<_> = edges.par_iter().filter_map(|&edge| search.on_edge(edge)).collect();
    edges.sort_by(|a, b| search.length(b.0).total_cmp(&search.length(a.0)).then(a.0.cmp(&b.0)));
    let faces = match mesh.kind {
        Kind::Volume => {
            let on_edges: HashMap<[u32; 2], &[u32]> =
                edges.iter().map(|(edge, nodes)| (*edge, &nodes[..])).collect();
            facets.par_iter().filter_map(|&face| search.on_face(face, &on_edges)).collect()
        }
        _ => Vec::new(),
    };
    Found { edges, faces }
}

struct Search<'a> {
    mesh: &'a Mesh,
    rounding: f64,
    /// The spacing of the numbers that the coordinates are rounded to.
    quantum: f64,
    tree: PointTree<'a>,
    /// The edges of boundary facets, each with its lower vertex first, sorted.
    edges: &'a [[u32; 2]],
}

impl Search<'_> {
    fn at(&self, v: u32) -> Vec3 {
        self.mesh.vertices[v as usize].into()
    }

    fn length(&self, [a, b]: [u32; 2]) -> f64 {
        (self.at(b) - self.at(a)).norm()
    }

    fn tolerance(&self, length: f64) -> f64 {
        self.rounding.min(OFF * length)
    }

    /// Returns the tolerance for nodes whose cells share vertices with the cell of an edge or face.
    /// The rounding of the coordinates may move such a node farther than the usual tolerance.
    fn linked_tolerance(&self, length: f64) -> f64 {
        let is_fine = self.quantum <= FINE * length;
        self.tolerance(length).max(if is_fine { MOVED * self.quantum } else { 0.0 })
    }

    fn has_edge(&self, a: u32, b: u32) -> bool {
        self.edges.binary_search(&[a.min(b), a.max(b)]).is_ok()
    }

    /// Returns the position of a vertex along an edge, 0 to 1 between its ends, if it lies within
    /// `gap` of the line through the edge.
    fn along(&self, [a, b]: [u32; 2], v: u32, gap: f64) -> Option<f64> {
        let (a, b) = (self.at(a), self.at(b));
        let edge = b - a;
        let t = (self.at(v) - a).dot(&edge) / edge.norm_squared();
        let off = (self.at(v) - (a + edge * t)).norm();
        (off <= gap).then_some(t)
    }

    fn on_edge(&self, edge: [u32; 2]) -> Option<([u32; 2], Vec<u32>)> {
        let length = self.length(edge);
        let (strict, linked) = (self.tolerance(length), self.linked_tolerance(length));
        let nodes = self.within(edge, linked);
        let is_chain = nodes.first().is_some_and(|&node| self.has_edge(edge[0], node))
            && nodes.last().is_some_and(|&node| self.has_edge(node, edge[1]));
        let nodes = if linked > strict && !is_chain { self.within(edge, strict) } else { nodes };
        (!nodes.is_empty()).then_some((edge, nodes))
    }

    /// Returns the vertices inside an edge within `gap` of it, from its first end to its last.
    fn within(&self, edge: [u32; 2], gap: f64) -> Vec<u32> {
        let (a, b) = (self.at(edge[0]), self.at(edge[1]));
        let mut inside: Vec<(f64, u32)> = Vec::new();
        let visit = |v: u32| {
            let t = self.along(edge, v, gap).filter(|t| (END..1.0 - END).contains(t));
            inside.extend(t.filter(|_| !edge.contains(&v)).map(|t| (t, v)));
        };
        self.tree.visit(|low, high| meets_segment(a, b, gap, low, high), visit);
        inside.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        // One of several coincident vertices is enough.
        inside.dedup_by(|next, last| next.0 - last.0 < END);
        inside.into_iter().map(|(_, v)| v).collect()
    }

    fn on_face(
        &self,
        face: [u32; 3],
        on_edges: &HashMap<[u32; 2], &[u32]>,
    ) -> Option<([u32; 3], Vec<u32>)> {
        let x = face.map(|v| self.at(v));
        let edges = [[face[0], face[1]], [face[1], face[2]], [face[0], face[2]]];
        let longest = edges.iter().fold(0.0_f64, |m, &edge| m.max(self.length(edge)));
        let (strict, gap) = (self.tolerance(longest), self.linked_tolerance(longest));
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
            let is_on_edge = || edges.iter().any(|&edge| self.along(edge, v, gap).is_some());
            let off = (p - x[0]).dot(&normal).abs();
            let is_linked = || {
                let nodes = edges.iter().filter_map(|[a, b]| on_edges.get(&[*a.min(b), *a.max(b)]));
                face.iter()
                    .chain(nodes.flat_map(|nodes| nodes.iter()))
                    .any(|&w| self.has_edge(v, w))
            };
            let is_near = !face.contains(&v) && off <= gap && (off <= strict || is_linked());
            if is_near && is_inside() && !is_on_edge() {
                inside.push(v);
            }
        });
        inside.sort_unstable();
        (!inside.is_empty()).then_some((face, inside))
    }
}

/// Returns the spacing of the numbers that the coordinates are rounded to: the spacing of 32-bit
/// numbers or of numbers with a fixed number of decimals, or 0 if the coordinates are more precise.
fn quantum(mesh: &Mesh) -> f64 {
    const MOST_DECIMALS: i32 = 7;
    let coordinates = || mesh.vertices.iter().flatten().copied().filter(|c| c.is_finite());
    let largest = coordinates().fold(0.0_f64, |m, c| m.max(c.abs()));
    let is_single = coordinates().all(|c| f64::from(c as f32) == c);
    let (unit, single) = match is_single {
        true => (f64::from(f32::EPSILON), f64::from(f32::EPSILON) * largest),
        false => (f64::EPSILON, 0.0),
    };
    let has_decimals = |scale: f64| {
        coordinates().all(|c| (c * scale - (c * scale).round()).abs() <= unit * (c * scale).abs())
    };
    let decimals = (0..=MOST_DECIMALS).map(|d| 10.0_f64.powi(d)).find(|&scale| has_decimals(scale));
    decimals.map_or(0.0, |scale| 1.0 / scale).max(single)
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
