//! A cut through a surface along a loop, with a cap at each end.

use std::collections::HashSet;

use rayon::prelude::*;

use super::half_edges::HalfEdges;
use crate::geometry::Vec3;
use crate::mesh::{Mesh, Values};

/// How far the ends of a cut move apart, relative to the distance to the neighboring vertices.
const APART: f64 = 0.25;

/// A cut along a loop of vertices.
pub(super) struct Cut {
    vertices: Vec<u32>,
    /// The corners on the left of the loop at each of its vertices, as half-edges that start there.
    left: Vec<Vec<u32>>,
    /// The ends of the cut on the right and on the left of the loop.
    ends: [End; 2],
}

/// An end of a cut.
struct End {
    /// The new positions of the vertices of the loop. The last one is the center of the cap.
    places: Vec<Vec3>,
    /// The triangles of the cap, as indices into `places`.
    cap: Vec<[usize; 3]>,
}

impl Cut {
    /// Returns `None` if the loop touches itself or a boundary, or if a cap would pass through the
    /// surface or through the other cap.
    pub fn new(edges: &HalfEdges, vertices: &[u32]) -> Option<Self> {
        let n = vertices.len();
        let fans = |is_left: bool| -> Option<Vec<Vec<u32>>> {
            let fan = |i: usize| {
                let [before, after] = [vertices[(i + n - 1) % n], vertices[(i + 1) % n]];
                let [from, to] = if is_left { [after, before] } else { [before, after] };
                fan(edges, vertices[i], from, to)
            };
            (0..n).map(fan).collect()
        };
        let (right, left) = (fans(false)?, fans(true)?);
        let ends =
            [End::new(edges, vertices, &right, false), End::new(edges, vertices, &left, true)];
        let cut = Cut { vertices: vertices.to_vec(), left, ends };
        (!cut.meets(edges)).then_some(cut)
    }

    /// Returns whether a cap meets the other cap, or the surface beside the loop.
    fn meets(&self, edges: &HalfEdges) -> bool {
        let caps = self.ends.each_ref().map(End::triangles);
        if caps[0].iter().any(|a| caps[1].iter().any(|b| intersect(a, b))) {
            return true;
        }
        let triangles = caps.concat();
        let corners = triangles.as_flattened();
        let low = corners.iter().fold(corners[0], |low, x| low.inf(x));
        let high = corners.iter().fold(corners[0], |high, x| high.sup(x));
        let on_loop: HashSet<u32> = self.vertices.iter().copied().collect();
        edges.mesh().cells.par_chunks_exact(3).any(|cell| {
            let x = [cell[0], cell[1], cell[2]].map(|v| edges.at(v));
            let is_near = (0..3)
                .all(|k| x.iter().any(|x| x[k] >= low[k]) && x.iter().any(|x| x[k] <= high[k]));
            is_near
                && !cell.iter().any(|v| on_loop.contains(v))
                && triangles.iter().any(|triangle| intersect(triangle, &x))
        })
    }

    /// Cuts a mesh and closes both ends.
    pub fn apply(self, mesh: &mut Mesh) {
        let first = mesh.n_vertices() as u32;
        for (v, corners) in (first..).zip(&self.left) {
            corners.iter().for_each(|&corner| mesh.cells[corner as usize] = v);
        }
        let n = self.vertices.len();
        let copies: Vec<u32> = self.vertices.iter().map(|&v| push_copy(mesh, v)).collect();
        for (mut vertices, end) in [self.vertices, copies].into_iter().zip(self.ends) {
            vertices.push(push_copy(mesh, vertices[0]));
            for (v, x) in vertices.iter().zip(&end.places) {
                mesh.vertices[*v as usize] = (*x).into();
            }
            let normal = end.normal();
            set_normals(mesh, &vertices[n..], normal);
            mesh.cells.extend(end.cap.iter().flat_map(|t| t.map(|k| vertices[k])));
        }
    }
}

