//! Distances of second order: values next to the interface from quadratic polynomials, and curved
//! fronts (docs/distances.md, section 5.13).
//!
//! A vertex of a cut cell gets the distance to the zero set of a quadratic polynomial that fits phi
//! at the vertices around it ([`fit`]). Where phi or the surface has a kink, it keeps the value of
//! equation (5). Straight fronts from these values ([`solve`](super::solve)) then decide through
//! which face the front reaches each other vertex. Finally, curved fronts ([`curved`]) run through
//! these faces until nothing changes. Every value that a patch reads from another patch was written
//! in an earlier round, so the results are bitwise identical for any number of threads.

mod curved;
mod fit;

use rayon::prelude::*;

use super::{EikonalState, Problem};
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::patches::{Patch, Patches};
use crate::primitives::{DisjointRows, PerThread};
use curved::{Arrival, Face, others};
use fit::{Fit, Frame};

/// The cosines of the angle between the gradient in a cell and the mean gradient at a vertex below
/// which there is a kink, and above which there is none. On a circle with a radius of 5 edges, this
/// angle is about 15 degrees.
const KINK: f64 = 0.85;
const SMOOTH: f64 = 0.93;

/// A curved front may change the value of the straight front by at most this fraction.
const LARGEST_CHANGE: f64 = 0.1;

/// A face through which the front arrives later than the straight front, by less than this times
/// the length of the way, counts as the face of the straight front.
const SAME: f64 = 1e-6;

/// A front that misses a face must not arrive earlier through the plane of this face than the
/// straight front by more than this times the length of the way. Two neighboring directions of the
/// front then differ by at most 14 degrees.
const WIDEST_GAP: f64 = 0.03;

/// The number of repetitions inside a patch before its neighbors read the new values.
const INNER_REPETITIONS: usize = 16;

/// The number of rounds after which values that still change are left as they are, without the
/// additional rounds for each patch.
const MOST_ROUNDS: usize = 64;

/// A vertex without a face through which the front arrives.
const NO_FACE: u32 = u32::MAX;

/// The arrays for second-order distances, in patch order.
pub(super) struct Quadratic<R: Real> {
    /// 1 where phi is smooth, 0 at a kink.
    smooth: Vec<f64>,
    /// The unit vectors away from the interface.
    directions: Vec<Vec3<R>>,
    /// The distances of the straight fronts.
    straight: Vec<R>,
    /// The slot of each vertex in the cell whose opposite face the front passes, or [`NO_FACE`].
    slots: Vec<u32>,
    /// The local indices of the owned vertices of each patch, in the order of the straight fronts.
    order: Vec<u32>,
    /// The values written in the current round.
    next: Vec<Arrival<R>>,
    /// The round that last changed each vertex.
    changed: Vec<u32>,
    round: u32,
    /// The patches whose values changed in the last round.
    active: Vec<u32>,
    listed: Vec<u32>,
    moved: Vec<bool>,
    threads: PerThread<LocalScratch<R>>,
}

/// The values of one patch in local order.
#[derive(Default)]
struct LocalScratch<R: Real> {
    arrivals: Vec<Arrival<R>>,
    changed: Vec<u32>,
    seen: Vec<u32>,
}

impl<R: Real> Quadratic<R> {
    pub fn new(patches: &Patches) -> Self {
        let n = patches.n_vertices();
        Quadratic {
            smooth: vec![0.0; n],
            directions: vec![Vec3::zeros(); n],
            straight: vec![R::zero(); n],
            slots: vec![NO_FACE; n],
            order: vec![0; n],
            next: vec![Arrival { value: R::zero(), direction: Vec3::zeros() }; n],
            changed: vec![0; n],
            round: 0,
            active: Vec::new(),
            listed: vec![0; patches.len()],
            moved: Vec::new(),
            threads: PerThread::default(),
        }
    }
}

