//! Straight fronts in one patch: sweeps over the vertices in the order of their earlier distances.
//!
//! phi is nearly a distance before the call, so one sweep computes most vertices from final values.
//! The general update ([`super::super::cpu`]) needs several repetitions, and does not know through
//! which face a front came.

use super::super::cpu::{LocalScratch, Outcome, PatchUpdate};
use super::super::problem::least_step;
use super::super::{Problem, formulas};
use super::{NO_FACE, Quadratic};
use crate::geometry::{Real, Vec3};
use crate::patches::Patch;
use crate::primitives::DisjointRows;

/// A round propagates the values that are later than the earliest pending one by less than this.
/// The unit is the longest edge of a patch, averaged over all patches. Later values may still
/// change, and what depends on them would be computed again.
pub(in super::super) const WINDOW: f64 = 2.0;

/// The arrays of [`Quadratic`] that the updates of a round share.
pub(in super::super) struct Sweep<'a, R> {
    keys: &'a [R],
    keyed: &'a [u32],
    call: u32,
    reached: DisjointRows<'a, R>,
    order: DisjointRows<'a, u32>,
    slots: DisjointRows<'a, u32>,
}

impl<R: Real> Quadratic<R> {
    /// Returns the inputs of [`PatchUpdate::run_in_order`].
    pub fn sweep(&mut self) -> Sweep<'_, R> {
        let Quadratic { keys, keyed, call, reached, order, slots, .. } = self;
        Sweep {
            keys,
            keyed,
            call: *call,
            reached: DisjointRows::new(reached),
            order: DisjointRows::new(order),
            slots: DisjointRows::new(slots),
        }
    }

    /// Returns, for each patch, the values before which its last update has propagated.
    pub fn reached(&self) -> &[R] {
        &self.reached
    }
}

impl<R: Real, const N: usize> PatchUpdate<'_, R, N> {
    /// Propagates all values of a patch before `last` until nothing changes, and stores the face
    /// through which the front reaches each vertex.
    ///
    /// # Safety
    /// No other thread may update the same patch.
    pub unsafe fn run_in_order(
        &self,
        p: usize,
        sweep: &Sweep<'_, R>,
        scratch: &mut LocalScratch<R>,
        out: &mut [R],
    ) -> Outcome {
        let Problem { patches, coordinates, reach, .. } = self.problem;
        let patch = patches.patch(p);
        let x = coordinates.of(patches, p);
        // SAFETY: patches own disjoint ranges, and the caller updates each patch once.
        let (order, slots, reached) = unsafe {
            (
                sweep.order.range(patch.owned()),
                sweep.slots.range(patch.owned()),
                &mut sweep.reached.range(p..p + 1)[0],
            )
        };
        let is_first = self.updated[p] == 0;
        if is_first {
            order.iter_mut().zip(0..).for_each(|(order, k)| *order = k);
            if sweep.keyed[p] == sweep.call {
                let keys = &sweep.keys[patch.owned()];
                let key = |k: u32| keys[k as usize].to_f64();
                order.sort_by(|&a, &b| key(a).total_cmp(&key(b)));
            }
        }
        let LocalScratch { values, dirty, due, .. } = scratch;
        patch.load(self.u, values);
        let since = self.updated[p];
        let fixed = &self.fixed[patch.owned()];
        due.clear();
        if is_first {
            due.extend(fixed.iter().map(|fixed| !fixed));
        } else {
            dirty.clear();
            dirty.extend(values.iter().map(|value| value >= reached && *value < R::INFINITY));
            for (dirty, &v) in dirty[patch.n_owned..].iter_mut().zip(patch.halo) {
                *dirty |= self.changed[v as usize] >= since;
            }
            due.resize(patch.n_owned, false);
            for corners in patch.corners.chunks_exact(N) {
                // The front comes from earlier vertices, except at obtuse angles.
                let value = |c: &&u32| values[**c as usize];
                let first = corners.iter().filter(|&&c| dirty[c as usize]);
                let Some(first) = first.map(|c| value(&c)).reduce(R::min) else { continue };
                for (i, &c) in corners.iter().enumerate() {
                    let c = c as usize;
                    if c < patch.n_owned
                        && !fixed[c]
                        && (values[c] > first || may_come_later::<R, N>(corners, x, values, i))
                    {
                        due[c] = true;
                    }
                }
            }
        }
        let mut n_due = due.iter().filter(|&&due| due).count();
        let limit = self.width + reach[p];
        let earliest_left = limit.min(self.last);
        *reached = earliest_left;
        let patience = self.problem.patience(patch.n_owned);
        for n_sweeps in 0.. {
            if n_due == 0 {
                break;
            }
            let least = least_step(reach[p], self.n_updates[p] + n_sweeps, patience);
            for &k in &*order {
                let k = k as usize;
                if !due[k] {
                    continue;
                }
                due[k] = false;
                n_due -= 1;
                let (value, slot) = earliest::<R, N>(&patch, x, values, k, earliest_left);
                // This form of the condition also rejects infinity.
                let is_less = values[k] - value > least.max(R::DECREASE * value);
                if !is_less {
                    continue;
                }
                (values[k], slots[k]) = (value, slot);
                if value >= earliest_left {
                    continue;
                }
                for corners in cells_of::<N>(&patch, k) {
                    for (i, &c) in corners.iter().enumerate() {
                        let c = c as usize;
                        if c < patch.n_owned
                            && c != k
                            && !due[c]
                            && !fixed[c]
                            && (values[c] > value || may_come_later::<R, N>(corners, x, values, i))
                        {
                            due[c] = true;
                            n_due += 1;
                        }
                    }
                }
            }
        }
        out.copy_from_slice(&values[..patch.n_owned]);
        let smallest = out.iter().fold(R::INFINITY, |m, &v| m.min(v));
        let is_left = |value: &R| *value >= earliest_left && *value < limit;
        Outcome { converged: !values.iter().any(is_left), in_band: smallest < limit }
    }
}

