//! Initial values around sources: vertices, points, groups of the mesh, curves and zero sets
//! (docs/distances.md, section 5.4).
//!
//! Every vertex of a cell that a source touches gets its straight-line distance to the source
//! inside that cell, divided by the speed of the cell, plus the initial value. The values are
//! passed to [`super::nearest`]. Those around a zero set are fixed. All others are upper bounds:
//! fronts lower them where another source or a detour is faster.

mod curve;
mod inner_facets;
mod pieces;
mod point_group;
mod simplices;
mod start_ball;

use super::{Slowness, reinitialize::is_cut};
use crate::geometry::{Vec3, simplex, simplex::Simplex};
use crate::mesh::Mesh;
use crate::parallel::*;
use crate::surface::{self, Locator};
pub use curve::{CurveSeeds, around_curve};
pub use inner_facets::classes;
pub use point_group::PointGroup;
pub use simplices::{around_simplices, parts_of_simplices};
pub use start_ball::{Piece, StartBalls};

/// A source: its position, in mesh units, and the arrival times around it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Source {
    /// The vertices (mesh order) and their initial values.
    pub values: Vec<(u32, f64)>,
    /// Whether the values are fixed, so that fronts cannot lower them.
    pub is_fixed: bool,
    /// The parts of the source in the cells it touches, where paths end.
    pub parts: Vec<Part>,
}

impl Source {
    /// Creates a source with initial values, pairs of a vertex and an arrival time, that fronts may
    /// lower.
    pub fn new(values: Vec<(u32, f64)>) -> Self {
        Source { values, is_fixed: false, parts: Vec::new() }
    }

    /// Sets the parts of the source.
    pub fn with_parts(mut self, parts: Vec<Part>) -> Self {
        self.parts = parts;
        self
    }

    /// Returns whether the parts of this source are one point, in one or several cells.
    pub fn is_point(&self) -> bool {
        let points = || self.parts.iter().flat_map(|part| part.points());
        let is_first = |p: &Vec3| points().next() == Some(p);
        self.parts.iter().all(|part| part.points().len() == 1)
            && points().all(is_first)
            && !self.parts.is_empty()
    }

    /// Sets the source number of the parts, and adds the arrival time `start` to all initial
    /// values, including those of the parts.
    pub fn numbered(mut self, source: u32, start: f64) -> Self {
        self.values.iter_mut().for_each(|(_, value)| *value += start);
        for part in &mut self.parts {
            part.source = source;
            part.start += start;
        }
        self
    }
}

/// The part of a source in one cell: a point, a segment, a triangle or a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Part {
    /// The index of the cell that contains the part.
    pub cell: u32,
    /// The number of the source, set by [`Source::numbered`]; 0 before that.
    pub source: u32,
    /// The initial value at the source, an arrival time.
    pub start: f64,
    points: [Vec3; 4],
    n: usize,
}

impl Part {
    /// Creates a part of source 0 with initial value 0 and one to four `points`, in mesh units.
    pub fn new(cell: u32, points: &[Vec3]) -> Self {
        let n = points.len().min(4);
        let mut part = Part { cell, source: 0, start: 0.0, points: [Vec3::zeros(); 4], n };
        part.points[..n].copy_from_slice(&points[..n]);
        part
    }

    /// Returns the corners of this part, one to four points in mesh units.
    pub fn points(&self) -> &[Vec3] {
        &self.points[..self.n]
    }

    /// Returns the point of this part closest to `x`, both in mesh units.
    pub fn closest(&self, x: Vec3) -> Vec3 {
        simplex::closest_point(x, self.points())
    }

    /// Returns the time of a straight step from this part to a point `x` of the cell, in mesh
    /// units, and the point of this part where the fastest such step begins.
    pub fn nearest(&self, x: Vec3, slowness: &Slowness<f64>) -> (f64, Vec3) {
        let [p, q, r, s] = self.points;
        let ([at, p, q, r, s], f) = slowness.in_cell(self.cell, [x, p, q, r, s]);
        let nearest = simplex::closest_point(at, &[p, q, r, s][..self.n]);
        ((nearest - at).norm() * f, slowness.unmapped(self.cell, &x, &nearest))
    }
}

/// Initial values around a point, and how well the point fits the mesh.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PointSeeds {
    /// The vertices (mesh order) and their initial values.
    pub values: Vec<(u32, f64)>,
    /// The point of the mesh closest to the given one, in mesh units.
    pub closest: [f64; 3],
    /// The distance between the given point and the closest point, in mesh units.
    pub gap: f64,
    /// The length of the longest edge of the cell that contains the closest point, in mesh units.
    pub edge: f64,
    /// The cells that contain the closest point, in ascending order.
    pub cells: Vec<u32>,
}

impl PointSeeds {
    /// Converts the values to a source.
    pub fn into_source(self) -> Source {
        let part = |&c: &u32| Part::new(c, &[self.closest.into()]);
        let parts = self.cells.iter().map(part).collect();
        Source::new(self.values).with_parts(parts)
    }
}

/// Returns the parts of a source that consists of vertices (mesh order) and of all edges and faces
/// between them. A part consists of the vertices of a cell that belong to the source.
pub fn parts_between_vertices(mesh: &Mesh, vertices: &[u32]) -> Vec<Part> {
    let mut is_source = vec![false; mesh.n_vertices()];
    vertices.iter().for_each(|&v| is_source[v as usize] = true);
    let mut shared: Vec<Vec3> = Vec::new();
    let mut parts = Vec::new();
    for (c, cell) in mesh.iter_cells().enumerate() {
        shared.clear();
        let within = cell.iter().filter(|&&v| is_source[v as usize]);
        shared.extend(within.map(|&v| Vec3::from(mesh.vertices[v as usize])));
        if !shared.is_empty() {
            parts.push(Part::new(c as u32, &shared));
        }
    }
    parts
}

