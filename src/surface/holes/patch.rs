//! The triangles that fill one hole, while they are refined and relaxed.

use std::collections::HashSet;

use super::triangulation::{FLAT, FOLDED};
use crate::geometry::Vec3;

/// Marks a side on the boundary loop.
const NONE: u32 = u32::MAX;
/// A triangle is split if, for each corner, this factor times the distance from the corner to the
/// center of the triangle exceeds both the mean edge length at the corner and the average of these
/// lengths over the corners (P. Liepa, *Filling holes in meshes*, 2003, section 4).
const DENSITY: f64 = std::f64::consts::SQRT_2;
/// The largest number of rounds of splits, and the number of rounds of relaxation.
const ROUNDS: usize = 40;
/// The largest number of passes that flip edges after a round, and of passes that undo moves of a
/// relaxation.
const PASSES: usize = 12;
/// The maximum number of new vertices: the first number, or the second number times the number of
/// vertices in the loop if that is more.
const MOST: [usize; 2] = [10_000, 10];
/// In a loop with more vertices than the first number, the edge length at a new vertex is the mean
/// edge length at the corners of the triangle in which it is placed, times the second number. The
/// number of triangles then grows in proportion to the number of vertices in the loop.
const LONG: (usize, f64) = (200, 1.2);

/// A triangulation with a boundary loop.
pub(super) struct Patch<'a> {
    pub x: Vec<Vec3>,
    /// Corners of the triangles.
    pub triangles: Vec<[u32; 3]>,
    /// For each triangle, the index of the initial triangle from which it was made.
    pub source: Vec<u32>,
    /// For each new vertex, the corners of the triangle in which it was placed.
    pub parents: Vec<[u32; 3]>,
    /// For each side `3 t + k`, from corner k of triangle t to its next corner, the opposite side,
    /// or `NONE` on the loop.
    opposite: Vec<[u32; 3]>,
    n_loop: usize,
    /// The mean edge length around each vertex.
    scale: Vec<f64>,
    edges: HashSet<[u32; 2]>,
    /// Whether two vertices of the loop must not be connected.
    is_taken: &'a dyn Fn(usize, usize) -> bool,
}

