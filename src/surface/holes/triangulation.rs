//! Minimal-area triangulations of a closed chain of edges.

use crate::geometry::Vec3;
use crate::geometry::cut::cut_polygon;

/// The number of vertices above which a loop is split before it is triangulated, because the time
/// grows with the cube of the number of vertices.
const SHORT: usize = 80;
/// The largest number of vertices that are tried as the ends of a split, in a loop that is split.
const TRIED: usize = 256;
/// Two triangles whose normals have a smaller cosine than this fold back on each other.
pub(super) const FOLDED: f64 = -0.9;
/// A triangle with an area of at most this fraction of its squared longest edge is flat.
pub(super) const FLAT: f64 = 1e-6;
/// The weight of the squared longest edges relative to the area. It decides between triangulations
/// with the same area, as in a plane.
const COMPACT: f64 = 1e-3;

/// A loop to be triangulated.
pub(super) struct Polygon<'a> {
    pub x: &'a [Vec3],
    /// The unit normal of the triangle next to each edge, oriented like the triangles of the hole.
    pub beside: &'a [Vec3],
    /// Whether two vertices must not be connected, because the surface already has this edge.
    pub is_taken: &'a dyn Fn(usize, usize) -> bool,
}

impl Polygon<'_> {
    /// Returns triangles that fill the polygon, as indices of its vertices, or `None` if every
    /// triangulation that was tried uses a taken edge.
    ///
    /// For up to 80 vertices, the sum of the areas plus a small cost for long edges is minimal
    /// among the triangulations without folds, if there are any (G. T. Klincsek, *Minimal
    /// triangulations of polygonal domains*, 1980). A longer polygon is triangulated in its plane
    /// of best fit, or split along short chords.
    pub(super) fn triangulated(&self) -> Option<Vec<[u32; 3]>> {
        let all: Vec<usize> = (0..self.x.len()).collect();
        if all.len() > SHORT
            && let Some(flat) = self.in_a_plane()
        {
            return Some(flat);
        }
        let (mut found, mut waiting) = (Vec::new(), vec![all]);
        while let Some(part) = waiting.pop() {
            if part.len() <= SHORT {
                self.minimal(&part, &mut found)?;
                continue;
            }
            let [i, k] = self.chord(&part)?;
            waiting.push([&part[..=i], &part[k..]].concat());
            waiting.push(part[i..=k].to_vec());
        }
        Some(found)
    }

    /// Returns the triangulation in the plane of best fit, if it has no folds and no taken edges.
    fn in_a_plane(&self) -> Option<Vec<[u32; 3]>> {
        let n = self.x.len() as u32;
        let cut = cut_polygon(self.x).ok()?;
        let fan = || (1..n - 1).map(|k| [0, k, k + 1]).collect();
        let triangles: Vec<[u32; 3]> = cut.triangles.unwrap_or_else(fan);
        let is_edge = |a: u32, b: u32| a.abs_diff(b) == 1 || a.abs_diff(b) == n - 1;
        let is_free = |t: &[u32; 3]| {
            [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
                .iter()
                .all(|&[a, b]| is_edge(a, b) || !(self.is_taken)(a as usize, b as usize))
        };
        let normal = |t: &[u32; 3]| self.normal(t.map(|v| v as usize)).0;
        let sum: Vec3 = triangles.iter().map(normal).sum();
        let is_upright = |t: &[u32; 3]| normal(t).dot(&sum) > 0.0;
        (triangles.len() + 2 == n as usize)
            .then_some(triangles)
            .filter(|all| all.iter().all(|t| is_free(t) && is_upright(t)))
    }

    /// Returns the normal of a triangle, scaled to twice its area, and the squared length of
    /// its longest edge.
    fn normal(&self, [a, b, c]: [usize; 3]) -> (Vec3, f64) {
        let [a, b, c] = [a, b, c].map(|k| self.x[k]);
        let longest = [b - a, c - b, a - c].iter().fold(0.0_f64, |m, e| m.max(e.norm_squared()));
        ((b - a).cross(&(c - a)), longest)
    }

    /// Returns the indices in `part` of the ends of the shortest tried chord that leaves at least a
    /// quarter of the vertices on each side. Returns `None` if there is no such chord.
    fn chord(&self, part: &[usize]) -> Option<[usize; 2]> {
        let n = part.len();
        let tried: Vec<usize> = (0..n).step_by(n.div_ceil(TRIED)).collect();
        let mut best: Option<(f64, [usize; 2])> = None;
        for (j, &k) in tried.iter().enumerate() {
            for &i in &tried[..j] {
                if (k - i).min(n - (k - i)) * 4 < n || (self.is_taken)(part[i], part[k]) {
                    continue;
                }
                let length = (self.x[part[k]] - self.x[part[i]]).norm_squared();
                if best.is_none_or(|(shortest, _)| length < shortest) {
                    best = Some((length, [i, k]));
                }
            }
        }
        best.map(|(_, ends)| ends)
    }

    /// Adds the triangulation with the smallest cost of a part of the polygon. Returns `None` if
    /// every triangulation would use a taken edge.
    fn minimal(&self, part: &[usize], found: &mut Vec<[u32; 3]>) -> Option<()> {
        let costs = Costs::new(self, part);
        let n = part.len();
        if !costs.cost[n - 1].is_finite() {
            return None;
        }
        let mut waiting = vec![[0, n - 1]];
        while let Some([i, k]) = waiting.pop() {
            if k < i + 2 {
                continue;
            }
            let m = costs.apex[i * n + k] as usize;
            found.push([part[i], part[m], part[k]].map(|v| v as u32));
            waiting.extend([[m, k], [i, m]]);
        }
        Some(())
    }
}

