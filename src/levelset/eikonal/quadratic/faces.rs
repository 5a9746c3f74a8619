//! Curved fronts through the faces that the straight front has chosen.
//!
//! The value of a vertex depends only on those of its face, so each vertex is computed once, after
//! the vertices of its face. A round computes, in each patch, what depends on earlier rounds and on
//! the patch itself.

use super::curved::{Arrival, Face, others};
use super::{EikonalState, LocalScratch, NO_FACE, Problem, Quadratic};
use crate::geometry::{Real, Vec3};
use crate::parallel::*;
use crate::patches::Patch;
use crate::primitives::DisjointRows;

/// A curved front may change the value of the straight front by at most this fraction.
const LARGEST_CHANGE: f64 = 0.1;

/// A front that misses a face must not arrive earlier through the plane of this face than the
/// straight front by more than this times the length of the way. Two neighboring directions of the
/// front then differ by at most 14 degrees.
const WIDEST_GAP: f64 = 0.03;

/// Replaces the values of straight fronts by those of curved fronts. Values of `width` or more are
/// not meaningful afterwards.
pub(in super::super) fn bend<R: Real, const N: usize>(state: &mut EikonalState<R>, width: R) {
    let EikonalState { problem, u, fixed, visited, quadratic, .. } = state;
    let Some(quadratic) = quadratic else { return };
    list_waiting::<R, N>(quadratic, problem, u, fixed, visited, width);
    let patches = &*problem.patches;
    let Quadratic { directions, slots, order, done, waiting, next, active, left, threads, .. } =
        &mut **quadratic;
    active.clear();
    active.extend(visited.iter().filter(|&&p| waiting[p as usize] > 0));
    let mut forces = false;
    while !active.is_empty() {
        {
            let (next, order) = (DisjointRows::new(next), DisjointRows::new(order));
            let pass = Pass::<R, N> { problem, u, directions, slots, done, waiting, forces };
            active
                .par_iter()
                .map(|&p| {
                    let owned = patches.patch(p as usize).owned();
                    // SAFETY: the list contains each patch once, and patches own disjoint ranges.
                    let (next, order) = unsafe { (next.range(owned.clone()), order.range(owned)) };
                    pass.run(p as usize, &mut threads.get(), order, next)
                })
                .collect_into_vec(left);
        }
        // The values are published only now, so that no patch has read values of this round.
        let (u, directions) = (DisjointRows::new(u), DisjointRows::new(directions));
        let done = DisjointRows::new(done);
        active.par_iter().zip(&*left).for_each(|(&p, &left)| {
            let owned = patches.patch(p as usize).owned();
            let computed = left as usize..waiting[p as usize] as usize;
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let (u, directions, done) = unsafe {
                (u.range(owned.clone()), directions.range(owned.clone()), done.range(owned.clone()))
            };
            for &k in &order[owned.clone()][computed] {
                let k = k as usize;
                let Arrival { value, direction } = next[owned.start + k];
                (u[k], directions[k], done[k]) = (value, direction, true);
            }
        });
        // If faces depend on each other in a circle, the earliest vertices use straight fronts.
        forces = active.iter().zip(&*left).all(|(&p, &left)| waiting[p as usize] == left);
        for (&p, &left) in active.iter().zip(&*left) {
            waiting[p as usize] = left;
        }
        active.retain(|&p| waiting[p as usize] > 0);
    }
}

/// Lists the vertices of each patch that wait for a curved front, in the order in which the
/// straight front reaches them. Finds faces and directions for those where it came along an edge.
fn list_waiting<R: Real, const N: usize>(
    quadratic: &mut Quadratic<R>,
    problem: &Problem<R>,
    u: &[R],
    fixed: &[bool],
    visited: &[u32],
    width: R,
) {
    let patches = &*problem.patches;
    let Quadratic { directions, slots, order, done, waiting, left, .. } = quadratic;
    let (directions, slots) = (DisjointRows::new(directions), DisjointRows::new(slots));
    let (order, done) = (DisjointRows::new(order), DisjointRows::new(done));
    visited
        .par_iter()
        .map(|&p| {
            let patch = patches.patch(p as usize);
            let x = problem.coordinates.of(patches, p as usize);
            let owned = patch.owned();
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let (directions, slots, order, done) = unsafe {
                (
                    directions.range(owned.clone()),
                    slots.range(owned.clone()),
                    order.range(owned.clone()),
                    done.range(owned.clone()),
                )
            };
            let limit = width + problem.reach[p as usize];
            let mut n = 0;
            for k in 0..patch.n_owned {
                done[k] = true;
                if fixed[owned.start + k] {
                    continue;
                }
                if u[owned.start + k] >= limit {
                    directions[k] = Vec3::zeros();
                    continue;
                }
                if slots[k] == NO_FACE {
                    (slots[k], directions[k]) = nearby_face::<R, N>(&patch, x, u, k);
                }
                if slots[k] != NO_FACE {
                    done[k] = false;
                    order[n] = k as u32;
                    n += 1;
                }
            }
            let key = |k: u32| u[owned.start + k as usize].to_f64();
            order[..n].sort_by(|&a, &b| key(a).total_cmp(&key(b)).then(a.cmp(&b)));
            n as u32
        })
        .collect_into_vec(left);
    for (&p, &n) in visited.iter().zip(&*left) {
        waiting[p as usize] = n;
    }
}

