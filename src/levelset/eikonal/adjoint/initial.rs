//! The straight steps from a source to the vertices with its initial values.

use std::cell::OnceCell;

use super::Adjoint;
use crate::geometry::Vec3;
use crate::levelset::eikonal::source::{Part, Piece, Source, StartBalls};

/// An initial value is that of a part of a source if it differs by at most this fraction.
const SAME: f64 = 1e-9;

/// The initial values of a source.
pub(super) struct Initial<'a> {
    adjoint: &'a Adjoint<'a>,
    source: &'a Source,
    /// The indices of the parts, sorted by cell.
    by_cell: Vec<u32>,
    /// The center of the source if it is a point.
    center: Option<Vec3>,
    balls: OnceCell<Option<StartBalls<'a>>>,
}

impl<'a> Initial<'a> {
    pub fn new(adjoint: &'a Adjoint<'a>, source: &'a Source) -> Self {
        let mut by_cell: Vec<u32> = (0..source.parts.len() as u32).collect();
        by_cell.sort_by_key(|&k| source.parts[k as usize].cell);
        let center = source.is_point().then(|| source.parts[0].points()[0]);
        Initial { adjoint, source, by_cell, center, balls: OnceCell::new() }
    }

    /// Returns the steps that lead to a vertex with an initial value, each with its cell and its
    /// travel time. Adds `weight` times the derivative of the value by the position of the source
    /// to `position` if the source is a point.
    pub fn pieces(
        &self,
        v: u32,
        value: f64,
        weight: f64,
        position: &mut Vec3,
    ) -> Vec<(u32, Vec3, f64)> {
        let adjoint = self.adjoint;
        let (x, slowness) = (adjoint.x(v), adjoint.slowness);
        let n = adjoint.mesh.kind.arity() as u32;
        let cells = adjoint.at_vertex.row(v as usize).iter().map(|slot| slot / n);
        let in_cells = cells.flat_map(|cell| self.parts_in(cell)).map(|part| {
            let (time, from) = part.nearest(x, slowness);
            ((part.start + time - value).abs(), part.cell, x - from, time)
        });
        let nearest = in_cells.reduce(|a, b| if b.0 < a.0 { b } else { a });
        let pieces = match nearest {
            Some((off, cell, step, _)) if off <= SAME * value.abs().max(f64::MIN_POSITIVE) => {
                vec![Piece { cell, step }]
            }
            _ => self
                .ball()
                .map_or(Vec::new(), |(ball, center)| ball.pieces(center, x).unwrap_or_default()),
        };
        if let Some(center) = self.center {
            *position += self.by_position(&pieces, x - center) * weight;
        }
        let timed = |piece: Piece| (piece.cell, piece.step, slowness.time(piece.cell, &piece.step));
        pieces.into_iter().map(timed).collect()
    }

    /// Returns the parts of the source in a cell.
    fn parts_in(&self, cell: u32) -> impl Iterator<Item = &'a Part> {
        let parts = &self.source.parts;
        let first = self.by_cell.partition_point(|&k| parts[k as usize].cell < cell);
        let end = self.by_cell.partition_point(|&k| parts[k as usize].cell <= cell);
        self.by_cell[first..end].iter().map(move |&k| &parts[k as usize])
    }

    fn ball(&self) -> Option<(&StartBalls<'a>, Vec3)> {
        let adjoint = self.adjoint;
        let locator = adjoint.locator.as_ref();
        let balls = self
            .balls
            .get_or_init(|| locator.map(|locator| StartBalls::new(locator, adjoint.slowness)));
        balls.as_ref().zip(self.center)
    }

    /// Returns the derivative of the time along a straight segment by its begin. The `pieces` lie
    /// in the cells along the segment, whose length and direction is `whole`.
    fn by_position(&self, pieces: &[Piece], whole: Vec3) -> Vec3 {
        let slowness = self.adjoint.slowness;
        let length = whole.norm_squared();
        if length == 0.0 {
            return Vec3::zeros();
        }
        let mut sum = Vec3::zeros();
        let mut passed = 0.0;
        for (k, piece) in pieces.iter().enumerate() {
            let fraction = piece.step.dot(&whole) / length;
            sum -= slowness.by_step(piece.cell, &whole) * fraction;
            passed += fraction;
            // The point at which the segment leaves the cell moves with its begin.
            let Some(next) = pieces.get(k + 1) else { continue };
            let Some(normal) = self.normal_between(piece.cell, next.cell, whole) else { continue };
            let moved = normal * (-(1.0 - passed) / normal.dot(&whole));
            let time = |cell: u32| slowness.time(cell, &whole);
            sum += moved * (time(piece.cell) - time(next.cell));
        }
        sum
    }

    /// Returns a vector perpendicular to the facet that two cells share, within the plane of the
    /// cells for triangles, or `None` if they share less than a facet.
    fn normal_between(&self, one: u32, other: u32, whole: Vec3) -> Option<Vec3> {
        let adjoint = self.adjoint;
        let n = adjoint.mesh.kind.arity();
        let corners = |cell: u32| &adjoint.mesh.cells[cell as usize * n..][..n];
        let shared: Vec<Vec3> = corners(one)
            .iter()
            .filter(|v| corners(other).contains(v))
            .map(|&v| adjoint.x(v))
            .collect();
        let normal = match *shared {
            [a, b] if n == 3 => {
                let along = (b - a).normalize();
                whole - along * along.dot(&whole)
            }
            [a, b, c] => (b - a).cross(&(c - a)),
            _ => return None,
        };
        (normal.dot(&whole) != 0.0).then_some(normal)
    }
}