/// Replaces the values of equation (5) at the vertices of cut cells by distances to quadratic
/// polynomials, where phi (patch order) has no kink.
pub(super) fn fit_cut_cells<R: Real, const N: usize>(state: &mut EikonalState<R>, phi: &[R]) {
    let EikonalState { problem, u, fixed, seeded, quadratic, .. } = state;
    let Some(quadratic) = quadratic else { return };
    let Quadratic { smooth, directions, active, .. } = &mut **quadratic;
    let patches = &*problem.patches;
    active.clear();
    for &p in &*seeded {
        active.push(p);
        active.extend_from_slice(patches.neighbors(p as usize));
    }
    active.sort_unstable();
    active.dedup();
    {
        let smooth = DisjointRows::new(smooth);
        active.par_iter().for_each(|&p| {
            let patch = patches.patch(p as usize);
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let smooth = unsafe { smooth.range(patch.owned()) };
            for (k, smooth) in smooth.iter_mut().enumerate() {
                // Only the vertices around those of cut cells are needed.
                let ring = Ring::<R, N>::new(problem, &patch, p, k);
                let is_near = |&c: &u32| fixed[patch.vertex(c as usize)];
                if ring.corners().flatten().any(is_near) {
                    *smooth = ring.smoothness(phi);
                }
            }
        });
    }
    let smooth = &*smooth;
    let (u, directions) = (DisjointRows::new(u), DisjointRows::new(directions));
    seeded.par_iter().for_each(|&p| {
        let patch = patches.patch(p as usize);
        // SAFETY: the list contains each patch once, and patches own disjoint ranges.
        let (u, directions) = unsafe { (u.range(patch.owned()), directions.range(patch.owned())) };
        for k in 0..patch.n_owned {
            if fixed[patch.first + k] {
                let ring = Ring::<R, N>::new(problem, &patch, p, k);
                (u[k], directions[k]) = ring.distance(phi, u[k], smooth);
            }
        }
    });
}

/// The cells around one vertex.
struct Ring<'a, R: Real, const N: usize> {
    patch: &'a Patch<'a>,
    x: &'a [Vec3<R>],
    vertex: usize,
}

impl<'a, R: Real, const N: usize> Ring<'a, R, N> {
    /// Returns the cells around the owned vertex with local index `vertex`.
    fn new(problem: &'a Problem<R>, patch: &'a Patch<'a>, p: u32, vertex: usize) -> Self {
        let x = problem.coordinates.of(&problem.patches, p as usize);
        Ring { patch, x, vertex }
    }

