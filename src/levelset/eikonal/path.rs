//! Shortest paths from a point back to the source: descent in a field of arrival times.
//!
//! A path leads from point to point on the facets of cells (edges of triangles, faces of
//! tetrahedra). From a point `X`, it goes to the point `Y` that minimizes `u(Y) + f |X - Y|` or,
//! with a tensor, `u(Y)` plus the time from `Y` to `X`. `Y` may lie on any facet of the cells at
//! `X` that does not contain `X`. The arrival times are the result of the same minimum
//! (docs/distances.md, sections 5.1, 5.2, 5.5 and 5.12). Inside a cell, the path therefore follows
//! the negative gradient or, with a tensor D, -D grad u. It also continues along edges and over
//! vertices, where gradients give no direction. `u` decreases with every step, so every path ends.

use std::sync::OnceLock;

use super::source::Part;
use super::{Front, Slowness, formulas};
use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::primitives::GatherMatrix;
use crate::surface::Locator;

/// Barycentric weights up to this value count as zero, so that the point lies on a smaller face of
/// the cell.
const ON_SIDE: f64 = 1e-9;

/// A path to a source.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Path {
    /// The points from the start to the source, in mesh units.
    pub points: Vec<[f64; 3]>,
    /// The length of the path, in mesh units.
    pub length: f64,
    /// The number of the source where the path ends; `None` if it does not reach one.
    pub source: Option<u32>,
}

/// The start of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Start {
    /// A vertex of the mesh.
    Vertex(u32),
    /// The point of the mesh closest to this one, in mesh units.
    Point([f64; 3]),
}

/// Finds paths in one field of arrival times.
pub struct Paths<'a> {
    mesh: &'a Mesh,
    u: &'a [f64],
    slowness: &'a Slowness<f64>,
    front: Front,
    /// The parts of all sources, sorted by cell.
    parts: Vec<Part>,
    /// The cells at each vertex.
    at_vertex: GatherMatrix,
    /// Finds the mesh point closest to a start; created for the first start that is not a vertex.
    locator: OnceLock<Locator<'a>>,
}

/// A point of the mesh, given by the smallest simplex (vertex, edge, face or cell) that contains
/// it.
#[derive(Clone, Debug)]
struct Place {
    x: Vec3,
    vertices: Vec<u32>,
    /// The arrival time.
    u: f64,
}

/// The next point of a path: in the source, or on a facet.
enum Next {
    Source { point: Vec3, number: u32 },
    Side(Place),
}

impl<'a> Paths<'a> {
    /// Prepares the search for paths in the field `u`.
    ///
    /// `u` is in mesh order, `[n_vertices]`, NaN or infinite where no front has arrived. It must
    /// have been computed with fronts of the shape `front` from sources with these `parts`.
    pub fn new(
        mesh: &'a Mesh,
        u: &'a [f64],
        slowness: &'a Slowness<f64>,
        front: Front,
        mut parts: Vec<Part>,
    ) -> Self {
        parts.sort_by_key(|part| part.cell);
        let at_vertex = GatherMatrix::new(mesh.n_vertices(), &mesh.cells);
        Paths { mesh, u, slowness, front, parts, at_vertex, locator: OnceLock::new() }
    }

    /// Returns the path from `start`. The path has no source if no descent leads to one.
    pub fn from(&self, start: Start) -> Path {
        let mut place = match start {
            Start::Vertex(v) => self.at_vertex(v),
            Start::Point(x) => {
                let locator = self.locator.get_or_init(|| Locator::new(self.mesh));
                match locator.closest(x.into()) {
                    Some(at) => self.in_cell(at.cell, &locator.barycentric(at.cell, at.point)),
                    None => return Path { points: Vec::new(), length: 0.0, source: None },
                }
            }
        };
        let mut path = Path { points: vec![place.x.into()], length: 0.0, source: None };
        let go = |path: &mut Path, from: Vec3, to: Vec3| {
            path.points.push(to.into());
            path.length += (to - from).norm();
        };
        // u decreases in every step, but rounding could make the steps so small that the path does
        // not end in reasonable time.
        for _ in 0..4 * self.mesh.n_cells() + 100 {
            match self.next(&place) {
                None => break,
                Some(Next::Source { point, number }) => {
                    go(&mut path, place.x, point);
                    path.source = Some(number);
                    break;
                }
                Some(Next::Side(next)) => {
                    go(&mut path, place.x, next.x);
                    place = next;
                }
            }
        }
        path
    }

    fn x(&self, v: u32) -> Vec3 {
        self.mesh.vertices[v as usize].into()
    }

    fn value(&self, v: u32) -> f64 {
        let u = self.u[v as usize];
        if u.is_nan() { f64::INFINITY } else { u }
    }