/// Returns the half-edges that start at a vertex, from the one to `from` up to, but not including,
/// the one to `to`, counterclockwise. Returns `None` if a boundary is in between.
fn fan(edges: &HalfEdges, v: u32, from: u32, to: u32) -> Option<Vec<u32>> {
    let mut fan = Vec::new();
    let mut at = from;
    while at != to {
        let edge = edges.between(v, at)?;
        fan.push(edge);
        at = edges.start(edges.before(edge));
        if fan.len() > edges.leaving(v).len() {
            return None;
        }
    }
    Some(fan)
}

impl End {
    /// Creates the end on one side of a loop from the fans of its vertices on this side.
    fn new(edges: &HalfEdges, vertices: &[u32], fans: &[Vec<u32>], is_left: bool) -> Self {
        let n = vertices.len();
        let moved = |(&v, fan): (&u32, &Vec<u32>)| {
            let at = edges.at(v);
            let inner = fan[1..].iter().map(|&edge| edges.at(edges.end(edge)) - at);
            at + inner.sum::<Vec3>() * (APART / (fan.len() - 1).max(1) as f64)
        };
        let mut places: Vec<Vec3> = vertices.iter().zip(fans).map(moved).collect();
        places.push(places.iter().sum::<Vec3>() / n as f64);
        let triangle = |i: usize| match is_left {
            true => [(i + 1) % n, i, n],
            false => [i, (i + 1) % n, n],
        };
        End { places, cap: (0..n).map(triangle).collect() }
    }

    fn triangles(&self) -> Vec<[Vec3; 3]> {
        self.cap.iter().map(|t| t.map(|k| self.places[k])).collect()
    }

    /// Returns the unit normal of the cap.
    fn normal(&self) -> Vec3 {
        let area = |[a, b, c]: [Vec3; 3]| (b - a).cross(&(c - a));
        let sum: Vec3 = self.triangles().into_iter().map(area).sum();
        sum.try_normalize(0.0).unwrap_or_default()
    }
}

/// Adds a vertex with the values of another one. Returns its index.
fn push_copy(mesh: &mut Mesh, v: u32) -> u32 {
    let at = mesh.vertices[v as usize];
    mesh.vertices.push(at);
    for array in &mut mesh.vertex_data {
        let row = v as usize * array.components..(v as usize + 1) * array.components;
        match &mut array.values {
            Values::Float(values) => values.extend_from_within(row),
            Values::Int(values) => values.extend_from_within(row),
        }
    }
    mesh.n_vertices() as u32 - 1
}

/// Sets the normals at vertices.
fn set_normals(mesh: &mut Mesh, vertices: &[u32], normal: Vec3) {
    for (k, name) in ["nx", "ny", "nz"].into_iter().enumerate() {
        let array = mesh.vertex_data.iter_mut().find(|array| array.name == name);
        if let Some(Values::Float(values)) = array.map(|array| &mut array.values) {
            vertices.iter().for_each(|&v| values[v as usize] = normal[k]);
        }
    }
}

/// Returns whether an edge of one triangle passes through the interior of the other one.
fn intersect(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    (0..3).any(|k| pierces(a[k], a[(k + 1) % 3], b) || pierces(b[k], b[(k + 1) % 3], a))
}

fn pierces(p: Vec3, q: Vec3, [a, b, c]: &[Vec3; 3]) -> bool {
    let volume = |x: &Vec3, y: &Vec3, z: &Vec3, w: &Vec3| (y - x).dot(&(z - x).cross(&(w - x)));
    let is_between = volume(&p, a, b, c) * volume(&q, a, b, c) <= 0.0;
    let turns = [(a, b), (b, c), (c, a)].map(|(x, y)| volume(&p, &q, x, y));
    is_between && (turns.iter().all(|x| *x > 0.0) || turns.iter().all(|x| *x < 0.0))
}