/// Returns sources that consist of vertices, with initial value 0. `vertices` are pairs of a vertex
/// and the index of its source, below `n_sources`. If `with_parts` is true, the sources have parts,
/// in the order of the cells.
///
/// One pass over the cells serves all sources, so there may be many of them.
pub fn around_vertices(
    mesh: &Mesh,
    vertices: &[(u32, u32)],
    n_sources: usize,
    slowness: &Slowness<f64>,
    with_parts: bool,
) -> Vec<Source> {
    let mut wanted: Vec<(u32, u32)> = vertices.iter().map(|pair| pair.0).zip(0..).collect();
    wanted.sort_unstable();
    let mut sources = vec![Source::default(); n_sources];
    let mut near: Vec<u32> = Vec::new();
    for (c, cell) in mesh.iter_cells().enumerate() {
        near.clear();
        for &v in cell {
            let first = wanted.partition_point(|w| w.0 < v);
            near.extend(wanted[first..].iter().take_while(|w| w.0 == v).map(|w| w.1));
        }
        near.sort_unstable();
        for (v, source) in near.iter().map(|&k| vertices[k as usize]) {
            let source = &mut sources[source as usize];
            let at = Vec3::from(mesh.vertices[v as usize]);
            let step = |w: u32| Vec3::from(mesh.vertices[w as usize]) - at;
            let time = |w: u32| slowness.time(c as u32, &step(w));
            source.values.extend(cell.iter().map(|&w| (w, time(w))));
            source.parts.extend(with_parts.then(|| Part::new(c as u32, &[at])));
        }
    }
    sources.par_iter_mut().for_each(|source| {
        source.values = smallest_per_vertex(std::mem::take(&mut source.values));
    });
    sources
}

/// Returns the zero set of a function on the vertices, `[n_vertices]` in mesh order, as an unsigned
/// source.
///
/// Vertices of cut cells get their distance to the line or plane of the zero set there
/// (docs/distances.md, equation (5)) and are fixed.
pub fn around_zero_set(mesh: &Mesh, phi: &[f64], slowness: &Slowness<f64>) -> Source {
    let mut values = Vec::new();
    for c in 0..mesh.n_cells() as u32 {
        match mesh.kind.arity() {
            3 => cut_values::<3>(mesh, phi, c, slowness, &mut values),
            _ => cut_values::<4>(mesh, phi, c, slowness, &mut values),
        }
    }
    let found = surface::extract(mesh, phi);
    let pieces = found.cells.chunks_exact(found.arity.max(1)).zip(&found.parents);
    let parts = pieces
        .map(|(piece, &cell)| {
            let x: Vec<Vec3> = piece.iter().map(|&v| found.vertices[v as usize].into()).collect();
            Part::new(cell, &x)
        })
        .collect();
    Source { values: smallest_per_vertex(values), is_fixed: true, parts }
}

fn cut_values<const N: usize>(
    mesh: &Mesh,
    phi: &[f64],
    c: u32,
    slowness: &Slowness<f64>,
    values: &mut Vec<(u32, f64)>,
) {
    let cell = &mesh.cells[c as usize * N..][..N];
    let phi: [f64; N] = std::array::from_fn(|i| phi[cell[i] as usize]);
    if !is_cut(&phi) {
        return;
    }
    let x: [Vec3; N] = std::array::from_fn(|i| mesh.vertices[cell[i] as usize].into());
    let (x, f) = slowness.in_cell(c, x);
    let norm = Simplex::new(&x).gradient(&phi).norm();
    for (&v, phi) in cell.iter().zip(phi) {
        let distance = if phi == 0.0 { 0.0 } else { phi.abs() / norm };
        values.push((v, distance * f));
    }
}

/// Returns initial values around the point of the mesh closest to `at`, in mesh units, or `None`
/// for a mesh without cells. `start` is the arrival time at that point.
pub fn around_point(
    locator: &Locator<'_>,
    at: [f64; 3],
    start: f64,
    slowness: &Slowness<f64>,
) -> Option<PointSeeds> {
    let p = Vec3::from(at);
    let found = locator.closest(p)?;
    // Takes the first of the cells that are equally near up to rounding.
    let as_near = |&c: &u32| (locator.closest_in(c, p) - p).norm() <= found.gap;
    let near = locator.touching(p, found.gap.next_up());
    let nearest = near.into_iter().find(as_near).unwrap_or(found.cell);
    let closest = locator.closest_in(nearest, p);
    let edge = locator.longest_edge(nearest);
    // A point on a vertex or an edge touches every cell there.
    let mut touched = locator.touching(closest, 1e-12 * edge);
    if let Err(place) = touched.binary_search(&nearest) {
        touched.insert(place, nearest);
    }
    let mesh = locator.mesh();
    let mut values = Vec::new();
    for &c in &touched {
        for &v in locator.corners(c) {
            let step = Vec3::from(mesh.vertices[v as usize]) - closest;
            values.push((v, start + slowness.time(c, &step)));
        }
    }
    let values = smallest_per_vertex(values);
    Some(PointSeeds { values, closest: closest.into(), gap: found.gap, edge, cells: touched })
}

fn smallest_per_vertex(mut values: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    values.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    values.dedup_by_key(|v| v.0);
    values
}

#[cfg(test)]
mod tests;
