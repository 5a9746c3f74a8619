//! Collapses the edges of a surface, the cheapest first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::features::{Features, key};
use super::quadric::Quadric;
use super::rings::Rings;
use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::mesh::statistics::facets::CellsAround;
use crate::parallel::*;

/// The weight of the planes that contain an edge on a boundary or border and are perpendicular to
/// the surface, relative to the planes of triangles.
const BORDER: f64 = 100.0;
/// The weight of the squared distance from the old vertices, relative to the squared distance from
/// the planes. It determines the position where the surface is flat.
const STAY: f64 = 1e-6;
/// The smallest cosine between the normals of a triangle before and after a collapse.
const TURN: f64 = 0.2;
/// The smallest height of a changed triangle as a fraction of its longest edge. A smaller height is
/// allowed if the triangle was at least as thin before.
const THIN: f64 = 1e-3;
/// Edges at vertices with more triangles than this are not collapsed, because the time would grow
/// with the square of the number of triangles.
const CROWDED: usize = 1000;

/// A candidate: its cost as the bits of a number that is not negative, its edge, and the sum of
/// the versions of both ends. Ties are broken by the edge.
type Candidate = Reverse<(u64, u32, u32, u32)>;

/// A collapse that was made: `kept` replaced `gone` and may have moved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collapse {
    pub kept: u32,
    pub gone: u32,
    /// The position of the new vertex along the edge, from `kept` (0) to `gone` (1).
    pub share: f64,
}

/// The surface while edges are collapsed. Positions are relative to the middle of its box, in units
/// of the diagonal of this box.
pub(super) struct Collapses {
    pub x: Vec<Vec3>,
    pub rings: Rings,
    features: Features,
    quadrics: Vec<Quadric>,
    version: Vec<u32>,
    heap: BinaryHeap<Candidate>,
    /// For each vertex, the last mark that was put on it.
    marked: Vec<u32>,
    mark: u32,
}

impl Collapses {
    /// Prepares a mesh of triangles. `x` holds the scaled positions of its vertices.
    pub(super) fn new(mesh: &Mesh, x: Vec<Vec3>) -> Self {
        let features = Features::new(mesh);
        let quadrics = quadrics(mesh, &x, &features);
        let n = mesh.n_vertices();
        Collapses {
            rings: Rings::new(n, &mesh.cells),
            x,
            features,
            quadrics,
            version: vec![0; n],
            heap: BinaryHeap::new(),
            marked: vec![0; n],
            mark: 0,
        }
    }

    /// Collapses edges until at most `target` triangles are left, or until a pass over all edges
    /// removes at most a thousandth of the triangles. `made` is called for each collapse.
    pub(super) fn run(&mut self, target: usize, mut made: impl FnMut(Collapse)) {
        while self.rings.count > target {
            let before = self.rings.count;
            // Edges that were rejected may become collapsible after the collapses around them.
            self.fill_heap();
            while self.rings.count > target {
                let Some(Reverse((_, a, b, version))) = self.heap.pop() else { break };
                let current = self.version[a as usize].wrapping_add(self.version[b as usize]);
                if version == current
                    && self.rings.has(a)
                    && self.rings.has(b)
                    && let Some(collapse) = self.collapse(a, b)
                {
                    made(collapse);
                }
            }
            if before - self.rings.count <= before / 1000 {
                break;
            }
        }
    }

    fn fill_heap(&mut self) {
        let alive = (0..self.rings.corners.len()).filter(|&t| self.rings.is_alive[t]);
        let cells: Vec<u32> = alive.flat_map(|t| self.rings.corners[t]).collect();
        let edges = CellsAround::new(self.x.len(), &cells, 3).edges();
        let candidates: Vec<Candidate> =
            edges.par_iter().filter_map(|&[a, b]| self.candidate(a, b)).collect();
        self.heap = BinaryHeap::from(candidates);
    }

    fn candidate(&self, a: u32, b: u32) -> Option<Candidate> {
        let (a, b) = (a.min(b), a.max(b));
        let (_, _, to) = self.placement(a, b)?;
        let cost = self.quadric(a, b).at(to);
        let version = self.version[a as usize].wrapping_add(self.version[b as usize]);
        cost.is_finite().then_some(Reverse((cost.to_bits(), a, b, version)))
    }

