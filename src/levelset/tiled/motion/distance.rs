//! Reinitialization of phi on the blocks of a grid.

use std::time::Instant;

use super::{Motion, Scratch, load, store};
use crate::grid::{Halo, Pool, Stored, padded_edge};
use crate::levelset::tiled::block::{Block, BlockTerms, Phi0, Stage, Tally};
use crate::levelset::tiled::blocks::Blocks;
use crate::levelset::tiled::direct_reinitialization;
use crate::levelset::tiled::formulas::reinitialize::STEP;
use crate::levelset::tiled::lanes::Wide;
use crate::levelset::tiled::options::Reinitialize;

impl<R: Wide, S: Stored<R>, const E: usize> Motion<R, S, E> {
    /// Reinitializes phi by the method that the options select.
    pub(super) fn reinitialize<G: Blocks<R, S, E>>(&mut self, grid: &G) -> Tally {
        let start = Instant::now();
        let tally = match self.options.reinitialize {
            Reinitialize::Equation { iterations, .. } => self.relax(grid, iterations),
            _ => self.reinitialize_directly(grid),
        };
        self.seconds.reinitialize += start.elapsed().as_secs_f64();
        tally
    }

    /// Takes `iterations` steps of the reinitialization equation, at least one.
    pub fn relax<G: Blocks<R, S, E>>(&mut self, grid: &G, iterations: usize) -> Tally {
        let [mut new, mut old] = std::mem::take(&mut self.stages);
        let mut tally = self.relax_once(grid, &self.phi, None, &mut new);
        for _ in 1..iterations {
            std::mem::swap(&mut new, &mut old);
            tally = self.relax_once(grid, &old, Some(&self.phi), &mut new);
        }
        std::mem::swap(&mut self.phi, &mut new);
        self.stages = [new, old];
        tally
    }

    fn relax_once<G: Blocks<R, S, E>>(
        &self,
        grid: &G,
        from: &Pool<S, E>,
        phi0: Option<&Pool<S, E>>,
        out: &mut Pool<S, E>,
    ) -> Tally {
        let gamma = self.gamma();
        let stage = Stage { dt: R::of(STEP), mix: None, clamped: true };
        let work = |place: &G::Place, out: &mut [S]| {
            let Scratch { padded, result, own, .. } = &mut *self.scratch.get();
            let phi0 = match phi0 {
                Some(phi0) => {
                    load(phi0.tile(G::id(place)), gamma, own);
                    Phi0::Other(own)
                }
                None => Phi0::Itself,
            };
            let terms = BlockTerms { rescaling: Some((R::one(), phi0)), ..BlockTerms::NONE };
            let faces = Halo::Faces;
            let tally = self.advance(grid, from, place, faces, &terms, &stage, padded, result);
            store(result, gamma, out);
            tally
        };
        grid.fold_into(out, work, Tally::join).unwrap_or_default()
    }

    /// Recomputes distances: from phi next to the interface, and by the eikonal equation elsewhere.
    /// Each pass solves the equation at all other voxels at once. Passes are repeated until nothing
    /// changes, up to a limit that grows with gamma.
    pub fn reinitialize_directly<G: Blocks<R, S, E>>(&mut self, grid: &G) -> Tally {
        let gamma = self.gamma();
        let mut new = std::mem::take(&mut self.stages[0]);
        self.direct_pass(
            grid,
            &self.phi,
            &mut new,
            Halo::Full,
            direct_reinitialization::near::<R, E>,
        );
        std::mem::swap(&mut self.phi, &mut new);
        // A change travels one voxel per pass, and distances grow by at least a third of a voxel
        // from one voxel to the next.
        let most = 3 * self.options.gamma.min(1e4) as usize + 16;
        for _ in 0..most {
            let relax = direct_reinitialization::relax::<R, E>;
            let changed = self.direct_pass(grid, &self.phi, &mut new, Halo::Faces, relax);
            std::mem::swap(&mut self.phi, &mut new);
            if !changed {
                break;
            }
        }
        self.stages[0] = new;
        let count = |place: &G::Place| {
            let own = &mut self.scratch.get().own;
            load(self.phi.tile(G::id(place)), gamma, own);
            self.block(&[], grid.extent(place)).tally::<E>(own)
        };
        grid.fold(count, Tally::join).unwrap_or_default()
    }

    fn direct_pass<G: Blocks<R, S, E>>(
        &self,
        grid: &G,
        from: &Pool<S, E>,
        out: &mut Pool<S, E>,
        halo: Halo,
        work: impl Fn(&Block<'_, R>, &mut [R]) -> bool + Sync,
    ) -> bool {
        let gamma = self.gamma();
        let on_block = |place: &G::Place, out: &mut [S]| {
            let Scratch { padded, result, .. } = &mut *self.scratch.get();
            padded.resize(padded_edge(E, direct_reinitialization::REACH).pow(3), R::zero());
            result.resize(E * E * E, R::zero());
            grid.gather::<{ direct_reinitialization::REACH }>(from, place, gamma, halo, padded);
            let changed = work(&self.block(padded, grid.extent(place)), result);
            store(result, gamma, out);
            changed
        };
        grid.fold_into(out, on_block, |a, b| a | b).unwrap_or(false)
    }
}