/// Returns the slot of a vertex in the cell whose opposite face the straight front misses by the
/// smallest distance, or [`NO_FACE`]. Also returns the direction from the neighbor over which the
/// front arrives first.
fn nearby_face<R: Real, const N: usize>(
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
        let latest = values[0].max(values[1]).max(values[2]);
        let is_later = latest < own;
        if !is_later {
            continue;
        }
        let cell: [Vec3<R>; N] = std::array::from_fn(|j| x[corners[j] as usize]);
        let Some(foot) = Face::opposite(&cell, i).foot(&values) else { continue };
        let way = (x[k] - x[others[0]]).norm();
        // Next to the face, the front would arrive earlier than over an edge, but only a little.
        let is_near = foot.value >= own - R::of(WIDEST_GAP) * way;
        if is_near && (foot.outside, foot.value) < best {
            (slot, best) = (at, (foot.outside, foot.value));
        }
    }
    (slot, direction)
}

/// The inputs of a round.
struct Pass<'a, R: Real, const N: usize> {
    problem: &'a Problem<R>,
    u: &'a [R],
    directions: &'a [Vec3<R>],
    slots: &'a [u32],
    done: &'a [bool],
    waiting: &'a [u32],
    /// Whether the first vertex of each patch is computed even if its face waits.
    forces: bool,
}

impl<R: Real, const N: usize> Pass<'_, R, N> {
    /// Computes the vertices of a patch whose face is done, and returns the number of those that
    /// still wait. They come first in `order`, followed by the computed ones.
    fn run(
        &self,
        p: usize,
        local: &mut LocalScratch<R>,
        order: &mut [u32],
        next: &mut [Arrival<R>],
    ) -> u32 {
        let patch = self.problem.patches.patch(p);
        let x = self.problem.coordinates.of(&self.problem.patches, p);
        let LocalScratch { arrivals, done, waiting, computed, .. } = local;
        patch.load(self.done, done);
        arrivals.clear();
        let vertices = patch.owned().chain(patch.halo.iter().map(|&v| v as usize));
        arrivals
            .extend(vertices.map(|v| Arrival { value: self.u[v], direction: self.directions[v] }));
        waiting.clear();
        waiting.extend_from_slice(&order[..self.waiting[p] as usize]);
        computed.clear();
        let mut forces = self.forces;
        loop {
            let before = computed.len();
            waiting.retain(|&k| {
                let slot = self.slots[patch.first + k as usize] as usize;
                let (first, i) = (slot / N * N, slot % N);
                let corners = &patch.corners[first..first + N];
                let face = others::<N>(i).map(|j| corners[j] as usize);
                let is_ready = face.iter().all(|&c| done[c]);
                if !(is_ready || std::mem::take(&mut forces)) {
                    return true;
                }
                let cell: [Vec3<R>; N] = std::array::from_fn(|j| x[corners[j] as usize]);
                let from = face.map(|c| arrivals[c]);
                let straight = arrivals[k as usize].value;
                let face = Face::opposite(&cell, i);
                let near =
                    |a: &Arrival<R>| (a.value - straight).abs() <= R::of(LARGEST_CHANGE) * straight;
                let arrival = if is_ready { face.arrival(&from).filter(near) } else { None };
                let arrival = arrival.unwrap_or_else(|| Arrival {
                    value: straight,
                    direction: face.straight_direction(&from),
                });
                (arrivals[k as usize], done[k as usize]) = (arrival, true);
                next[k as usize] = arrival;
                computed.push(k);
                false
            });
            if computed.len() == before || waiting.is_empty() {
                break;
            }
        }
        order[..waiting.len()].copy_from_slice(waiting);
        order[waiting.len()..waiting.len() + computed.len()].copy_from_slice(computed);
        waiting.len() as u32
    }
}
