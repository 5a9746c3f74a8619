//! Computes exact distances from a vertex on a polyhedral surface, to check circular fronts (V54).
//!
//! The method propagates windows across edges (J. Mitchell, D. Mount, C. Papadimitriou, "The
//! discrete geodesic problem", SIAM J. Comput. 16 (1987)). Windows are pruned only by the rules of
//! S.-Q. Xin and G.-J. Wang, "Improving Chen and Han's algorithm on the discrete geodesic problem",
//! ACM Trans. Graph. 28 (2009): the nearest window comes first, each vertex splits one window, and
//! a window is dropped if a vertex of its edge offers a shorter path.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use zeroset::geometry::Vec3;
use zeroset::mesh::Mesh;

/// The interval of an edge that the source can reach along straight lines through unrolled
/// triangles.
///
/// In the coordinates of the window, the edge runs from (0, 0) to (length, 0), and the source lies
/// above it at `source`. The source may be a vertex at which paths bend. `before` is the distance
/// from the true source to that vertex.
#[derive(Clone, Copy)]
struct Window {
    /// The half-edge `3 * cell + k`. It runs from corner k to corner k + 1 of the cell that the
    /// window enters next.
    edge: usize,
    interval: [f64; 2],
    source: [f64; 2],
    before: f64,
}

/// Returns an integer key that sorts like the nonnegative number `x`.
fn key(x: f64) -> u64 {
    x.max(0.0).to_bits()
}

pub struct Exact<'a> {
    mesh: &'a Mesh,
    /// For each half-edge, the opposite half-edge in the neighboring cell, if there is one.
    opposite: Vec<Option<usize>>,
    /// Whether a vertex lies on the boundary, or the angles around it sum to more than a full turn.
    /// A shortest path may bend at such a vertex.
    saddle: Vec<bool>,
    cells_at: Vec<Vec<usize>>,
    distance: Vec<f64>,
    /// For each half-edge, data about the window that reaches the opposite corner on the shortest
    /// path so far: the distance of that corner, and the point where the path crosses the
    /// half-edge.
    first_split: Vec<[f64; 2]>,
    windows: BinaryHeap<Reverse<(u64, usize)>>,
    store: Vec<Window>,
    vertices: BinaryHeap<Reverse<(u64, usize)>>,
}

impl<'a> Exact<'a> {
    pub fn new(mesh: &'a Mesh) -> Self {
        let n = mesh.n_vertices();
        let mut by_ends = HashMap::new();
        let half = |h: usize| {
            let cell = &mesh.cells[h / 3 * 3..][..3];
            [cell[h % 3], cell[(h + 1) % 3]]
        };
        for h in 0..mesh.cells.len() {
            let [a, b] = half(h);
            by_ends.insert((a, b), h);
        }
        let opposite: Vec<Option<usize>> = (0..mesh.cells.len())
            .map(|h| {
                let [a, b] = half(h);
                by_ends.get(&(b, a)).copied()
            })
            .collect();
        let mut angle = vec![0.0; n];
        let mut cells_at = vec![Vec::new(); n];
        let mut saddle = vec![false; n];
        for (c, cell) in mesh.iter_cells().enumerate() {
            let x = [0, 1, 2].map(|k| Vec3::from(mesh.vertices[cell[k] as usize]));
            for k in 0..3 {
                angle[cell[k] as usize] += (x[(k + 1) % 3] - x[k]).angle(&(x[(k + 2) % 3] - x[k]));
                cells_at[cell[k] as usize].push(c);
                if opposite[3 * c + k].is_none() {
                    saddle[cell[k] as usize] = true;
                    saddle[cell[(k + 1) % 3] as usize] = true;
                }
            }
        }
        for v in 0..n {
            saddle[v] |= angle[v] > std::f64::consts::TAU - 1e-9;
        }
        Exact {
            mesh,
            opposite,
            saddle,
            cells_at,
            distance: vec![f64::INFINITY; n],
            first_split: vec![[f64::INFINITY; 2]; mesh.cells.len()],
            windows: BinaryHeap::new(),
            store: Vec::new(),
            vertices: BinaryHeap::new(),
        }
    }

    /// Returns the distances from `source` to all vertices.
    pub fn from(mut self, source: u32) -> Vec<f64> {
        self.distance[source as usize] = 0.0;
        self.spread(source as usize);
        loop {
            let next =
                |heap: &BinaryHeap<Reverse<(u64, usize)>>| heap.peek().map(|Reverse(top)| top.0);
            match (next(&self.windows), next(&self.vertices)) {
                (None, None) => return self.distance,
                (Some(w), v) if v.is_none_or(|v| w <= v) => {
                    let Reverse((_, k)) = self.windows.pop().unwrap();
                    self.enter(self.store[k]);
                }
                _ => {
                    let Reverse((bits, v)) = self.vertices.pop().unwrap();
                    if bits == key(self.distance[v]) {
                        self.spread(v);
                    }
                }
            }
        }
    }

    fn x(&self, v: u32) -> Vec3 {
        self.mesh.vertices[v as usize].into()
    }