    fn corners(&self) -> impl Iterator<Item = &'a [u32]> {
        let corners = self.patch.corners;
        self.patch.row(self.vertex).iter().map(move |&slot| {
            let first = slot as usize / N * N;
            &corners[first..first + N]
        })
    }

    /// Returns the measure, the gradient of phi and the unit normal of each cell.
    fn cells(&self, phi: &[R]) -> impl Iterator<Item = (f64, Vec3, Vec3)> {
        self.corners().map(|corners| {
            let x: [Vec3; N] =
                std::array::from_fn(|i| self.x[corners[i] as usize].map(Real::to_f64));
            let values: [f64; N] =
                std::array::from_fn(|i| phi[self.patch.vertex(corners[i] as usize)].to_f64());
            let simplex = Simplex::new(&x);
            let normal = (x[1] - x[0]).cross(&(x[2] - x[0])).normalize();
            (simplex.meas, simplex.gradient(&values), normal)
        })
    }

    /// Returns the mean gradient of phi, and on a surface the unit normal.
    fn mean(&self, phi: &[R]) -> (Vec3, Option<Vec3>) {
        let (mut gradient, mut normal) = (Vec3::zeros(), Vec3::zeros());
        for (measure, g, n) in self.cells(phi) {
            gradient += g * measure;
            // Cells need not be oriented alike.
            normal += n * if n.dot(&normal) < 0.0 { -measure } else { measure };
        }
        (gradient, (N == 3).then(|| normal.normalize()))
    }

    /// Returns 1 if phi and the surface are smooth, 0 if one of them has a kink, and values in
    /// between.
    fn smoothness(&self, phi: &[R]) -> f64 {
        let (gradient, normal) = self.mean(phi);
        let mean = gradient.normalize();
        let least = self.cells(phi).fold(1.0, |least: f64, (_, g, n)| {
            let flat = normal.map_or(1.0, |mean| mean.dot(&n).abs());
            let cosine = mean.dot(&g) / g.norm();
            // A cell without a gradient counts as a kink.
            if cosine.is_finite() { least.min(cosine).min(flat) } else { -1.0 }
        });
        let x = ((least - KINK) / (SMOOTH - KINK)).clamp(0.0, 1.0);
        x * x * (3.0 - 2.0 * x)
    }

    /// Returns the distance of the vertex from the interface, and the unit vector away from it.
    /// `planes` is the distance by equation (5), which remains at kinks.
    fn distance(&self, phi: &[R], planes: R, smooth: &[f64]) -> (R, Vec3<R>) {
        let (gradient, normal) = self.mean(phi);
        let Some(frame) = Frame::new(gradient, normal) else { return (planes, Vec3::zeros()) };
        let at = |local: usize| phi[self.patch.vertex(local)].to_f64();
        let own = at(self.vertex);
        let (mut weight, mut sum, mut count) = (1.0, 0.0, 0.0);
        for &c in self.corners().flatten() {
            let c = c as usize;
            weight = smooth[self.patch.vertex(c)].min(weight);
            sum += self.edge(c).norm_squared();
            count += 1.0;
        }
        let mut fit = Fit::new(if N == 3 { 2 } else { 3 }, (sum / count).sqrt());
        for &c in self.corners().flatten().filter(|&&c| c as usize != self.vertex) {
            let c = c as usize;
            fit.add(frame.coordinates(&self.edge(c)), at(c) - own);
        }
        let sign = if own < 0.0 { -1.0 } else { 1.0 };
        let (distance, direction) = match fit.closest(own) {
            Some(closest) if weight > 0.0 => {
                let planes = planes.to_f64();
                let distance = planes + weight * (closest.distance - planes);
                (R::of(distance), closest.gradient)
            }
            _ => (planes, [1.0, 0.0, 0.0]),
        };
        (distance, (frame.vector(direction) * sign).map(R::of))
    }

    /// Returns the vector from the vertex to another local vertex.
    fn edge(&self, local: usize) -> Vec3 {
        (self.x[local] - self.x[self.vertex]).map(Real::to_f64)
    }
}

