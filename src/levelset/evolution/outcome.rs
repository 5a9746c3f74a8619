//! A look at what a step on the CPU made of phi.

use rayon::prelude::*;

use super::pass::Pass;
use crate::geometry::Real;

/// Growth of `|phi|` beyond its largest value as a distance that no stable step reaches: phi keeps
/// between its extremes (numerics 2.1 and 3.1), but for small overshoots.
const LARGEST_GROWTH: f64 = 4.0;

/// What a step did to a patch, or to all.
#[derive(Clone, Copy)]
pub(super) struct Outcome<R> {
    /// Largest change where `|phi|` was below half the half width.
    pub change_near: R,
    /// A vertex (patch order) where phi is not finite any more or has grown beyond all bounds.
    pub broken: Option<usize>,
}

impl<R: Real> Pass<'_, R> {
    /// Compares phi and `next`, which may be up to a few times `reach`. `outcomes` is memory.
    pub fn outcome(&self, next: &[R], reach: R, outcomes: &mut Vec<Outcome<R>>) -> Outcome<R> {
        let Pass { problem, band, phi, .. } = *self;
        let near = problem.half_width() * R::of(0.5);
        let most = R::of(LARGEST_GROWTH) * reach;
        let start = Outcome { change_near: R::zero(), broken: None };
        let of_patch = |&p: &u32| {
            problem.patches.patch(p as usize).owned().fold(start, |mut all, v| {
                let (old, new) = (phi[v], next[v]);
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
        let active = band.active();
        problem.cpu.run(|| active.par_iter().map(of_patch).collect_into_vec(outcomes));
        outcomes.iter().fold(start, |all, one| Outcome {
            change_near: all.change_near.max(one.change_near),
            broken: all.broken.or(one.broken),
        })
    }
}