/// The costs of the best triangulations of all parts of a polygon.
struct Costs {
    /// For the vertices i < k, the smallest cost of a triangulation of i, i + 1, ..., k.
    cost: Vec<f64>,
    /// The third vertex of its triangle at the edge from k to i.
    apex: Vec<u32>,
}

impl Costs {
    fn new(polygon: &Polygon, part: &[usize]) -> Self {
        let n = part.len();
        let at = |k: usize| polygon.x[part[k]];
        let around: f64 = (0..n).map(|k| (at((k + 1) % n) - at(k)).norm()).sum();
        // More than the area of the smallest triangulation, so that folds and flat triangles are
        // avoided if possible.
        let penalty = around * around;
        let mut costs = Costs { cost: vec![0.0; n * n], apex: vec![0; n * n] };
        // The unit normal next to each edge: of the surface, or of the best triangle there.
        let mut normals = vec![Vec3::zeros(); n * n];
        let is_edge = |i: usize, k: usize| (part[i] + 1) % polygon.x.len() == part[k];
        for k in 0..n {
            let next = (k + 1) % n;
            if is_edge(k, next) {
                normals[k.min(next) * n + k.max(next)] = polygon.beside[part[k]];
            }
        }
        for size in 2..n {
            for i in 0..n - size {
                let k = i + size;
                let is_whole = i == 0 && k == n - 1;
                let mut best = (f64::INFINITY, 0, Vec3::zeros());
                let is_taken = !is_whole && (polygon.is_taken)(part[i], part[k]);
                for m in if is_taken { 0..0 } else { i + 1..k } {
                    let before = costs.cost[i * n + m] + costs.cost[m * n + k];
                    if before >= best.0 {
                        continue;
                    }
                    let (normal, longest) = polygon.normal([part[i], part[m], part[k]]);
                    let length = normal.norm();
                    let unit = if length > 0.0 { normal / length } else { Vec3::zeros() };
                    let folds =
                        |edge: usize| f64::from(u8::from(unit.dot(&normals[edge]) < FOLDED));
                    let mut faults = folds(i * n + m) + folds(m * n + k);
                    if is_whole {
                        faults += folds(i * n + k);
                    }
                    faults += f64::from(u8::from(length <= 2.0 * FLAT * longest));
                    let cost = before + 0.5 * length + COMPACT * longest + penalty * faults;
                    if cost < best.0 {
                        best = (cost, m, unit);
                    }
                }
                (costs.cost[i * n + k], costs.apex[i * n + k]) = (best.0, best.1 as u32);
                if !is_whole {
                    normals[i * n + k] = best.2;
                }
            }
        }
        costs
    }
}
