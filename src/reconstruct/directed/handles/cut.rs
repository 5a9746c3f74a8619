//! A cut through a surface along a loop, with a cap at each end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use super::half_edges::HalfEdges;
use crate::geometry::Vec3;
use crate::mesh::{Mesh, Values};
use crate::parallel::*;

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
    /// other cap.
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
        let [a, b] = ends.each_ref().map(End::triangles);
        let is_crossed = a.iter().any(|a| b.iter().any(|b| intersect(a, b)));
        (!is_crossed).then(|| Cut { vertices: vertices.to_vec(), left, ends })
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

/// Returns which cuts have a cap that passes through the surface beside their loop.
///
/// The cuts are found in a grid of cells, so that one pass through the triangles is enough.
pub(super) fn crossing(edges: &HalfEdges, cuts: &[Cut]) -> Vec<bool> {
    let cells = &edges.mesh().cells;
    let corners = |cell: &[u32]| [cell[0], cell[1], cell[2]].map(|v| edges.at(v));
    let longest = cells.par_chunks_exact(3).map(|cell| Bounds::of(&corners(cell)).longest());
    let longest = longest.reduce(|| 0.0, f64::max);
    let caps: Vec<Vec<[Vec3; 3]>> =
        cuts.iter().map(|cut| cut.ends.iter().flat_map(End::triangles).collect()).collect();
    let bounds: Vec<Bounds> = caps.iter().map(|caps| Bounds::of(caps.as_flattened())).collect();
    // A triangle near a cut has its first corner in a cell of this cut.
    let size = bounds.iter().map(Bounds::longest).fold(0.0, f64::max) + 2.0 * longest;
    let cell_of = |x: Vec3| [0, 1, 2].map(|k| (x[k] / size).floor() as i64);
    let mut grid: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    for (cut, Bounds { low, high }) in bounds.iter().enumerate() {
        let [first, last] = [low.add_scalar(-longest), high.add_scalar(longest)].map(cell_of);
        for x in first[0]..=last[0] {
            for y in first[1]..=last[1] {
                for z in first[2]..=last[2] {
                    grid.entry([x, y, z]).or_default().push(cut);
                }
            }
        }
    }
    let is_crossing: Vec<AtomicBool> = cuts.iter().map(|_| AtomicBool::new(false)).collect();
    cells.par_chunks_exact(3).for_each(|cell| {
        let Some(near) = grid.get(&cell_of(edges.at(cell[0]))) else { return };
        let x = corners(cell);
        let of_triangle = Bounds::of(&x);
        for &cut in near {
            if bounds[cut].meets(&of_triangle)
                && !cell.iter().any(|v| cuts[cut].vertices.contains(v))
                && caps[cut].iter().any(|triangle| intersect(triangle, &x))
            {
                is_crossing[cut].store(true, Ordering::Relaxed);
            }
        }
    });
    is_crossing.into_iter().map(AtomicBool::into_inner).collect()
}

/// The bounding box of points.
struct Bounds {
    low: Vec3,
    high: Vec3,
}

impl Bounds {
    fn of(points: &[Vec3]) -> Self {
        let low = points.iter().fold(points[0], |low, x| low.inf(x));
        let high = points.iter().fold(points[0], |high, x| high.sup(x));
        Bounds { low, high }
    }

    fn longest(&self) -> f64 {
        (self.high - self.low).max()
    }

    fn meets(&self, other: &Bounds) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] && other.low[k] <= self.high[k])
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