    fn cell(&self, c: u32) -> &'a [u32] {
        let arity = self.mesh.kind.arity();
        &self.mesh.cells[c as usize * arity..][..arity]
    }

    fn at_vertex(&self, v: u32) -> Place {
        Place { x: self.x(v), vertices: vec![v], u: self.value(v) }
    }

    /// Returns the point in a cell with these barycentric weights, on the smallest simplex that
    /// contains it.
    fn in_cell(&self, c: u32, weights: &[f64; 4]) -> Place {
        let cell = self.cell(c);
        self.place(cell, &weights[..cell.len()], None)
    }

    /// Returns the point with these barycentric weights with respect to `vertices`. Interpolates
    /// `u` unless it is given.
    fn place(&self, vertices: &[u32], weights: &[f64], u: Option<f64>) -> Place {
        let on = |&(_, w): &(&u32, &f64)| *w > ON_SIDE;
        let kept: Vec<(u32, f64)> =
            vertices.iter().zip(weights).filter(on).map(|(&v, &w)| (v, w)).collect();
        if let [(v, _)] = kept[..] {
            return self.at_vertex(v);
        }
        let total: f64 = kept.iter().map(|(_, w)| w).sum();
        let x = kept.iter().map(|&(v, w)| self.x(v) * (w / total)).sum();
        let interpolated = || kept.iter().map(|&(v, w)| self.value(v) * (w / total)).sum();
        let u = u.unwrap_or_else(interpolated);
        Place { x, vertices: kept.into_iter().map(|(v, _)| v).collect(), u }
    }

    /// Returns the next point of a path from `place`, or `None` if no point has a smaller value.
    fn next(&self, place: &Place) -> Option<Next> {
        let first = *place.vertices.first()?;
        let slots = self.at_vertex.row(first as usize);
        let arity = self.mesh.kind.arity() as u32;
        let cells = slots.iter().map(|slot| slot / arity);
        let around = cells.filter(|&c| {
            let cell = self.cell(c);
            place.vertices.iter().all(|v| cell.contains(v))
        });
        let mut to_source: Option<(f64, Vec3, u32)> = None;
        let mut to_side: Option<(f64, Place)> = None;
        let mut lowest: Option<(f64, u32)> = None;
        for c in around {
            let begin = self.parts.partition_point(|part| part.cell < c);
            for part in self.parts[begin..].iter().take_while(|part| part.cell == c) {
                let (time, point) = part.nearest(place.x, self.slowness);
                let value = part.start + time;
                if to_source.is_none_or(|(least, ..)| value < least) {
                    to_source = Some((value, point, part.source));
                }
            }
            let cell = self.cell(c);
            for (i, v) in cell.iter().enumerate() {
                let value = self.value(*v);
                if lowest.is_none_or(|(least, _)| value < least) {
                    lowest = Some((value, *v));
                }
                if !place.vertices.contains(v) {
                    continue;
                }
                let (value, weights) = self.foot(c, i, &place.x);
                if value < f64::INFINITY && to_side.as_ref().is_none_or(|(l, _)| value < *l) {
                    let side: Vec<u32> = others(cell, i).collect();
                    // With a circular front, u is not linear along the edge.
                    let mut next = self.place(&side, &weights[..side.len()], None);
                    if next.vertices.len() > 1 && self.front == Front::Circular {
                        next.u = value - self.slowness.time(c, &(place.x - next.x));
                    }
                    to_side = Some((value, next));
                }
            }
        }
        let source =
            to_source.map(|(value, point, number)| (value, Next::Source { point, number }));
        let side = to_side.filter(|(_, next)| next.u < place.u);
        match (source, side) {
            // Given values equal the distances to the source up to rounding, so the source wins
            // ties.
            (Some((value, source)), Some((other, _))) if value <= other * (1.0 + 1e-9) => {
                Some(source)
            }
            (_, Some((_, next))) => Some(Next::Side(next)),
            (Some((_, source)), None) => Some(source),
            (None, None) => {
                let (value, v) = lowest?;
                (value < place.u).then(|| Next::Side(self.at_vertex(v)))
            }
        }
    }

    /// Returns the minimum over the points Y of the facet opposite vertex `i` of a cell of `u(Y)`
    /// plus the time from Y to `x`, and the barycentric weights of the Y that attains it.
    fn foot(&self, cell: u32, i: usize, x: &Vec3) -> (f64, [f64; 3]) {
        let corners = self.cell(cell);
        let mut side = others(corners, i);
        let mut next = || side.next().map_or((f64::INFINITY, *x), |v| (self.value(v), self.x(v)));
        let [(ua, a), (ub, b), (uc, c)] = [next(), next(), next()];
        let ([a, b, c, x], f) = self.slowness.in_cell(cell, [a, b, c, *x]);
        if corners.len() == 3 {
            let (value, s) = match self.front {
                Front::Circular => formulas::circle_foot(ua, ub, &a, &b, &x, f),
                Front::Plane => formulas::triangle_foot(ua, ub, &a, &b, &x, f),
            };
            return (value, [1.0 - s, s, 0.0]);
        }
        formulas::tetrahedron_foot([ua, ub, uc], [&a, &b, &c], &x, f)
    }
}

