//! Exact distances on small meshes by brute force.
//!
//! Every sequence of different cells that a straight line can cross is unrolled. A shortest path
//! consists of such lines between vertices. This code shares nothing with the library and prunes a
//! sequence only if it is longer than a path along edges.

use std::collections::HashMap;

use zeroset::geometry::Vec3;
use zeroset::mesh::Mesh;

type Point = [f64; 2];

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: Point, b: Point) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// The lines that are followed: those through the origin, or the upward ones.
#[derive(Clone, Copy, PartialEq)]
enum Lines {
    FromOrigin,
    Upward,
}

impl Lines {
    /// Returns a positive number if `p` lies to the right of the line through `q`.
    fn right_of(self, p: Point, q: Point) -> f64 {
        match self {
            Lines::FromOrigin => cross(p, q),
            Lines::Upward => p[0] - q[0],
        }
    }

    fn length(self, p: Point) -> f64 {
        match self {
            Lines::FromOrigin => p[0].hypot(p[1]),
            Lines::Upward => p[1],
        }
    }
}

pub struct Unfolding<'a> {
    mesh: &'a Mesh,
    cells_at_edge: HashMap<[u32; 2], Vec<usize>>,
    /// The longest distance along edges. No shortest path is longer.
    longest: f64,
}

/// A source: a point or a segment in a cell, with its initial value.
#[derive(Clone, Debug)]
pub struct Origin {
    pub cell: usize,
    pub points: Vec<Vec3>,
    pub start: f64,
}

impl<'a> Unfolding<'a> {
    pub fn new(mesh: &'a Mesh) -> Self {
        let mut cells_at_edge: HashMap<[u32; 2], Vec<usize>> = HashMap::new();
        for (c, cell) in mesh.iter_cells().enumerate() {
            for k in 0..3 {
                let (a, b) = (cell[k], cell[(k + 1) % 3]);
                cells_at_edge.entry([a.min(b), a.max(b)]).or_default().push(c);
            }
        }
        Unfolding { mesh, cells_at_edge, longest: f64::INFINITY }
    }

    fn x(&self, v: u32) -> Vec3 {
        self.mesh.vertices[v as usize].into()
    }

    fn cell(&self, c: usize) -> [u32; 3] {
        std::array::from_fn(|k| self.mesh.cells[3 * c + k])
    }

    /// Returns the distances from the nearest origin to all vertices.
    pub fn distances(mut self, origins: &[Origin]) -> Vec<f64> {
        let n = self.mesh.n_vertices();
        let mut u = vec![f64::INFINITY; n];
        for origin in origins {
            for v in self.cell(origin.cell) {
                let value = origin.start + self.straight(origin, self.x(v));
                u[v as usize] = u[v as usize].min(value);
            }
        }
        // Along edges first: these values limit the length of the lines.
        let edges: Vec<[u32; 2]> = self.cells_at_edge.keys().copied().collect();
        let along: Vec<(u32, u32, f64)> = edges
            .iter()
            .flat_map(|&[a, b]| {
                let length = (self.x(a) - self.x(b)).norm();
                [(a, b, length), (b, a, length)]
            })
            .collect();
        let finite = relaxed(u.clone(), &along).into_iter().filter(|u| u.is_finite());
        self.longest = finite.fold(0.0, f64::max);
        for origin in origins {
            self.unfold(origin, &mut u);
        }
        let mut lines = along;
        for v in 0..n as u32 {
            let mut seen = vec![f64::INFINITY; n];
            for c in (0..self.mesh.n_cells()).filter(|&c| self.cell(c).contains(&v)) {
                let origin = Origin { cell: c, points: vec![self.x(v)], start: 0.0 };
                self.unfold(&origin, &mut seen);
            }
            let seen = (0..).zip(seen).filter(|(_, length)| length.is_finite());
            lines.extend(seen.map(|(w, length)| (v, w, length)));
        }
        relaxed(u, &lines)
    }

