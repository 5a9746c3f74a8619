//! The explicit part of a step on the CPU; all terms start from the same phi^n.

use super::cell_passes::{LocalScratch, Pass, ratio, sum};
use super::coefficients::Curvature;
use super::formulas;
use super::increments::Increments;
use super::options::{Advection, NormalMotion};
use crate::geometry::{Real, Vec3, simplex::Simplex};
use crate::levelset::eikonal::is_cut;
use crate::parallel::*;
use crate::patches::Patch;
use crate::primitives::DisjointRows;

impl<R: Real> Pass<'_, R> {
    /// Writes the explicit part of phi^(n+1) of all active patches to `next`. Returns whether the
    /// interface cuts a cell with a moving vertex.
    ///
    /// `cut` is scratch memory.
    pub fn explicit(
        &self,
        increments: Option<&Increments<R>>,
        dt: R,
        next: &mut [R],
        cut: &mut Vec<bool>,
    ) -> bool {
        let problem = self.problem;
        problem.cpu.run(|| match problem.patches.arity() {
            3 => self.advance_patches::<3>(increments, dt, next, cut),
            _ => self.advance_patches::<4>(increments, dt, next, cut),
        });
        cut.iter().any(|&cut| cut)
    }

    fn advance_patches<const N: usize>(
        &self,
        increments: Option<&Increments<R>>,
        dt: R,
        next: &mut [R],
        cut: &mut Vec<bool>,
    ) {
        let Pass { problem, band, threads, .. } = *self;
        let next = DisjointRows::new(next);
        let advance = |&p: &u32| {
            let p = p as usize;
            // SAFETY: the list contains each patch once, and patches own disjoint ranges.
            let out = unsafe { next.range(problem.patches.patch(p).owned()) };
            let mut local = threads.get();
            let cut = self.cells::<N>(p, &mut local);
            self.vertices::<N>(p, dt, increments, &local, out);
            cut
        };
        band.active().par_iter().map(advance).collect_into_vec(cut);
    }

    /// Returns the curvature term if it is explicit.
    fn explicit_curvature(&self) -> Option<&Curvature<R>> {
        self.problem.motion.curvature.as_ref().filter(|_| !self.problem.implicit)
    }

    /// Computes the contributions of the cells of patch `p` that take part in the step. Returns
    /// whether the interface cuts one of them.
    fn cells<const N: usize>(&self, p: usize, local: &mut LocalScratch<R>) -> bool {
        let Pass { problem, band, .. } = *self;
        let (patches, motion, options) = (&*problem.patches, &problem.motion, &problem.options);
        let patch = patches.patch(p);
        let x = problem.coordinates.of(patches, p);
        local.load(&patch, self.phi);
        let LocalScratch { phi, slots } = local;
        let velocity = motion.velocity.as_ref().filter(|_| problem.galerkin.is_none());
        let normal_speed = motion.normal_speed.as_ref();
        let curvature = self.explicit_curvature();
        let at_rest = velocity.is_none() && normal_speed.is_none() && curvature.is_none();
        let mut cut = false;
        for &t in band.cells_of(patches, p) {
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
            let own = first..first + N;
            let mut wind = velocity.map(|v| Vec3::from(v.mean::<N>(&patch, corners)));
            let mut eps = normal_speed.map(|v| v.mean::<N>(&patch, corners)[0]);
            if options.one_pass
                && let Some(a) = &mut wind
                && let Some(eps) = eps.take()
            {
                let norm = g.norm();
                if norm >= R::of(1e-30) {
                    *a += g * (eps / norm);
                }
            }
            if let Some(a) = wind {
                let shares = match options.advection {
                    Advection::Cone => formulas::cone(&simplex, &values, &a),
                    _ => formulas::advection(&simplex, &values, &a),
                };
                for (i, slot) in slots.advection[own.clone()].iter_mut().enumerate() {
                    *slot = [shares.num[i], shares.den[i]];
                }
            }
            match (eps, options.normal_motion) {
                (None, _) => {}
                (Some(eps), NormalMotion::PositiveCoefficient) => {
                    let shares = formulas::normal_speed(&simplex, &values, &g, eps);
                    for (i, slot) in slots.normal[own.clone()].iter_mut().enumerate() {
                        *slot = [shares.num[i], shares.den[i]];
                    }
                }
                (Some(eps), NormalMotion::HopfLax) => {
                    // If the inside shrinks, the outside grows, so the formula is applied to -phi.
                    let grows = eps >= R::zero();
                    let values = if grows { values } else { values.map(|v| -v) };
                    let slopes = formulas::hopf_lax(&x, &simplex, &values);
                    for (slot, slope) in slots.normal[own.clone()].iter_mut().zip(slopes) {
                        let rate = eps.abs() * slope;
                        *slot = if grows { [rate, R::zero()] } else { [R::zero(), rate] };
                    }
                }
            }
            if let Some(curvature) = curvature {
                let (mut residual, mass) = formulas::curvature(&simplex, &g, problem.least_slope);
                if curvature.weighted {
                    let [w] = curvature.coefficient.mean::<N>(&patch, corners);
                    residual = residual.map(|r| w * r);
                }
                for (slot, residual) in slots.curvature[own].iter_mut().zip(residual) {
                    *slot = [residual, mass];
                }
            }
        }
        cut
    }

    /// Gathers the contributions at every moving vertex and advances phi there (docs/level-set.md,
    /// equation (2)).
    fn vertices<const N: usize>(
        &self,
        p: usize,
        dt: R,
        increments: Option<&Increments<R>>,
        local: &LocalScratch<R>,
        out: &mut [R],
    ) {
        let Pass { problem, band, .. } = *self;
        let (motion, options) = (&problem.motion, &problem.options);
        let patch = problem.patches.patch(p);
        let has_slots = motion.velocity.is_some() && problem.galerkin.is_none();
        let curvature = self.explicit_curvature();
        for (k, out) in out.iter_mut().enumerate() {
            let vertex = patch.first + k;
            let old = local.phi[k];
            if !band.moving[vertex] {
                *out = old;
                continue;
            }
            let row = patch.row(k);
            let mut change = R::zero();
            if let Some(increments) = increments {
                change += increments.at(vertex);
            }
            if has_slots {
                change -= dt * ratio(sum(row, &local.slots.advection));
            }
            if motion.normal_speed.is_some() && !(has_slots && options.one_pass) {
                change -= dt * self.normal_rate(row, &local.slots.normal);
            }
            if options.clip {
                change = clipped::<R, N>(old, change, row, &patch, &local.phi);
            }
            if let Some(curvature) = curvature {
                let beta =
                    if curvature.weighted { R::one() } else { curvature.coefficient.at(vertex)[0] };
                change -= dt * beta * ratio(sum(row, &local.slots.curvature));
            }
            *out = old + change;
        }
    }

    /// Returns `eps |grad phi|` at a vertex.
    #[inline]
    fn normal_rate(&self, row: &[u32], slots: &[[R; 2]]) -> R {
        match self.problem.options.normal_motion {
            NormalMotion::PositiveCoefficient => ratio(sum(row, slots)),
            NormalMotion::HopfLax => {
                let [up, down] = row.iter().fold([R::zero(); 2], |[up, down], &slot| {
                    let [a, b] = slots[slot as usize];
                    [up.max(a), down.max(b)]
                });
                up - down
            }
        }
    }
}

/// Returns `change`, limited so that `old + change` stays within the range of phi in the cells
/// around the vertex (docs/level-set.md, section 2.6).
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