fn key(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl<'a> Patch<'a> {
    /// Creates a patch from the positions on a loop and triangles between them.
    pub(super) fn new(
        x: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
        is_taken: &'a dyn Fn(usize, usize) -> bool,
    ) -> Self {
        let n = x.len();
        let length = |k: usize| (x[(k + 1) % n] - x[k]).norm();
        let scale = (0..n).map(|k| 0.5 * (length(k) + length((k + n - 1) % n))).collect();
        let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
        for (t, corners) in (0_u32..).zip(&triangles) {
            for k in 0..3 {
                sides.push((key(corners[k], corners[(k + 1) % 3]), 3 * t + k as u32));
            }
        }
        sides.sort_unstable();
        let mut opposite = vec![[NONE; 3]; triangles.len()];
        for pair in sides.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let [a, b] = [pair[0].1, pair[1].1];
            opposite[a as usize / 3][a as usize % 3] = b;
            opposite[b as usize / 3][b as usize % 3] = a;
        }
        let edges = sides.into_iter().map(|(edge, _)| edge).collect();
        let source = (0..triangles.len() as u32).collect();
        let parents = Vec::new();
        Patch { x, triangles, source, parents, opposite, n_loop: n, scale, edges, is_taken }
    }

    /// Adds vertices until the triangles are about as large as the edges of the loop, flips edges,
    /// and moves the new vertices toward a surface of small area.
    pub(super) fn refine(&mut self) {
        let most = MOST[0].max(MOST[1] * self.n_loop);
        self.flip_all();
        for _ in 0..ROUNDS {
            let before = self.x.len();
            for t in 0..self.triangles.len() {
                if self.is_large(t) && self.parents.len() < most {
                    self.split(t);
                }
            }
            self.flip_all();
            if self.x.len() == before {
                break;
            }
        }
        for _ in 0..if self.parents.is_empty() { 0 } else { ROUNDS } {
            self.relax();
            self.flip_all();
        }
    }

    fn at(&self, v: u32) -> Vec3 {
        self.x[v as usize]
    }

    fn normal(&self, corners: [u32; 3]) -> Vec3 {
        let [a, b, c] = corners.map(|v| self.at(v));
        (b - a).cross(&(c - a))
    }

    fn is_large(&self, t: usize) -> bool {
        let corners = self.triangles[t];
        let center = corners.iter().map(|&v| self.at(v)).sum::<Vec3>() / 3.0;
        let scale = |v: u32| self.scale[v as usize];
        let mean = corners.iter().map(|&v| scale(v)).sum::<f64>() / 3.0;
        corners.iter().all(|&v| DENSITY * (center - self.at(v)).norm() > mean.max(scale(v)))
    }

    /// Places a vertex at the center of a triangle.
    fn split(&mut self, t: usize) {
        let [a, b, c] = self.triangles[t];
        let (v, sides) = (self.x.len() as u32, self.opposite[t]);
        self.x.push((self.at(a) + self.at(b) + self.at(c)) / 3.0);
        let growth = if self.n_loop > LONG.0 { LONG.1 } else { 1.0 };
        let sum: f64 = [a, b, c].iter().map(|&v| self.scale[v as usize]).sum();
        self.scale.push(growth * sum / 3.0);
        self.parents.push([a, b, c]);
        self.edges.extend([key(a, v), key(b, v), key(c, v)]);
        let first = self.triangles.len() as u32;
        let [own, second, third] = [t as u32, first, first + 1];
        self.triangles[t] = [a, b, v];
        self.triangles.extend([[b, c, v], [c, a, v]]);
        self.source.extend([self.source[t]; 2]);
        self.opposite[t] = [sides[0], 3 * second + 2, 3 * third + 1];
        self.opposite.push([NONE, 3 * third + 2, 3 * own + 1]);
        self.opposite.push([NONE, 3 * own + 2, 3 * second + 1]);
        self.join(3 * second, sides[1]);
        self.join(3 * third, sides[2]);
    }

    fn join(&mut self, side: u32, other: u32) {
        self.opposite[side as usize / 3][side as usize % 3] = other;
        if other != NONE {
            self.opposite[other as usize / 3][other as usize % 3] = side;
        }
    }

    fn flip_all(&mut self) {
        for _ in 0..PASSES {
            let mut flips = 0;
            for side in 0..3 * self.triangles.len() as u32 {
                flips += usize::from(self.flip(side));
            }
            if flips == 0 {
                break;
            }
        }
    }

    /// Replaces the edge at a side by the other diagonal of its two triangles if this makes them
    /// rounder and creates no fold, and if neither the patch nor the surface has this diagonal as
    /// an edge. Returns whether the edge was replaced.
    fn flip(&mut self, side: u32) -> bool {
        let (t, k) = (side as usize / 3, side as usize % 3);
        let other = self.opposite[t][k];
        if other == NONE || other < side {
            return false;
        }
        let (u, j) = (other as usize / 3, other as usize % 3);
        let [a, b, c] = [0, 1, 2].map(|i| self.triangles[t][(k + i) % 3]);
        let d = self.triangles[u][(j + 2) % 3];
        if c == d || !self.is_rounder([a, b, c, d]) || self.edges.contains(&key(c, d)) {
            return false;
        }
        let is_on_loop = |v: u32| (v as usize) < self.n_loop;
        if is_on_loop(c) && is_on_loop(d) && (self.is_taken)(c as usize, d as usize) {
            return false;
        }
        let before = self.normal([a, b, c]) + self.normal([b, a, d]);
        let after = [self.normal([a, d, c]), self.normal([d, b, c])];
        if after.iter().any(|normal| normal.dot(&before) <= 1e-3 * normal.norm() * before.norm()) {
            return false;
        }
        let (old_t, old_u) = (self.opposite[t], self.opposite[u]);
        let [bc, ca] = [old_t[(k + 1) % 3], old_t[(k + 2) % 3]];
        let [ad, db] = [old_u[(j + 1) % 3], old_u[(j + 2) % 3]];
        self.triangles[t] = [a, d, c];
        self.triangles[u] = [d, b, c];
        let (first, second) = (3 * t as u32, 3 * u as u32);
        self.join(first, ad);
        self.join(first + 1, second + 2);
        self.join(first + 2, ca);
        self.join(second, db);
        self.join(second + 1, bc);
        self.edges.remove(&key(a, b));
        self.edges.insert(key(c, d));
        true
    }

    /// Returns whether the angles at `c` and `d` opposite the edge from `a` to `b` add up to more
    /// than 180 degrees.
    fn is_rounder(&self, [a, b, c, d]: [u32; 4]) -> bool {
        let angle = |v: u32| {
            let (p, q) = (self.at(a) - self.at(v), self.at(b) - self.at(v));
            (p.dot(&q), p.cross(&q).norm())
        };
        let ((cos_c, sin_c), (cos_d, sin_d)) = (angle(c), angle(d));
        let sine = sin_c * cos_d + cos_c * sin_d;
        sine < -1e-9 * (cos_c.hypot(sin_c) * cos_d.hypot(sin_d))
    }

    /// Moves each new vertex to the mean of its neighbors, unless a triangle would turn over.
    fn relax(&mut self) {
        let mut sums = vec![(Vec3::zeros(), 0.0); self.x.len()];
        for &[a, b, c] in &self.triangles {
            for (v, others) in [(a, [b, c]), (b, [c, a]), (c, [a, b])] {
                let sum = &mut sums[v as usize];
                // Subtract first, so that large coordinates keep their digits.
                sum.0 += others.iter().map(|&w| self.at(w) - self.at(v)).sum::<Vec3>();
                sum.1 += 2.0;
            }
        }
        let before = self.x.clone();
        for (x, (sum, count)) in self.x.iter_mut().zip(sums).skip(self.n_loop) {
            *x += sum / count;
        }
        for round in 0..=PASSES {
            let mut turned: Vec<u32> = Vec::new();
            for t in &self.triangles {
                let [a, b, c] = t.map(|v| before[v as usize]);
                let (old, new) = ((b - a).cross(&(c - a)), self.normal(*t));
                if new.dot(&old) <= 0.1 * new.norm() * old.norm() {
                    turned.extend(t);
                }
            }
            match (turned.is_empty(), round == PASSES) {
                (true, _) => return,
                (false, true) => self.x.clone_from(&before),
                (false, false) => {
                    turned.iter().for_each(|&v| self.x[v as usize] = before[v as usize]);
                }
            }
        }
    }

    /// Returns the area of all triangles.
    pub(super) fn area(&self) -> f64 {
        self.triangles.iter().map(|&t| 0.5 * self.normal(t).norm()).sum()
    }

    /// Returns whether no triangle is flat or folds back on a neighbor. `beside` has the unit
    /// normals of the triangles next to the edges of the loop.
    pub(super) fn is_sound(&self, beside: &[Vec3]) -> bool {
        let units: Vec<Vec3> =
            self.triangles.iter().map(|&t| self.normal(t)).map(|n| n / n.norm()).collect();
        self.triangles.iter().enumerate().all(|(t, corners)| {
            let x = corners.map(|v| self.at(v));
            let longest =
                (0..3).map(|k| (x[(k + 1) % 3] - x[k]).norm_squared()).fold(0.0, f64::max);
            let is_high = self.normal(*corners).norm() > 2.0 * FLAT * longest;
            is_high
                && (0..3).all(|k| {
                    let other = self.opposite[t][k];
                    let neighbor = match other {
                        NONE => beside[corners[k] as usize],
                        _ => units[other as usize / 3],
                    };
                    units[t].dot(&neighbor) >= FOLDED
                })
        })
    }
}