    fn quadric(&self, a: u32, b: u32) -> Quadric {
        let mut sum = self.quadrics[a as usize];
        sum.add(&self.quadrics[b as usize]);
        sum
    }

    /// Returns the vertex to keep, the vertex to remove, and the position of the kept vertex after
    /// the collapse, or `None` if the edge must stay.
    fn placement(&self, a: u32, b: u32) -> Option<(u32, u32, Vec3)> {
        let rank = |v: u32| {
            let v = v as usize;
            2 * u8::from(self.features.locked[v]) + u8::from(self.features.is_on[v])
        };
        let (kept, gone) = if rank(b) > rank(a) { (b, a) } else { (a, b) };
        let [x, y] = [kept, gone].map(|v| self.x[v as usize]);
        let is_border = || self.features.edges.contains_key(&key(a, b));
        match (rank(kept), rank(gone)) {
            (_, 2..) => None,
            (1.., 1) if !is_border() => None,
            (2.., _) | (1, 0) => Some((kept, gone, x)),
            _ => {
                let sum = self.quadric(a, b);
                let ends = [0.5 * (x + y), x, y];
                let best = ends.into_iter().min_by(|p, q| sum.at(*p).total_cmp(&sum.at(*q)))?;
                // Rounding must not move the vertex far away.
                let reach = 2.0 * (y - x).norm();
                let is_near = |to: &Vec3| (to - x).norm() <= reach && (to - y).norm() <= reach;
                Some((kept, gone, sum.minimum().filter(is_near).unwrap_or(best)))
            }
        }
    }

    /// Collapses an edge if the surface keeps its topology and its orientation. Otherwise, returns
    /// `None`.
    fn collapse(&mut self, a: u32, b: u32) -> Option<Collapse> {
        let (kept, gone, to) = self.placement(a, b)?;
        let (mut of_kept, mut of_gone) = (Vec::new(), Vec::new());
        self.rings.around(kept, &mut of_kept);
        self.rings.around(gone, &mut of_gone);
        if of_kept.len().max(of_gone.len()) > CROWDED
            || !self.keeps_topology(kept, gone, &of_kept, &of_gone)
            || !self.keeps_normals(kept, &of_kept, gone, to)
            || !self.keeps_normals(gone, &of_gone, kept, to)
        {
            return None;
        }
        let [x, y] = [kept, gone].map(|v| self.x[v as usize]);
        let share = ((to - x).dot(&(y - x)) / (y - x).norm_squared()).clamp(0.0, 1.0);
        self.follow_features(kept, gone, &of_gone);
        self.rings.collapse(gone, kept, &of_gone);
        self.quadrics[kept as usize] = self.quadric(kept, gone);
        self.x[kept as usize] = to;
        self.version[kept as usize] = self.version[kept as usize].wrapping_add(1);
        self.rings.around(kept, &mut of_kept);
        self.mark += 1;
        for &t in &of_kept {
            for v in self.rings.corners[t as usize] {
                if v != kept
                    && std::mem::replace(&mut self.marked[v as usize], self.mark) != self.mark
                {
                    self.heap.extend(self.candidate(kept, v));
                }
            }
        }
        Some(Collapse { kept, gone, share })
    }