/// Replaces the values of straight fronts by those of curved fronts.
pub(super) fn bend<R: Real, const N: usize>(state: &mut EikonalState<R>) {
    let EikonalState { problem, u, fixed, visited, quadratic, .. } = state;
    let Some(quadratic) = quadratic else { return };
    choose_faces::<R, N>(quadratic, problem, u, fixed, visited);
    let patches = &*problem.patches;
    let Quadratic {
        directions,
        straight,
        slots,
        order,
        next,
        changed,
        round,
        active,
        listed,
        moved,
        threads,
        ..
    } = &mut **quadratic;
    active.clear();
    active.extend_from_slice(visited);
    for _ in 0..MOST_ROUNDS + visited.len() {
        if active.is_empty() {
            break;
        }
        *round += 1;
        let now = *round;
        {
            let next = DisjointRows::new(next);
            let update = Update::<R, N> {
                problem,
                u,
                directions,
                straight,
                slots,
                order,
                changed,
                last: now - 1,
            };
            active.par_iter().for_each(|&p| {
                // SAFETY: the list contains each patch once, and patches own disjoint ranges.
                let out = unsafe { next.range(patches.patch(p as usize).owned()) };
                update.run(p as usize, &mut threads.get(), out);
            });
        }
        // The values are published only now, so that no patch has read values of this round.
        let (u, directions) = (DisjointRows::new(u), DisjointRows::new(directions));
        let changed = DisjointRows::new(changed);
        active
            .par_iter()
            .map(|&p| {
                let owned = patches.patch(p as usize).owned();
                // SAFETY: the list contains each patch once, and patches own disjoint ranges.
                let (u, directions, changed) = unsafe {
                    (
                        u.range(owned.clone()),
                        directions.range(owned.clone()),
                        changed.range(owned.clone()),
                    )
                };
                let mut moved = false;
                for (k, fresh) in next[owned].iter().enumerate() {
                    if u[k] != fresh.value || directions[k] != fresh.direction {
                        (u[k], directions[k], changed[k]) = (fresh.value, fresh.direction, now);
                        moved = true;
                    }
                }
                moved
            })
            .collect_into_vec(moved);
        let changed: Vec<u32> =
            active.iter().zip(&*moved).filter(|(_, moved)| **moved).map(|(&p, _)| p).collect();
        active.clear();
        for p in changed {
            for &q in std::iter::once(&p).chain(patches.neighbors(p as usize)) {
                if listed[q as usize] != now && visited.binary_search(&q).is_ok() {
                    listed[q as usize] = now;
                    active.push(q);
                }
            }
        }
        active.sort_unstable();
    }
}

/// Finds the face through which the straight front reaches each vertex, and marks all values as
/// new.
fn choose_faces<R: Real, const N: usize>(
    quadratic: &mut Quadratic<R>,
    problem: &Problem<R>,
    u: &[R],
    fixed: &[bool],
    visited: &[u32],
) {
    let patches = &*problem.patches;
    quadratic.round += 1;
    let round = quadratic.round;
    let straight = DisjointRows::new(&mut quadratic.straight);
    let directions = DisjointRows::new(&mut quadratic.directions);
    let slots = DisjointRows::new(&mut quadratic.slots);
    let order = DisjointRows::new(&mut quadratic.order);
    let changed = DisjointRows::new(&mut quadratic.changed);
    visited.par_iter().for_each(|&p| {
        let patch = patches.patch(p as usize);
        let x = problem.coordinates.of(patches, p as usize);
        let owned = patch.owned();
        // SAFETY: the list contains each patch once, and patches own disjoint ranges.
        let (straight, directions, slots, order, changed) = unsafe {
            (
                straight.range(owned.clone()),
                directions.range(owned.clone()),
                slots.range(owned.clone()),
                order.range(owned.clone()),
                changed.range(owned.clone()),
            )
        };
        straight.copy_from_slice(&u[owned.clone()]);
        changed.fill(round);
        slots.fill(NO_FACE);
        order.iter_mut().zip(0..).for_each(|(order, k)| *order = k);
        order.sort_by(|&a, &b| {
            let [a, b] = [a, b].map(|k| straight[k as usize].to_f64());
            a.total_cmp(&b)
        });
        for k in 0..patch.n_owned {
            if !fixed[patch.first + k] && straight[k] < R::INFINITY {
                (slots[k], directions[k]) = face_of::<R, N>(&patch, x, u, k);
            }
        }
    });
}