    fn straight(&self, origin: &Origin, x: Vec3) -> f64 {
        match origin.points[..] {
            [p] => (x - p).norm(),
            [p, q] => {
                let d = q - p;
                let t = ((x - p).dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
                (x - p - d * t).norm()
            }
            _ => panic!("an origin has one or two points"),
        }
    }

    /// Lowers the values of all vertices that straight lines from an origin reach.
    fn unfold(&self, origin: &Origin, u: &mut [f64]) {
        for (k, &p) in origin.points.iter().enumerate() {
            // For a segment, the x axis points to the other end.
            let along = origin.points.get(1 - k).map(|q| q - p);
            self.lines(origin, p, along, Lines::FromOrigin, u);
        }
        if let [p, q] = origin.points[..] {
            self.lines(origin, p, Some(q - p), Lines::Upward, u);
            self.lines(origin, q, Some(p - q), Lines::Upward, u);
        }
    }

    fn lines(&self, origin: &Origin, p: Vec3, along: Option<Vec3>, lines: Lines, u: &mut [f64]) {
        let corners = self.cell(origin.cell);
        let [a, b, c] = corners.map(|v| self.x(v));
        let normal = (b - a).cross(&(c - a)).normalize();
        let ex = along.unwrap_or(b - a).normalize();
        let ey = normal.cross(&ex);
        let flat = |x: Vec3| [(x - p).dot(&ex), (x - p).dot(&ey)];
        for k in 0..3 {
            let ends = [corners[k], corners[(k + 1) % 3]];
            let at = ends.map(|v| flat(self.x(v)));
            // The cell lies to the left of the side. Seen from a point in the cell, the lines
            // through the side therefore run between `at[1]` on the left and `at[0]` on the right.
            let inside = match lines {
                Lines::FromOrigin => cross(minus(at[1], at[0]), minus([0.0; 2], at[0])) > 1e-15,
                Lines::Upward => at[0][0] < at[1][0] - 1e-15 || at[0][0] > at[1][0] + 1e-15,
            };
            if !inside {
                continue;
            }
            let (left, right) = if lines.right_of(at[1], at[0]) > 0.0 { (0, 1) } else { (1, 0) };
            let mut range = [at[left], at[right]];
            if lines == Lines::Upward {
                // The lines cross only the sides above the segment, and only directly above it.
                let size = along.map_or(0.0, |d| d.norm());
                let middle = 0.5 * (range[0][0].max(0.0) + range[1][0].min(size));
                let slope = (range[1][1] - range[0][1]) / (range[1][0] - range[0][0]);
                let height = range[0][1] + slope * (middle - range[0][0]);
                let third = flat(self.x(corners[(k + 2) % 3]));
                let below = range[0][1] + slope * (third[0] - range[0][0]) - third[1];
                if height < -1e-12 || below <= 0.0 {
                    continue;
                }
                range = [[range[0][0].max(0.0), 0.0], [range[1][0].min(size), 0.0]];
            }
            let side = Side { ends: [ends[left], ends[right]], at: [at[left], at[right]], range };
            self.pass(&side, lines, origin.start, &mut vec![origin.cell], u);
        }
    }

    /// Follows the lines through a side into all cells across.
    fn pass(&self, side: &Side, lines: Lines, start: f64, cells: &mut Vec<usize>, u: &mut [f64]) {
        let [left, right] = side.range;
        if lines.right_of(right, left) <= 0.0 {
            return;
        }
        let [p, q] = side.ends;
        for &c in &self.cells_at_edge[&[p.min(q), p.max(q)]] {
            if cells.contains(&c) {
                continue;
            }
            let tip = self.cell(c).into_iter().find(|v| !side.ends.contains(v)).unwrap();
            // The tip lies on the far side of the edge, where the lines arrive.
            let (xp, xq, xt) = (self.x(p), self.x(q), self.x(tip));
            let length = (xq - xp).norm();
            let t = (xt - xp).dot(&(xq - xp)) / length;
            let h = (xq - xp).cross(&(xt - xp)).norm() / length;
            let e = minus(side.at[1], side.at[0]).map(|x| x / length);
            // From left to right, "beyond" is to the left of e.
            let at = [side.at[0][0] + t * e[0] - h * e[1], side.at[0][1] + t * e[1] + h * e[0]];
            if lines.right_of(at, left) >= 0.0 && lines.right_of(right, at) >= 0.0 {
                let value = start + lines.length(at);
                u[tip as usize] = u[tip as usize].min(value);
            }
            cells.push(c);
            for (ends, places) in [([p, tip], [side.at[0], at]), ([tip, q], [at, side.at[1]])] {
                let later = |a: Point, b: Point| if lines.right_of(a, b) > 0.0 { a } else { b };
                let range = [
                    later(places[0], left),
                    if lines.right_of(places[1], right) > 0.0 { right } else { places[1] },
                ];
                if lines.right_of(places[1], places[0]) > 0.0 && !self.is_too_long(&places, lines) {
                    self.pass(&Side { ends, at: places, range }, lines, start, cells, u);
                }
            }
            cells.pop();
        }
    }

    /// Returns whether lines that reach a side are longer than any path that matters.
    fn is_too_long(&self, at: &[Point; 2], lines: Lines) -> bool {
        let least = match lines {
            Lines::Upward => at[0][1].min(at[1][1]),
            Lines::FromOrigin => {
                let d = minus(at[1], at[0]);
                let t = -(at[0][0] * d[0] + at[0][1] * d[1]) / (d[0] * d[0] + d[1] * d[1]);
                let t = t.clamp(0.0, 1.0);
                (at[0][0] + t * d[0]).hypot(at[0][1] + t * d[1])
            }
        };
        least > self.longest
    }
}

/// A side of a cell in the plane, left end first, and the lines that reach it: those between the
/// lines through the two points of `range`.
struct Side {
    ends: [u32; 2],
    at: [Point; 2],
    range: [Point; 2],
}

/// Returns the values after all lines have been followed until nothing changes.
fn relaxed(mut u: Vec<f64>, lines: &[(u32, u32, f64)]) -> Vec<f64> {
    loop {
        let mut changed = false;
        for &(a, b, length) in lines {
            let value = u[a as usize] + length;
            if value < u[b as usize] {
                u[b as usize] = value;
                changed = true;
            }
        }
        if !changed {
            return u;
        }
    }
}
