//! One step on the CPU: cells write to slots of their patch, vertices gather them.
//!
//! The order of a step: second-order increments of the advection (`galerkin`), everything explicit
//! ([`Evolution::explicit_pass`], here), the semi-implicit curvature (`implicit`), inflow values
//! (`inflow`), and a look at what came out.

use rayon::prelude::*;

use super::breakdown::LARGEST_GROWTH;
use super::options::{Advection, NormalMotion};
use super::{Evolution, formulas};
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::levelset::eikonal::is_cut;
use crate::patches::{Patch, Patches};
use crate::primitives::{DisjointRows, PerThread};

/// Memory of the passes over patches, reused from step to step.
pub(super) struct Scratch<R: Real> {
    cut: Vec<bool>,
    outcomes: Vec<Outcome<R>>,
    pub threads: PerThread<LocalScratch<R>>,
}

impl<R: Real> Scratch<R> {
    /// Memory for all patches and this many threads.
    pub fn new(patches: &Patches, threads: usize) -> Self {
        let (vertices, corners) = patches.largest();
        let scratch = Scratch {
            cut: Vec::with_capacity(patches.len()),
            outcomes: Vec::with_capacity(patches.len()),
            threads: PerThread::<LocalScratch<R>>::default(),
        };
        scratch.threads.prepare(threads, |local| {
            local.phi.reserve(vertices);
            local.slots.resize(corners, Slot::zero());
        });
        scratch
    }
}

/// One patch while it is computed.
pub(super) struct LocalScratch<R> {
    /// phi, or what a pass works on, of owned and halo vertices.
    pub phi: Vec<R>,
    /// What each cell corner contributes, `[arity * cells]`.
    pub slots: Vec<Slot<R>>,
}

impl<R> Default for LocalScratch<R> {
    fn default() -> Self {
        LocalScratch { phi: Vec::new(), slots: Vec::new() }
    }
}

impl<R: Real> LocalScratch<R> {
    /// Loads a patch-order array into `phi`, and makes room for a slot per corner.
    ///
    /// Slots of cells that are not computed keep what another patch left: no moving vertex reads
    /// them.
    pub fn load(&mut self, patch: &Patch<'_>, from: &[R]) {
        patch.load(from, &mut self.phi);
        if self.slots.len() < patch.corners.len() {
            self.slots.resize(patch.corners.len(), Slot::zero());
        }
    }
}

/// What a corner gathers of each term: numerators and denominators of the first-order terms,
/// residual and lumped mass of the curvature term (numerics 2.3 and 3.1).
#[derive(Clone, Copy)]
pub(super) struct Slot<R> {
    pub advection: [R; 2],
    pub normal: [R; 2],
    pub curvature: [R; 2],
}

impl<R: Real> Slot<R> {
    fn zero() -> Self {
        let zero = [R::zero(); 2];
        Slot { advection: zero, normal: zero, curvature: zero }
    }
}

/// Sums one part of the slots of a vertex, in mesh order of its cells.
#[inline]
pub(super) fn sum<R: Real>(row: &[u32], slots: &[Slot<R>], part: fn(&Slot<R>) -> [R; 2]) -> [R; 2] {
    row.iter().fold([R::zero(); 2], |sum, &slot| {
        let [a, b] = part(&slots[slot as usize]);
        [sum[0] + a, sum[1] + b]
    })
}

/// `num / den`, 0 where no cell takes part.
#[inline]
pub(super) fn ratio<R: Real>([num, den]: [R; 2]) -> R {
    if den > R::LEAST { num / den } else { R::zero() }
}

/// What a step did to a patch, or to all.
#[derive(Clone, Copy)]
pub(super) struct Outcome<R> {
    /// Largest change where `|phi|` was below half the half width.
    pub change_near: R,
    /// A vertex (patch order) where phi is not finite any more or has grown beyond all bounds.
    pub broken: Option<usize>,
}

