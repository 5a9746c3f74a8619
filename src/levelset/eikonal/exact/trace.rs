//! Shortest paths from vertices and points back to the source, along the straight lines by which
//! they were reached.

use super::super::path::Path;
use super::super::source::Part;
use super::arrivals::{Arrival, NONE, Root};
use super::crossing::Probe;
use super::start::Frame;
use super::surface::{Layout, Surface, next};
use crate::geometry::Vec3;

/// A line that passes a vertex at this distance or less, in lengths of the side that it crosses,
/// may run over the vertex.
const NEAR: f64 = 1e-9;
/// Lines whose length differs from that of the path by more than this fraction are wrong.
const TURN: f64 = 1e-7;
/// The largest number of sides that are tried in the search for one straight line. More than one
/// line is possible only where lines cross edges with three or more cells.
const MOST_SIDES: usize = 1 << 20;

/// The solution of a propagation.
pub(super) struct Trace<'a> {
    pub surface: &'a Surface<'a>,
    pub parts: &'a [Part],
    /// The arrivals at the vertices, followed by those at the probes.
    pub arrivals: &'a [Arrival],
    pub probes: &'a [Probe],
}

/// A straight line on its way back to its root: it crosses the side `into` at `at` and continues in
/// the cell across. `source` is its root in the coordinates of the side.
#[derive(Clone, Copy)]
struct Line {
    from: u32,
    at: f64,
    source: [f64; 2],
    /// The length of the line up to this side.
    length: f64,
    /// The number of points of the path up to this side.
    n_points: usize,
}

/// Where a straight line ends.
enum End {
    Vertex(u32),
    Source(u32, Vec3),
}