    /// Returns whether the collapse keeps the topology: no vertex but the tips of the triangles at
    /// the edge is a neighbor of both ends (the link condition), no triangle appears twice, and no
    /// border closes up.
    fn keeps_topology(&mut self, a: u32, b: u32, of_a: &[u32], of_b: &[u32]) -> bool {
        self.mark += 1;
        let mut tips = [u32::MAX; 2];
        let mut n_tips = 0;
        for &t in of_a {
            let corners = self.rings.corners[t as usize];
            corners.iter().for_each(|&v| self.marked[v as usize] = self.mark);
            if corners.contains(&b) {
                let Some(tip) = tips.get_mut(n_tips) else { return false };
                *tip = corners.into_iter().find(|&v| v != a && v != b).unwrap_or(u32::MAX);
                n_tips += 1;
            }
        }
        let tips = &tips[..n_tips];
        let is_new_neighbor = |v: u32| v != a && v != b && self.marked[v as usize] == self.mark;
        let has_both = |t: &&u32| tips.iter().all(|v| self.rings.corners[**t as usize].contains(v));
        let links = of_b.iter().flat_map(|&t| self.rings.corners[t as usize]);
        if links.filter(|&v| is_new_neighbor(v)).any(|v| !tips.contains(&v)) {
            return false;
        }
        if n_tips == 2 && of_a.iter().any(|t| has_both(&t)) && of_b.iter().any(|t| has_both(&t)) {
            return false;
        }
        let on_border = |v: u32, tip: u32| self.features.edges.contains_key(&key(v, tip));
        // If the edges from a tip to both ends are borders, the region between them would vanish.
        !self.features.is_on[a as usize]
            || !self.features.is_on[b as usize]
            || !tips.iter().any(|&tip| on_border(a, tip) && on_border(b, tip))
    }

    /// Returns whether the triangles around vertex `v` that do not contain `other` neither turn
    /// over nor become thin when `v` moves to `to`.
    fn keeps_normals(&self, v: u32, ring: &[u32], other: u32, to: Vec3) -> bool {
        ring.iter().map(|&t| self.rings.corners[t as usize]).filter(|t| !t.contains(&other)).all(
            |corners| {
                let before = corners.map(|w| self.x[w as usize]);
                let after = corners.map(|w| if w == v { to } else { self.x[w as usize] });
                let (n, m) = (normal(before), normal(after));
                let (low, was_low) = (height(after, m), height(before, n));
                m.dot(&n) > TURN * m.norm() * n.norm() && (low >= THIN || low >= was_low)
                    // A triangle without area has no normal that could turn.
                    || was_low < 1e-12 && low >= THIN
            },
        )
    }

    /// Moves the borders at a replaced vertex to the vertex that replaces it.
    fn follow_features(&mut self, kept: u32, gone: u32, of_gone: &[u32]) {
        if !self.features.is_on[gone as usize] {
            return;
        }
        for v in of_gone.iter().flat_map(|&t| self.rings.corners[t as usize]) {
            if let Some(what) = self.features.edges.remove(&key(gone, v))
                && v != kept
            {
                self.features.edges.insert(key(kept, v), what);
            }
        }
    }
}

fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(&(c - a))
}

/// Returns the ratio of the smallest height of a triangle to its longest edge.
fn height([a, b, c]: [Vec3; 3], normal: Vec3) -> f64 {
    let longest = (b - a).norm_squared().max((c - b).norm_squared()).max((a - c).norm_squared());
    if longest > 0.0 { normal.norm() / longest } else { 0.0 }
}

/// Returns the quadric of each vertex: the planes of its triangles, weighted by area; its own
/// position, with a small weight; and the planes that contain one of its edges on a boundary or
/// border and are perpendicular to the surface.
fn quadrics(mesh: &Mesh, x: &[Vec3], features: &Features) -> Vec<Quadric> {
    let mut all = vec![Quadric::default(); x.len()];
    let corners =
        |t: usize| -> [Vec3; 3] { std::array::from_fn(|k| x[mesh.cells[3 * t + k] as usize]) };
    for (t, cell) in mesh.iter_cells().enumerate() {
        let corners = corners(t);
        let double = normal(corners);
        let area = 0.5 * double.norm();
        if area > 0.0 {
            let plane = Quadric::plane(0.5 * double / area, corners[0], area);
            for (k, &v) in cell.iter().enumerate() {
                all[v as usize].add(&plane);
                all[v as usize].add(&Quadric::point(corners[k], STAY * area));
            }
        }
    }
    for &([a, b], t) in &features.sides {
        let [p, q] = [a, b].map(|v| x[v as usize]);
        let across = (q - p).cross(&normal(corners(t as usize)));
        if let Some(unit) = across.try_normalize(0.0) {
            let plane = Quadric::plane(unit, p, BORDER * (q - p).norm_squared());
            [a, b].iter().for_each(|&v| all[v as usize].add(&plane));
        }
    }
    all
}