impl<R: Real> Evolution<R> {
    /// Writes the explicit part of phi^(n+1) of all active patches into `next`; returns whether a
    /// cell is cut by the interface.
    pub(super) fn explicit_pass(&mut self, dt: R) -> bool {
        let mut scratch = std::mem::take(&mut self.scratch.cut);
        let mut next = std::mem::take(&mut self.next);
        self.cpu.run(|| match self.patches.arity() {
            3 => self.advance_patches::<3>(dt, &mut next, &mut scratch),
            _ => self.advance_patches::<4>(dt, &mut next, &mut scratch),
        });
        let cut = scratch.iter().any(|&cut| cut);
        (self.next, self.scratch.cut) = (next, scratch);
        cut
    }

    fn advance_patches<const N: usize>(&self, dt: R, next: &mut [R], cut: &mut Vec<bool>) {
        let next = DisjointRows::new(next);
        let explicit_curvature = self.motion.curvature.is_some() && self.implicit.is_none();
        self.band
            .active
            .par_iter()
            .map(|&p| {
                let p = p as usize;
                // SAFETY: the list names a patch once, and patches own disjoint ranges.
                let out = unsafe { next.range(self.patches.patch(p).owned()) };
                let mut local = self.scratch.threads.get();
                let cut = self.cells::<N>(p, explicit_curvature, &mut local);
                self.vertices::<N>(p, dt, explicit_curvature, &local, out);
                cut
            })
            .collect_into_vec(cut);
    }

    /// Every listed cell writes its contributions; returns whether one of them is cut.
    fn cells<const N: usize>(
        &self,
        p: usize,
        explicit_curvature: bool,
        local: &mut LocalScratch<R>,
    ) -> bool {
        let patch = self.patches.patch(p);
        let x = self.coordinates.of(&self.patches, p);
        local.load(&patch, &self.phi);
        let LocalScratch { phi, slots } = local;
        let velocity = self.motion.velocity.as_ref().filter(|_| self.galerkin.is_none());
        let normal_speed = self.motion.normal_speed.as_ref();
        let curvature = self.motion.curvature.as_ref().filter(|_| explicit_curvature);
        let at_rest = velocity.is_none() && normal_speed.is_none() && curvature.is_none();
        let mut cut = false;
        for &t in self.band.cells_of(&self.patches, p) {
            let first = t as usize * N;
            let corners = &patch.corners[first..first + N];
            let values: [R; N] = std::array::from_fn(|i| phi[corners[i] as usize]);
            cut |= is_cut(&values);
            if at_rest {
                continue;
            }
            let x: [Vec3<R>; N] = std::array::from_fn(|i| x[corners[i] as usize]);
            let simplex = Simplex::new(&x);
            let g = simplex.gradient(&values);
            let slots = &mut slots[first..first + N];
            let mut wind = velocity.map(|v| Vec3::from(v.mean::<N>(&patch, corners)));
            let mut eps = normal_speed.map(|v| v.mean::<N>(&patch, corners)[0]);
            if self.options.one_pass
                && let Some(a) = &mut wind
                && let Some(eps) = eps.take()
            {
                let norm = g.norm();
                if norm >= R::narrow(1e-30) {
                    *a += g * (eps / norm);
                }
            }
            if let Some(a) = wind {
                let shares = match self.options.advection {
                    Advection::Cone => formulas::cone(&simplex, &values, &a),
                    _ => formulas::advection(&simplex, &values, &a),
                };
                for (i, slot) in slots.iter_mut().enumerate() {
                    slot.advection = [shares.num[i], shares.den[i]];
                }
            }
            match (eps, self.options.normal_motion) {
                (None, _) => {}
                (Some(eps), NormalMotion::PositiveCoefficient) => {
                    let shares = formulas::normal_speed(&simplex, &values, &g, eps);
                    for (i, slot) in slots.iter_mut().enumerate() {
                        slot.normal = [shares.num[i], shares.den[i]];
                    }
                }
                (Some(eps), NormalMotion::HopfLax) => {
                    // A shrinking inside is a growing outside: the formula for -phi.
                    let grows = eps >= R::zero();
                    let values = if grows { values } else { values.map(|v| -v) };
                    let slopes = formulas::hopf_lax(&x, &simplex, &values);
                    for (slot, slope) in slots.iter_mut().zip(slopes) {
                        let rate = eps.abs() * slope;
                        slot.normal = if grows { [rate, R::zero()] } else { [R::zero(), rate] };
                    }
                }
            }
            if let Some(curvature) = curvature {
                let (mut residual, mass) = formulas::curvature(&simplex, &g);
                if curvature.weighted {
                    let [w] = curvature.coefficient.mean::<N>(&patch, corners);
                    residual = residual.map(|r| w * r);
                }
                for (i, slot) in slots.iter_mut().enumerate() {
                    slot.curvature = [residual[i], mass];
                }
            }
        }
        cut
    }

