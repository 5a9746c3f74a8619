//! One explicit step on the CPU: cells write to slots of their patch, vertices gather them.

use rayon::prelude::*;

use super::{Evolution, formulas};
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::levelset::eikonal::is_cut;
use crate::primitives::{DisjointRows, PerThread};

/// Memory of a step, reused from step to step.
#[derive(Default)]
pub(super) struct Scratch<R: Real> {
    outcomes: Vec<Outcome<R>>,
    threads: PerThread<LocalScratch<R>>,
}

/// One patch while it is computed.
struct LocalScratch<R> {
    /// phi of owned and halo vertices.
    phi: Vec<R>,
    /// What each cell corner contributes, `[arity * cells]`.
    slots: Vec<Slot<R>>,
}

impl<R> Default for LocalScratch<R> {
    fn default() -> Self {
        LocalScratch { phi: Vec::new(), slots: Vec::new() }
    }
}

/// Sums of numerics 2.3 and 3: numerator and denominator of both first-order terms, residual and
/// lumped mass of the curvature term.
#[derive(Clone, Copy)]
struct Slot<R> {
    advection: [R; 2],
    normal: [R; 2],
    curvature: [R; 2],
}

impl<R: Real> Slot<R> {
    fn zero() -> Self {
        let zero = [R::zero(); 2];
        Slot { advection: zero, normal: zero, curvature: zero }
    }
}

/// What a step did to a patch, or to all.
#[derive(Clone, Copy)]
pub(super) struct Outcome<R> {
    /// Largest change where `|phi|` was below half the half width.
    pub change_near: R,
    /// A cell was cut at the start of the step.
    pub cut: bool,
    /// A vertex (patch order) that stopped being a finite number.
    pub broken: Option<usize>,
}

impl<R: Real> Evolution<R> {
    /// Writes phi^(n+1) of all active patches into `next`.
    pub(super) fn advance(&mut self, dt: R) -> Outcome<R> {
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut next = std::mem::take(&mut self.next);
        let cpu = self.cpu.clone();
        cpu.run(|| match self.patches.arity() {
            3 => self.advance_patches::<3>(dt, &mut next, &mut scratch),
            _ => self.advance_patches::<4>(dt, &mut next, &mut scratch),
        });
        self.next = next;
        let start = Outcome { change_near: R::zero(), cut: false, broken: None };
        let all = scratch.outcomes.iter().fold(start, |all, one| Outcome {
            change_near: all.change_near.max(one.change_near),
            cut: all.cut || one.cut,
            broken: all.broken.or(one.broken),
        });
        self.scratch = scratch;
        all
    }

    fn advance_patches<const N: usize>(&self, dt: R, next: &mut [R], scratch: &mut Scratch<R>) {
        let Scratch { outcomes, threads } = scratch;
        let next = DisjointRows::new(next);
        let active = &self.band.active;
        active
            .par_iter()
            .enumerate()
            .map(|(k, &p)| {
                // SAFETY: the list names a patch once, and patches own disjoint ranges.
                let out = unsafe { next.range(self.patches.patch(p as usize).owned()) };
                let mut local = threads.get();
                let cut = self.cells::<N>(p as usize, self.band.cells_of(k), &mut local);
                self.vertices(p as usize, dt, &local, cut, out)
            })
            .collect_into_vec(outcomes);
    }

    /// Every listed cell writes its contributions; returns whether one of them is cut.
    fn cells<const N: usize>(&self, p: usize, cells: &[u32], local: &mut LocalScratch<R>) -> bool {
        let patch = self.patches.patch(p);
        let x = self.coordinates.of(&self.patches, p);
        let LocalScratch { phi, slots } = local;
        patch.load(&self.phi, phi);
        // Slots of cells that are not listed stay what they were: no moving vertex reads them.
        if slots.len() < patch.corners.len() {
            slots.resize(patch.corners.len(), Slot::zero());
        }
        let mut cut = false;
        for &t in cells {
            let first = t as usize * N;
            let corners = &patch.corners[first..first + N];
            let values: [R; N] = std::array::from_fn(|i| phi[corners[i] as usize]);
            let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
            let simplex = Simplex::new(&x);
            let g = simplex.gradient(&values);
            let slots = &mut slots[first..first + N];
            cut |= is_cut(&values);
            if let Some(velocity) = &self.velocity {
                let a = Vec3::from(velocity.mean::<N>(&patch, corners));
                let shares = formulas::advection(&simplex, &values, &a);
                for (i, slot) in slots.iter_mut().enumerate() {
                    slot.advection = [shares.num[i], shares.den[i]];
                }
            }
            if let Some(normal_speed) = &self.normal_speed {
                let [eps] = normal_speed.mean::<N>(&patch, corners);
                let shares = formulas::normal_speed(&simplex, &values, &g, eps);
                for (i, slot) in slots.iter_mut().enumerate() {
                    slot.normal = [shares.num[i], shares.den[i]];
                }
            }
            if self.curvature.is_some() {
                let (residual, mass) = formulas::curvature(&simplex, &g);
                for (i, slot) in slots.iter_mut().enumerate() {
                    slot.curvature = [residual[i], mass];
                }
            }
        }
        cut
    }

    /// Every moving vertex gathers its slots and takes the step (numerics equation 2).
    fn vertices(
        &self,
        p: usize,
        dt: R,
        local: &LocalScratch<R>,
        cut: bool,
        out: &mut [R],
    ) -> Outcome<R> {
        let patch = self.patches.patch(p);
        let near = match self.options.half_width {
            Some(w) => R::narrow(0.5 * w),
            None => R::INFINITY,
        };
        let mut outcome = Outcome { change_near: R::zero(), cut, broken: None };
        for (k, out) in out.iter_mut().enumerate() {
            let vertex = patch.first + k;
            let old = local.phi[k];
            if !self.band.moving[vertex] {
                *out = old;
                continue;
            }
            let row = patch.row(k);
            let sum = |part: fn(&Slot<R>) -> [R; 2]| {
                row.iter().fold([R::zero(); 2], |sum, &slot| {
                    let [a, b] = part(&local.slots[slot as usize]);
                    [sum[0] + a, sum[1] + b]
                })
            };
            let ratio = |[num, den]: [R; 2]| if den > R::zero() { num / den } else { R::zero() };
            let mut rate = R::zero();
            if self.velocity.is_some() {
                rate -= ratio(sum(|slot| slot.advection));
            }
            if self.normal_speed.is_some() {
                rate -= ratio(sum(|slot| slot.normal));
            }
            if let Some(beta) = &self.curvature {
                rate -= beta.at(vertex)[0] * ratio(sum(|slot| slot.curvature));
            }
            let new = old + dt * rate;
            if !new.is_finite() {
                outcome.broken = outcome.broken.or(Some(vertex));
            }
            if old.abs() < near {
                outcome.change_near = outcome.change_near.max((new - old).abs());
            }
            *out = new;
        }
        outcome
    }
}
