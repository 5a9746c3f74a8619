//! Checks the result of a step on the CPU.

use super::cell_passes::Pass;
use crate::geometry::Real;
use crate::parallel::*;

/// The largest accepted `|phi|` after a step, relative to its maximum at the last reinitialization.
/// No stable step reaches it, because a stable step keeps phi between its extremes except for small
/// overshoots (docs/level-set.md, sections 2.4 and 3.1).
const LARGEST_GROWTH: f64 = 4.0;

/// The effect of a step on a patch, or on all patches.
#[derive(Clone, Copy)]
pub(super) struct Outcome<R> {
    /// The largest change in phi where `|phi|` was below half of the half width before the step.
    pub change_near: R,
    /// A vertex (patch order) where phi is not finite or has grown too large.
    pub broken: Option<usize>,
}

impl<R: Real> Pass<'_, R> {
    /// Compares phi with `next`. Absolute values in `next` may be up to `LARGEST_GROWTH` times
    /// `reach`. `outcomes` is scratch memory.
    pub fn outcome(&self, next: &[R], reach: R, outcomes: &mut Vec<Outcome<R>>) -> Outcome<R> {
        let Pass { problem, band, phi, .. } = *self;
        let half_width = problem.options.half_width.map_or(R::INFINITY, R::of);
        let near = half_width * R::of(0.5);
        let most = R::of(LARGEST_GROWTH) * reach;
        let start = Outcome { change_near: R::zero(), broken: None };
        let of_patch = |&p: &u32| {
            problem.patches.patch(p as usize).owned().fold(start, |mut all, v| {
                let (old, new) = (phi[v], next[v]);
                // This form of the condition also rejects NaN.
                if !(new.abs() <= most && new.is_finite()) {
                    all.broken = all.broken.or(Some(v));
                }
                if old.abs() < near {
                    all.change_near = all.change_near.max((new - old).abs());
                }
                all
            })
        };
        let active = band.active();
        problem.cpu.run(|| active.par_iter().map(of_patch).collect_into_vec(outcomes));
        outcomes.iter().fold(start, |all, one| Outcome {
            change_near: all.change_near.max(one.change_near),
            broken: all.broken.or(one.broken),
        })
    }
}