    /// Every moving vertex gathers its slots and takes the step (numerics equation 2).
    fn vertices<const N: usize>(
        &self,
        p: usize,
        dt: R,
        explicit_curvature: bool,
        local: &LocalScratch<R>,
        out: &mut [R],
    ) {
        let patch = self.patches.patch(p);
        let has_slots = self.motion.velocity.is_some() && self.galerkin.is_none();
        for (k, out) in out.iter_mut().enumerate() {
            let vertex = patch.first + k;
            let old = local.phi[k];
            if !self.band.moving[vertex] {
                *out = old;
                continue;
            }
            let row = patch.row(k);
            let mut change = R::zero();
            if let Some(galerkin) = &self.galerkin {
                change += galerkin.increment(vertex);
            }
            if has_slots {
                change -= dt * ratio(sum(row, &local.slots, |slot| slot.advection));
            }
            if self.motion.normal_speed.is_some() && !(has_slots && self.options.one_pass) {
                change -= dt * self.normal_rate(row, &local.slots);
            }
            if self.options.clip {
                change = clipped::<R, N>(old, change, row, &patch, &local.phi);
            }
            if let Some(curvature) = &self.motion.curvature
                && explicit_curvature
            {
                let beta =
                    if curvature.weighted { R::one() } else { curvature.coefficient.at(vertex)[0] };
                change -= dt * beta * ratio(sum(row, &local.slots, |slot| slot.curvature));
            }
            *out = old + change;
        }
    }

    /// `eps |grad phi|` of a vertex.
    #[inline]
    fn normal_rate(&self, row: &[u32], slots: &[Slot<R>]) -> R {
        match self.options.normal_motion {
            NormalMotion::PositiveCoefficient => ratio(sum(row, slots, |slot| slot.normal)),
            NormalMotion::HopfLax => {
                let [up, down] = row.iter().fold([R::zero(); 2], |[up, down], &slot| {
                    let [a, b] = slots[slot as usize].normal;
                    [up.max(a), down.max(b)]
                });
                up - down
            }
        }
    }

    /// Compares phi and `next`.
    pub(super) fn outcome(&mut self) -> Outcome<R> {
        let mut outcomes = std::mem::take(&mut self.scratch.outcomes);
        let near = self.half_width() * R::narrow(0.5);
        let most = R::narrow(LARGEST_GROWTH) * self.reach;
        let start = Outcome { change_near: R::zero(), broken: None };
        let of_patch = |&p: &u32| {
            self.patches.patch(p as usize).owned().fold(start, |mut all, v| {
                let (old, new) = (self.phi[v], self.next[v]);
                // So written that what is not a number does not pass.
                if !(new.abs() <= most && new.is_finite()) {
                    all.broken = all.broken.or(Some(v));
                }
                if old.abs() < near {
                    all.change_near = all.change_near.max((new - old).abs());
                }
                all
            })
        };
        let active = &self.band.active;
        self.cpu.run(|| active.par_iter().map(of_patch).collect_into_vec(&mut outcomes));
        let all = outcomes.iter().fold(start, |all, one| Outcome {
            change_near: all.change_near.max(one.change_near),
            broken: all.broken.or(one.broken),
        });
        self.scratch.outcomes = outcomes;
        all
    }
}

/// `change` limited so that `old + change` stays between the values of the closed one-ring
/// (numerics 2.6).
#[inline]
fn clipped<R: Real, const N: usize>(
    old: R,
    change: R,
    row: &[u32],
    patch: &Patch<'_>,
    phi: &[R],
) -> R {
    let (mut low, mut high) = (old, old);
    for &slot in row {
        let first = slot as usize / N * N;
        for &c in &patch.corners[first..first + N] {
            low = low.min(phi[c as usize]);
            high = high.max(phi[c as usize]);
        }
    }
    (old + change).max(low).min(high) - old
}