/// Returns the slot of a vertex in the cell through whose opposite face the straight front reaches
/// it. If the front comes along an edge, this is the face that it misses by the smallest distance,
/// or [`NO_FACE`]. Also returns the direction from the neighbor over which the front arrives first.
fn face_of<R: Real, const N: usize>(
    patch: &Patch<'_>,
    x: &[Vec3<R>],
    u: &[R],
    k: usize,
) -> (u32, Vec3<R>) {
    let own = u[patch.first + k];
    let (mut slot, mut best) = (NO_FACE, (R::INFINITY, R::INFINITY));
    let (mut first, mut direction) = (R::INFINITY, Vec3::zeros());
    for &at in patch.row(k) {
        let (t, i) = (at as usize / N, at as usize % N);
        let corners = &patch.corners[t * N..t * N + N];
        let others = others::<N>(i).map(|j| corners[j] as usize);
        let values = others.map(|c| u[patch.vertex(c)]);
        for (&c, &value) in others.iter().zip(&values) {
            let way = x[k] - x[c];
            let arrival = value + way.norm();
            if arrival < first {
                (first, direction) = (arrival, way.normalize());
            }
        }
        let cell: [Vec3<R>; N] = std::array::from_fn(|j| x[corners[j] as usize]);
        let Some(foot) = Face::opposite(&cell, i).foot(&values) else { continue };
        let latest = values[0].max(values[1]).max(values[2]);
        let way = (x[k] - x[others[0]]).norm();
        let is_own = foot.outside == R::zero() && foot.value <= own + R::of(SAME) * way;
        // Next to the face, the front would arrive earlier than over an edge, but only a little.
        let is_gap = latest < own && foot.value >= own - R::of(WIDEST_GAP) * way;
        if (is_gap || is_own) && (foot.outside, foot.value) < best {
            (slot, best) = (at, (foot.outside, foot.value));
        }
    }
    (slot, direction)
}

/// The inputs of a round.
struct Update<'a, R: Real, const N: usize> {
    problem: &'a Problem<R>,
    u: &'a [R],
    directions: &'a [Vec3<R>],
    straight: &'a [R],
    slots: &'a [u32],
    order: &'a [u32],
    changed: &'a [u32],
    /// The round before this one.
    last: u32,
}

impl<R: Real, const N: usize> Update<'_, R, N> {
    /// Updates the vertices of a patch whose face has a changed vertex, in the order in which the
    /// straight front reaches them, until nothing changes.
    fn run(&self, p: usize, local: &mut LocalScratch<R>, out: &mut [Arrival<R>]) {
        let patch = self.problem.patches.patch(p);
        let x = self.problem.coordinates.of(&self.problem.patches, p);
        let LocalScratch { arrivals, changed, seen } = local;
        let vertices = patch.owned().chain(patch.halo.iter().map(|&v| v as usize));
        arrivals.clear();
        arrivals.extend(
            vertices.clone().map(|v| Arrival { value: self.u[v], direction: self.directions[v] }),
        );
        // The number of changes before each vertex last changed, and before it was last computed.
        let mut n_changes = 1u32;
        changed.clear();
        changed.extend(vertices.map(|v| u32::from(self.changed[v] == self.last)));
        seen.clear();
        seen.resize(patch.n_owned, 0);
        for _ in 0..INNER_REPETITIONS {
            let before = n_changes;
            for &k in &self.order[patch.owned()] {
                let k = k as usize;
                let slot = self.slots[patch.first + k];
                if slot == NO_FACE {
                    continue;
                }
                let (t, i) = (slot as usize / N, slot as usize % N);
                let corners = &patch.corners[t * N..t * N + N];
                let others = others::<N>(i).map(|j| corners[j] as usize);
                if others.iter().all(|&c| changed[c] <= seen[k]) {
                    continue;
                }
                seen[k] = n_changes;
                let cell: [Vec3<R>; N] = std::array::from_fn(|j| x[corners[j] as usize]);
                let from = others.map(|c| arrivals[c]);
                let straight = self.straight[patch.first + k];
                let near =
                    |a: &Arrival<R>| (a.value - straight).abs() <= R::of(LARGEST_CHANGE) * straight;
                let arrival = Face::opposite(&cell, i).arrival(&from).filter(near);
                if let Some(arrival) = arrival.filter(|arrival| *arrival != arrivals[k]) {
                    n_changes += 1;
                    (arrivals[k], changed[k]) = (arrival, n_changes);
                }
            }
            if n_changes == before {
                break;
            }
        }
        out.copy_from_slice(&arrivals[..patch.n_owned]);
    }
}