/// Returns the vertices of a cell except the `i`-th.
fn others(cell: &[u32], i: usize) -> impl Iterator<Item = u32> {
    cell.iter().enumerate().filter(move |&(k, _)| k != i).map(|(_, &v)| v)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::source::{self, Source};
    use super::super::{EikonalState, nearest};
    use super::*;
    use crate::Cpu;
    use crate::mesh::clean;
    use crate::mesh::generate::{Cube, Generate, Pattern, Square, generate};
    use crate::patches::{Coordinates, Partition, Patches};

    const PLAIN: Slowness<f64> = Slowness::Uniform(1.0);

    /// Returns the arrival times from vertex `v`, and the parts of this source.
    fn from_vertex(mesh: &Mesh, v: u32, front: Front) -> (Vec<f64>, Vec<Part>) {
        let patches = Arc::new(Patches::new(mesh, Partition::Metis, 32).unwrap());
        let coordinates = Arc::new(Coordinates::new(mesh, &patches));
        let mut state = EikonalState::new(patches, coordinates, PLAIN).with_front(front).unwrap();
        let values = source::around_simplices(mesh, &[v], 1, 0.0, &PLAIN);
        let sources = [(0, Source::new(values))];
        let u = nearest(&Cpu::new(1).unwrap(), &mut state, &sources, None).unwrap().u;
        (u, source::parts_of_simplices(mesh, &[v], 1))
    }

    fn square(pattern: Pattern, jitter: f64) -> Mesh {
        let mut square = Square::default();
        (square.cells, square.pattern, square.jitter) = ([20, 20], pattern, jitter);
        clean(generate(&Generate::Square(square)).unwrap()).unwrap().0
    }

    #[test]
    fn paths_in_the_plane_are_straight() {
        for (mesh, front, tolerance) in [
            (square(Pattern::Diagonal, 0.25), Front::Circular, 1e-9),
            (square(Pattern::Obtuse, 0.0), Front::Circular, 1e-9),
            (square(Pattern::Diagonal, 0.25), Front::Plane, 0.01),
            (square(Pattern::Equilateral, 0.0), Front::Plane, 0.01),
        ] {
            let (u, parts) = from_vertex(&mesh, 100, front);
            let source = Vec3::from(mesh.vertices[100]);
            let paths = Paths::new(&mesh, &u, &PLAIN, front, parts);
            let last = mesh.n_vertices() as u32 - 1;
            for start in [Start::Vertex(last), Start::Vertex(3), Start::Point([0.77, 0.123, 0.0])] {
                let path = paths.from(start);
                assert_eq!(path.source, Some(0));
                let [first, end] = [path.points[0], path.points[path.points.len() - 1]];
                let straight = (Vec3::from(first) - source).norm();
                assert_eq!(Vec3::from(end), source);
                let excess = path.length / straight - 1.0;
                assert!((-1e-12..tolerance).contains(&excess), "{start:?}: {excess:e}");
            }
        }
    }

    #[test]
    fn paths_through_tetrahedra_are_straight() {
        let mut cube = Cube::default();
        (cube.cells, cube.jitter) = ([8; 3], 0.1);
        let mesh = clean(generate(&Generate::Cube(cube)).unwrap()).unwrap().0;
        let (u, parts) = from_vertex(&mesh, 0, Front::Plane);
        let paths = Paths::new(&mesh, &u, &PLAIN, Front::Plane, parts);
        for start in [Start::Vertex(mesh.n_vertices() as u32 - 1), Start::Point([0.3, 0.9, 0.55])] {
            let path = paths.from(start);
            assert_eq!(path.source, Some(0));
            let straight = Vec3::from(path.points[0]).norm();
            assert!(path.length >= straight - 1e-12 && path.length < 1.02 * straight, "{path:?}");
        }
    }

    #[test]
    fn paths_end_where_no_front_has_been() {
        let mesh = square(Pattern::Diagonal, 0.0);
        let none = vec![f64::NAN; mesh.n_vertices()];
        let path =
            Paths::new(&mesh, &none, &PLAIN, Front::Plane, Vec::new()).from(Start::Vertex(7));
        assert_eq!((path.source, path.points.len(), path.length), (None, 1, 0.0));
        // In an arbitrary field without sources, no descent leads to a source, but the path still
        // ends.
        let odd: Vec<f64> = (0..mesh.n_vertices()).map(|k| (k * 7919 % 101) as f64).collect();
        let path = Paths::new(&mesh, &odd, &PLAIN, Front::Plane, Vec::new()).from(Start::Vertex(7));
        assert_eq!(path.source, None);
    }
}