/// Returns the corners of the cells around an owned vertex.
#[inline]
fn cells_of<'a, const N: usize>(patch: &'a Patch<'_>, k: usize) -> impl Iterator<Item = &'a [u32]> {
    patch.row(k).iter().map(|&slot| {
        let first = slot as usize / N * N;
        &patch.corners[first..first + N]
    })
}

/// Returns whether the front may reach corner `i` of a cell before another corner that it depends
/// on. In triangles, the angle there is then obtuse.
#[inline]
fn may_come_later<R: Real, const N: usize>(
    corners: &[u32],
    x: &[Vec3<R>],
    values: &[R],
    i: usize,
) -> bool {
    let smallest = corners.iter().fold(R::INFINITY, |m, &c| m.min(values[c as usize]));
    values[corners[i] as usize] > smallest
        && (N == 4
            || formulas::is_obtuse::<R, N>(&std::array::from_fn(|j| x[corners[j] as usize]), i))
}

/// Returns the earliest arrival of a straight front at an owned vertex, and the slot of the cell
/// that it crosses. If it comes along an edge or a face of this cell, the slot is [`NO_FACE`].
#[inline]
fn earliest<R: Real, const N: usize>(
    patch: &Patch<'_>,
    x: &[Vec3<R>],
    values: &[R],
    k: usize,
    limit: R,
) -> (R, u32) {
    let (mut best, mut slot) = (values[k], NO_FACE);
    for &at in patch.row(k) {
        let (first, i) = (at as usize / N * N, at as usize % N);
        let corner = |j: usize| patch.corners[first + (i + j) % N] as usize;
        let (a, b, c) = (corner(1), corner(2), corner(N - 1));
        let u = [values[a], values[b], values[c]];
        let smallest = u[0].min(u[1]).min(u[2]);
        if smallest >= best || smallest >= limit {
            continue;
        }
        let (value, is_inside) = if N == 3 {
            let (value, s) = formulas::triangle_foot(u[0], u[1], &x[a], &x[b], &x[k], R::one());
            (value, s > R::zero() && s < R::one())
        } else {
            let face = [&x[a], &x[b], &x[c]];
            let (value, weights) = formulas::tetrahedron_foot(u, face, &x[k], R::one());
            (value, weights.iter().all(|&w| w > R::zero()))
        };
        if value < best {
            (best, slot) = (value, if is_inside { at } else { NO_FACE });
        }
    }
    (best, slot)
}