impl Trace<'_> {
    /// Returns the path from a vertex, or, if `v` is at least the number of vertices, from the
    /// probe whose index is `v` minus that number.
    pub fn from(&self, v: u32) -> Path {
        let n_vertices = self.arrivals.len() - self.probes.len();
        let mut x = match (v as usize).checked_sub(n_vertices) {
            Some(probe) => self.probes[probe].x,
            None => self.surface.x(v),
        };
        let mut points = vec![x];
        let mut source = None;
        let mut arrival = self.arrivals[v as usize];
        // The values of the vertices on a path decrease.
        for _ in 0..=n_vertices {
            if arrival.root == NONE {
                break;
            }
            let end = self.follow(&arrival, x, &mut points).or_else(|| self.lowest(&arrival));
            match end {
                None => break,
                Some(End::Vertex(next)) => {
                    x = self.surface.x(next);
                    points.push(x);
                    let value = arrival.value;
                    arrival = self.arrivals[next as usize];
                    if arrival.value > value {
                        break;
                    }
                }
                Some(End::Source(number, point)) => {
                    points.push(point);
                    source = Some(number);
                    break;
                }
            }
        }
        points.dedup();
        let length = points.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
        Path { points: points.into_iter().map(Into::into).collect(), length, source }
    }

    /// Returns the vertex with the lowest value in the last cell of an arrival, if this value is
    /// below that of the arrival.
    fn lowest(&self, arrival: &Arrival) -> Option<End> {
        let corners = self.surface.cell(arrival.into / 3);
        let value = |v: &u32| self.arrivals[*v as usize].value;
        let lowest = corners.into_iter().min_by(|p, q| value(p).total_cmp(&value(q)))?;
        (value(&lowest) < arrival.value).then_some(End::Vertex(lowest))
    }

    /// Follows the straight line by which the point `x` was reached, and adds the points where it
    /// crosses edges. Returns `None` if rounding prevents this.
    fn follow(&self, arrival: &Arrival, x: Vec3, points: &mut Vec<Vec3>) -> Option<End> {
        let root = Root::of(arrival.root)?;
        if arrival.from == NONE {
            return Some(self.end(root, x));
        }
        let frame = Frame::new(self.surface, arrival.into);
        let [px, py] = frame.local(x);
        let back = match arrival.is_point {
            true => [arrival.source[0] - px, arrival.source[1] + py],
            false => arrival.source,
        };
        let at = if back[1] > 0.0 { px + back[0] * py / back[1] } else { px };
        let at = at.max(0.0).min(frame.layout.length);
        points.push(frame.global([at, 0.0]));
        let first = Line {
            from: arrival.from,
            at,
            source: arrival.source,
            length: (px - at).hypot(py),
            n_points: points.len(),
        };
        let mut lines = vec![first];
        for _ in 0..MOST_SIDES {
            let Some(line) = lines.pop() else { break };
            points.truncate(line.n_points);
            if let Some(end) = self.cross(arrival, root, &line, points, &mut lines) {
                return Some(end);
            }
        }
        points.truncate(first.n_points - 1);
        None
    }

    /// Follows a line through one cell. Returns its end, if it ends there or at a vertex of the
    /// cell. Otherwise, adds its continuations to `lines`, unless the line is longer than the path.
    /// Such a line has taken a wrong turn at an edge with three or more cells.
    fn cross(
        &self,
        arrival: &Arrival,
        root: Root,
        line: &Line,
        points: &mut Vec<Vec3>,
        lines: &mut Vec<Line>,
    ) -> Option<End> {
        let g = self.surface.layout(line.from);
        let is_end = match root {
            Root::Vertex(v) => v == g.tip,
            Root::Part(part) => self.parts[part as usize].cell == line.from / 3,
        };
        let (x, whole) = (*points.last()?, arrival.value - self.value(root));
        let slack = TURN * (whole + g.length);
        if is_end {
            let end = self.end(root, x);
            let rest = match end {
                End::Vertex(v) => (self.surface.x(v) - x).norm(),
                End::Source(_, point) => (point - x).norm(),
            };
            if (line.length + rest - whole).abs() <= slack {
                return Some(end);
            }
        }
        if line.length > whole + slack {
            return None;
        }
        // The line from (at, 0) to the source, in coordinates where the cell is above the x axis.
        let [sx, sy] = line.source;
        let [dx, dy] = if arrival.is_point { [sx - line.at, sy] } else { [sx, sy] };
        let aside = (dx * g.y - dy * (g.x - line.at)) / dx.hypot(dy);
        if aside.abs() <= NEAR * g.length && self.runs_over(arrival, &g, line) {
            return Some(End::Vertex(g.tip));
        }
        let mut sides = [next(line.from), next(next(line.from))];
        if !self.surface.ends(sides[0]).contains(&g.a) {
            sides.reverse();
        }
        // To the left of the tip, the line leaves through the side at `a`.
        let (side, end, x_end) =
            if aside < 0.0 { (sides[0], g.a, 0.0) } else { (sides[1], g.b, g.length) };
        let size = (g.x - x_end).hypot(g.y);
        let [ux, uy] = [(g.x - x_end) / size, g.y / size];
        // The intersection of (x_end, 0) + s u and (at, 0) + r d.
        let (from_end, determinant) = (line.at - x_end, ux * dy - uy * dx);
        let s = from_end * dy / determinant;
        let s = if s.is_finite() { s.max(0.0).min(size) } else { 0.0 };
        // The source lies beyond this side, at the distance `far` from it.
        let weight = if arrival.is_point { 1.0 } else { 0.0 };
        let from_x = sx - weight * x_end;
        let (along, far) = (from_x * ux + sy * uy, (sy * ux - from_x * uy).abs());
        let is_first = end < g.tip;
        let (at, along) = if is_first { (s, along) } else { (size - s, weight * size - along) };
        let end = self.surface.x(end);
        let point = end + (self.surface.x(g.tip) - end) * (s / size);
        points.push(point);
        let length = line.length + (point - x).norm();
        let (source, n_points) = ([along, far], points.len());
        let next = |from| Line { from, at, source, length, n_points };
        lines.extend(self.surface.across(side).map(next));
        None
    }

    /// Returns whether a line runs over the tip of a cell: whether its part beyond the tip is a
    /// shortest path to the tip.
    fn runs_over(&self, arrival: &Arrival, g: &Layout, line: &Line) -> bool {
        let tip = self.arrivals[g.tip as usize].value;
        // A straight front has no source from which the value could be measured.
        let beyond = (g.x - line.source[0]).hypot(g.y - line.source[1]);
        let Some(root) = Root::of(arrival.root) else { return false };
        let slack = NEAR * (g.length + beyond);
        tip < arrival.value && (!arrival.is_point || tip <= self.value(root) + beyond + slack)
    }

    /// Returns the value at a root.
    fn value(&self, root: Root) -> f64 {
        match root {
            Root::Vertex(v) => self.arrivals[v as usize].value,
            Root::Part(part) => self.parts[part as usize].start,
        }
    }

    /// Returns the end of a line in the cell of its root. `x` is the last point before it.
    fn end(&self, root: Root, x: Vec3) -> End {
        match root {
            Root::Vertex(v) => End::Vertex(v),
            Root::Part(part) => {
                let part = &self.parts[part as usize];
                End::Source(part.source, part.closest(x))
            }
        }
    }
}
