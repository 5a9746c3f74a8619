//! The evaluations of a time step.

use super::{Motion, Scratch, load, place_of, store};
use crate::expression::{Sampling, TimeSpan};
use crate::geometry::Real;
use crate::grid::{Halo, Pool, Stored, padded_edge};
use crate::levelset::tiled::block::{self, Block, BlockTerms, Stage, Tally};
use crate::levelset::tiled::blocks::Blocks;
use crate::levelset::tiled::lanes::Wide;
use crate::levelset::tiled::options::{Scheme, Time};

/// One evaluation: the times of its coefficients, and the weights of phi and of the new value. The
/// weights are `None` for (0, 1).
struct Evaluation {
    sampling: Sampling,
    dt: f64,
    mix: Option<(f64, f64)>,
    is_last: bool,
}

impl<R: Wide, S: Stored<R>, const E: usize> Motion<R, S, E> {
    /// Runs the evaluations of a step. Afterwards, phi is the result of the last evaluation, or of
    /// the first one that produced NaN, and `stages[0]` holds the previous phi. If `averages` is
    /// true, coefficients that change noticeably are replaced by their means.
    pub(super) fn stages<G: Blocks<R, S, E>>(
        &mut self,
        grid: &G,
        dt: f64,
        averages: bool,
    ) -> Tally {
        let [mut first, mut second] = std::mem::take(&mut self.stages);
        let t = self.time;
        let span = averages.then_some(TimeSpan { start: t, end: t + dt });
        let sampling = |t| span.map_or(Sampling::At(t), |span| Sampling::Mean(span, t));
        let euler = self.options.time == Time::Euler;
        let stage = Evaluation { sampling: sampling(t), dt, mix: None, is_last: euler };
        let mut tally = self.stage(grid, &self.phi, &mut first, &stage);
        if !euler && tally.not_a_number == 0 {
            let stage = Evaluation {
                sampling: sampling(t + dt),
                dt,
                mix: Some((0.75, 0.25)),
                is_last: false,
            };
            tally = self.stage(grid, &first, &mut second, &stage);
            if tally.not_a_number == 0 {
                let mix = Some((1.0 / 3.0, 2.0 / 3.0));
                let stage = Evaluation { sampling: sampling(t + 0.5 * dt), dt, mix, is_last: true };
                tally = self.stage(grid, &second, &mut first, &stage);
            } else {
                std::mem::swap(&mut first, &mut second);
            }
        }
        std::mem::swap(&mut self.phi, &mut first);
        self.stages = [first, second];
        tally
    }

    fn stage<G: Blocks<R, S, E>>(
        &self,
        grid: &G,
        from: &Pool<S, E>,
        out: &mut Pool<S, E>,
        stage: &Evaluation,
    ) -> Tally {
        let gamma = self.gamma();
        let halo = if self.coefficients.is_curved() { Halo::Full } else { Halo::Faces };
        let work = |place: &G::Place, out: &mut [S]| {
            let scratch = &mut *self.scratch.get();
            let Scratch { padded, coefficients, result, own } = scratch;
            let block = place_of::<R, S, G, E>(place);
            let (terms, _) = self.coefficients.on_block(block, stage.sampling, coefficients);
            let mix = stage.mix.map(|(old, new)| {
                load(self.phi.tile(G::id(place)), gamma, own);
                (&own[..], R::of(old), R::of(new))
            });
            let on_block = Stage { dt: R::of(stage.dt), mix, clamped: stage.is_last };
            let mut tally =
                self.advance(grid, from, place, halo, &terms, &on_block, padded, result);
            if stage.is_last {
                tally.change = change(self.phi.tile(G::id(place)), result, gamma);
            }
            store(result, gamma, out);
            tally
        };
        grid.fold_into(out, work, Tally::join).unwrap_or_default()
    }

    /// Runs one evaluation on one block.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn advance<G: Blocks<R, S, E>>(
        &self,
        grid: &G,
        from: &Pool<S, E>,
        place: &G::Place,
        halo: Halo,
        terms: &BlockTerms<'_, R>,
        stage: &Stage<'_, R>,
        padded: &mut Vec<R>,
        result: &mut Vec<R>,
    ) -> Tally {
        let (scheme, gamma) = (self.options.scheme, self.gamma());
        padded.resize(padded_edge(E, scheme.reach()).pow(3), R::zero());
        result.resize(E * E * E, R::zero());
        match scheme {
            Scheme::FirstOrder => grid.gather::<1>(from, place, gamma, halo, padded),
            Scheme::Weno5 => grid.gather::<3>(from, place, gamma, halo, padded),
        }
        let block = self.block(padded, grid.extent(place));
        block::advance::<R, E>(scheme, &block, terms, stage, result)
    }

    pub(super) fn block<'a>(&self, padded: &'a [R], extent: [usize; 3]) -> Block<'a, R> {
        Block { padded, extent, gamma: self.gamma(), core: self.core() }
    }
}

/// Returns the largest change in phi on a block, over the voxels that were in the half of the band
/// next to the interface.
fn change<R: Real, S: Stored<R>>(before: &[S], after: &[R], gamma: R) -> f64 {
    let near = gamma * R::of(0.5);
    let most = before.iter().zip(after).fold(R::zero(), |most, (old, new)| {
        let old = old.load(gamma);
        let change = if old.abs() < near { (*new - old).abs() } else { R::zero() };
        most.max(change)
    });
    most.to_f64()
}
