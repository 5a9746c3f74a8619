//! Initial values in a ball around a point source, for cells with a conduction tensor.
//!
//! Near a point, the front is curved too strongly for straight fronts: their error is of the order
//! h log h, and its factor grows with the ratio of the speeds. Within a ball of a fixed radius,
//! every vertex therefore gets the time along the straight segment from the source. In a flat
//! region with a constant tensor, this time is exact. Elsewhere it is an upper bound, which fronts
//! may lower.

use std::collections::BTreeSet;

use super::curve::OnMesh;
use super::{Slowness, Source};
use crate::geometry::Vec3;
use crate::parallel::*;
use crate::primitives::GatherMatrix;
use crate::surface::Locator;

/// The radius of a ball, relative to the longest side of the bounding box of the mesh.
const RADIUS: f64 = 0.1;
/// The largest number of vertices of a ball. It bounds the time on fine meshes.
const MOST_VERTICES: usize = 4096;
/// A point of a segment is off the mesh if its distance from the mesh exceeds this fraction of the
/// longest edge of the nearest cell.
const OFF: f64 = 1e-9;

/// The part of a straight segment within a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Piece {
    /// The cell.
    pub cell: u32,
    /// The length and direction of the part, in mesh units.
    pub step: Vec3,
}

/// Balls around the point sources of one mesh.
pub struct StartBalls<'a> {
    locator: &'a Locator<'a>,
    slowness: &'a Slowness<f64>,
    /// The cells at each vertex.
    at_vertex: GatherMatrix,
    radius: f64,
}

impl<'a> StartBalls<'a> {
    /// Prepares balls on the mesh of `locator`.
    pub fn new(locator: &'a Locator<'a>, slowness: &'a Slowness<f64>) -> Self {
        let mesh = locator.mesh();
        let (low, high) = mesh.bounds();
        let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let at_vertex = GatherMatrix::new(mesh.n_vertices(), &mesh.cells);
        StartBalls { locator, slowness, at_vertex, radius: RADIUS * longest }
    }

    /// Adds the values of the ball around a source that consists of one point. Other sources stay
    /// as they are.
    pub fn extend(&self, source: &mut Source) {
        if !source.is_point() {
            return;
        }
        let first = source.parts[0].points()[0];
        let Some(center) = OnMesh::of(self.locator, first) else { return };
        let start = source.parts[0].start;
        let mut known: BTreeSet<u32> = source.values.iter().map(|&(v, _)| v).collect();
        let mut edge: Vec<u32> = known.iter().copied().collect();
        while !edge.is_empty() && source.values.len() < MOST_VERTICES {
            let mut next: Vec<u32> = edge.iter().flat_map(|&v| self.neighbors(v)).collect();
            next.sort_unstable();
            next.dedup();
            next.retain(|&v| known.insert(v) && (self.x(v) - first).norm() <= self.radius);
            let timed = |&v: &u32| Some((v, start + self.time_from(&center, self.x(v))?));
            let found: Vec<(u32, f64)> = next.par_iter().filter_map(timed).collect();
            edge = found.iter().map(|&(v, _)| v).collect();
            source.values.extend(found);
        }
    }

    fn x(&self, v: u32) -> Vec3 {
        self.locator.mesh().vertices[v as usize].into()
    }

    /// Returns the vertices that share a cell with a vertex, possibly repeated.
    fn neighbors(&self, v: u32) -> impl Iterator<Item = u32> + '_ {
        let mesh = self.locator.mesh();
        let arity = mesh.kind.arity();
        let slots = self.at_vertex.row(v as usize).iter();
        slots.flat_map(move |&slot| {
            let cell = slot as usize / arity;
            mesh.cells[cell * arity..][..arity].iter().copied()
        })
    }

    /// Returns the pieces of the straight segment between two points, in mesh units, or `None` if
    /// the segment leaves the mesh. A piece within a facet belongs to the fastest cell.
    pub fn pieces(&self, from: Vec3, to: Vec3) -> Option<Vec<Piece>> {
        self.pieces_from(&OnMesh::of(self.locator, from)?, to)
    }

    /// Returns the time along the straight segment from a point to `to`, or `None` if the segment
    /// leaves the mesh.
    fn time_from(&self, from: &OnMesh, to: Vec3) -> Option<f64> {
        let pieces = self.pieces_from(from, to)?;
        Some(pieces.iter().fold(0.0, |time, at| time + self.slowness.time(at.cell, &at.step)))
    }

    fn pieces_from(&self, from: &OnMesh, to: Vec3) -> Option<Vec<Piece>> {
        let (locator, mut at, mut pieces) = (self.locator, from.clone(), Vec::new());
        let end = OnMesh::of(locator, to)?;
        // A segment within the ball crosses few cells. Rounding could make its pieces so short that
        // the walk does not end.
        for _ in 0..MOST_VERTICES {
            let is_last = at.cells.iter().any(|c| end.cells.contains(c));
            let next = match is_last {
                true => end.clone(),
                false => {
                    let fraction = at.exit(locator, &end);
                    if !(fraction > 1e-9 && fraction < 1.0) {
                        return None;
                    }
                    OnMesh::of(locator, at.asked + (end.asked - at.asked) * fraction)?
                }
            };
            if next.found.gap > OFF * locator.longest_edge(next.found.cell) {
                return None;
            }
            let step = next.asked - at.asked;
            let shared = at.cells.iter().filter(|c| next.cells.contains(c));
            let timed = shared.map(|&cell| (self.slowness.time(cell, &step), cell));
            let (_, cell) = timed.reduce(|a, b| if b.0 < a.0 { b } else { a })?;
            pieces.push(Piece { cell, step });
            if is_last {
                return Some(pieces);
            }
            at = next;
        }
        None
    }
}