    /// Makes a vertex a source: updates its neighbors and adds a window on each opposite edge.
    fn spread(&mut self, v: usize) {
        let before = self.distance[v];
        for c in self.cells_at[v].clone() {
            let cell = &self.mesh.cells[3 * c..][..3];
            let k = cell.iter().position(|&w| w as usize == v).unwrap();
            let [b, c2] = [cell[(k + 1) % 3], cell[(k + 2) % 3]];
            let (at, xb, xc) = (self.x(v as u32), self.x(b), self.x(c2));
            self.reach(b, before + (xb - at).norm());
            self.reach(c2, before + (xc - at).norm());
            // The half-edge opposite the vertex runs from b to c2. Its counterpart belongs to the
            // cell that the window enters.
            let length = (xc - xb).norm();
            let along = (at - xb).dot(&(xc - xb)) / length;
            let above = ((at - xb).norm_squared() - along * along).max(0.0).sqrt();
            if let Some(opposite) = self.opposite[3 * c + (k + 1) % 3] {
                // In the cell on the other side, the edge runs from c2 to b.
                self.push(Window {
                    edge: opposite,
                    interval: [0.0, length],
                    source: [length - along, above],
                    before,
                });
            }
        }
    }

    fn reach(&mut self, v: u32, value: f64) {
        if value < self.distance[v as usize] {
            self.distance[v as usize] = value;
            if self.saddle[v as usize] {
                self.vertices.push(Reverse((key(value), v as usize)));
            }
        }
    }

    fn push(&mut self, window: Window) {
        let [from, to] = window.interval;
        if to - from < 1e-12 {
            return;
        }
        let [sx, sy] = window.source;
        let nearest = (sx.clamp(from, to) - sx).hypot(sy) + window.before;
        self.windows.push(Reverse((key(nearest), self.store.len())));
        self.store.push(window);
    }

    /// Unrolls the cell behind the edge of a window and adds the windows on its two other edges.
    fn enter(&mut self, window: Window) {
        let (c, k) = (window.edge / 3, window.edge % 3);
        let cell: [u32; 3] = std::array::from_fn(|i| self.mesh.cells[3 * c + (k + i) % 3]);
        let [a, b, tip] = cell.map(|v| self.x(v));
        let ([from, to], [sx, sy], before) = (window.interval, window.source, window.before);
        let length = (b - a).norm();
        let at = |t: f64| before + (t - sx).hypot(sy);
        // Drop the window if a vertex of the edge offers a shorter path to the entire window, or if
        // the source is not above the edge.
        let [da, db, _] = cell.map(|v| self.distance[v as usize]);
        let slack = 1e-12 * (1.0 + before);
        if da + to < at(to) - slack || db + (length - from) < at(from) - slack || sy <= 0.0 {
            return;
        }
        // The tip lies below the edge and the source above it.
        let tip_along = (tip - a).dot(&(b - a)) / length;
        let tip_below = ((tip - a).norm_squared() - tip_along * tip_along).max(0.0).sqrt();
        // The point where the ray to the tip crosses the edge.
        let crossing = (sx * tip_below + tip_along * sy) / (sy + tip_below);
        let mut sides = [from < crossing, crossing < to];
        if sides == [true, true] {
            let to_tip = before + (tip_along - sx).hypot(tip_below + sy);
            self.reach(cell[2], to_tip);
            // If two windows reach the tip, only the nearer one can matter on both sides of it. The
            // other one matters only on its own side.
            let [first, place] = self.first_split[window.edge];
            if to_tip < first {
                self.first_split[window.edge] = [to_tip, crossing];
            } else if crossing != place {
                sides = [crossing < place, crossing > place];
            }
        }
        let tip2 = [tip_along, -tip_below];
        for (side, (start, end), (low, high)) in [
            (0, ([0.0, 0.0], tip2), (from, to.min(crossing))),
            (1, (tip2, [length, 0.0]), (from.max(crossing), to)),
        ] {
            if !sides[side] || high <= low {
                continue;
            }
            // In the cell, the half-edge tip -> a has the index k + 2, and b -> tip has the
            // index k + 1.
            let half = 3 * c + (k + if side == 0 { 2 } else { 1 }) % 3;
            let Some(opposite) = self.opposite[half] else { continue };
            // In the neighboring cell, the half-edge runs a -> tip or tip -> b. These ends are
            // `start` and `end`.
            let direction = [end[0] - start[0], end[1] - start[1]];
            let size = direction[0].hypot(direction[1]);
            let unit = direction.map(|d| d / size);
            let hit = |t: f64| {
                // The point where the ray from the source through (t, 0) meets the line start + s
                // unit.
                let ray = [t - sx, -sy];
                let from_start = [sx - start[0], sy - start[1]];
                let det = ray[1] * unit[0] - ray[0] * unit[1];
                let s = (from_start[0] * ray[1] - from_start[1] * ray[0]) / det;
                s.clamp(0.0, size)
            };
            let relative = [sx - start[0], sy - start[1]];
            let along = relative[0] * unit[0] + relative[1] * unit[1];
            let above = (relative[0] * unit[1] - relative[1] * unit[0]).abs();
            let ends = [hit(low), hit(high)];
            let interval = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            self.push(Window { edge: opposite, interval, source: [along, above], before });
        }
    }
}
