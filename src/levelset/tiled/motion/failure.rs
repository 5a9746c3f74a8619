//! Search for the voxel at which a step broke down.

use super::{Motion, Scratch, load, place_of};
use crate::error::Error;
use crate::expression::{Sampling, TimeSpan};
use crate::geometry::Real;
use crate::grid::Stored;
use crate::levelset::tiled::block::BlockTerms;
use crate::levelset::tiled::blocks::Blocks;
use crate::levelset::tiled::breakdown::{Breakdown, Cause, What};
use crate::levelset::tiled::coefficients::Place;
use crate::levelset::tiled::lanes::Wide;

/// A flawed coefficient: its name and value.
type Flaw = (&'static str, f64);

impl<R: Wide, S: Stored<R>, const E: usize> Motion<R, S, E> {
    /// Records a failure and returns the error, in units of voxels.
    fn broke_down(&mut self, found: Breakdown) -> Error {
        self.breakdown = Some(found);
        found.error([0.0; 3], 1.0)
    }

    /// Returns the error for the first voxel with a flawed coefficient. Checks several instants of
    /// a span and reports the earliest flaw. Returns `None` if each coefficient is valid and only
    /// their sum is too large.
    #[cold]
    pub(super) fn bad_coefficient<G: Blocks<R, S, E>>(
        &mut self,
        grid: &G,
        span: TimeSpan,
    ) -> Option<Error> {
        const INSTANTS: u32 = 64;
        let instants = if span.length() > 0.0 { INSTANTS } else { 0 };
        (0..=instants).find_map(|k| {
            self.bad_coefficient_at(grid, span.at(f64::from(k) / f64::from(INSTANTS)))
        })
    }

    /// Returns the error for the first voxel with a flawed coefficient at `time`, if there is one.
    /// Infinite and NaN coefficients count only at active voxels, but negative curvature
    /// coefficients count in the whole block.
    fn bad_coefficient_at<G: Blocks<R, S, E>>(&mut self, grid: &G, time: f64) -> Option<Error> {
        let (gamma, core) = (self.gamma(), self.core());
        let of_block = |place: &G::Place| {
            let values = self.phi.tile(G::id(place));
            if !values.iter().any(|v| v.is_active(core)) {
                return None;
            }
            let Scratch { coefficients, own, .. } = &mut *self.scratch.get();
            load(values, gamma, own);
            let block = place_of::<R, S, G, E>(place);
            let (terms, _) = self.coefficients.on_block(block, Sampling::At(time), coefficients);
            (0..E * E * E).find_map(|n| {
                let flaw = flaw_of::<R, E>(&terms, n);
                let flaw = flaw.filter(|(_, value)| own[n].abs() < core || value.is_finite());
                Some((voxel_of::<E>(block.first, n), flaw?))
            })
        };
        let (voxel, (name, value)) = grid.fold(of_block, Option::or).flatten()?;
        let cause = match (name, value < 0.0) {
            ("curvature", true) => Cause::NegativeCurvature,
            _ => Cause::Expression,
        };
        let what = What::Coefficient(name, value);
        let step = self.steps + 1;
        Some(self.broke_down(Breakdown { what, step, time, dt: 0.0, voxel, cause }))
    }

    /// Returns the error for the first of `count` voxels whose phi is NaN. phi is the result of the
    /// step.
    #[cold]
    pub(super) fn not_a_number<G: Blocks<R, S, E>>(
        &mut self,
        grid: &G,
        count: u64,
        dt: f64,
    ) -> Error {
        let of_block = |place: &G::Place| {
            let values = self.phi.tile(G::id(place));
            let n = values.iter().position(|v| v.load(self.gamma()).to_f64().is_nan())?;
            Some((place_of::<R, S, G, E>(place), n))
        };
        let found = grid.fold(of_block, Option::or).flatten();
        let (block, n) = found.unwrap_or((Place::EVERYWHERE, 0));
        let step = self.steps + 1;
        let mut found = Breakdown {
            what: What::Phi(count),
            step,
            time: self.time + dt,
            dt,
            voxel: voxel_of::<E>(block.first, n),
            cause: Cause::Unknown,
        };
        let mut fastest = 0.0f64;
        // A coefficient may be flawed at a voxel next to the band, or only within the step.
        for share in [0.0, 1.0, 0.5] {
            let time = self.time + share * dt;
            let Scratch { coefficients, result, .. } = &mut *self.scratch.get();
            let (terms, _) = self.coefficients.on_block(block, Sampling::At(time), coefficients);
            if let Some((name, value)) = flaw_of::<R, E>(&terms, n) {
                found.what = What::Coefficient(name, value);
                (found.time, found.cause) = (time, Cause::Expression);
                break;
            }
            self.coefficients.speed(&terms, grid.dimension(), None, result);
            fastest = fastest.max(result[n].to_f64());
        }
        if found.cause == Cause::Unknown && fastest * dt > 1.0 {
            found.cause = Cause::LongStep(fastest * dt);
        }
        self.broke_down(found)
    }

    /// Returns the error for a step that is too short to advance the time. The error names the
    /// fastest voxel of the band.
    #[cold]
    pub(super) fn no_progress<G: Blocks<R, S, E>>(&mut self, grid: &G, dt: f64) -> Error {
        let (gamma, core, time) = (self.gamma(), self.core(), self.time);
        let of_block = |place: &G::Place| {
            let Scratch { coefficients, result, own, .. } = &mut *self.scratch.get();
            load(self.phi.tile(G::id(place)), gamma, own);
            let block = place_of::<R, S, G, E>(place);
            let (terms, _) = self.coefficients.on_block(block, Sampling::At(time), coefficients);
            self.coefficients.speed(&terms, grid.dimension(), Some((own, core)), result);
            let faster = |best: usize, n: usize| if result[n] > result[best] { n } else { best };
            let n = (0..E * E * E).fold(0, faster);
            (voxel_of::<E>(block.first, n), result[n].to_f64())
        };
        let faster = |a: ([i32; 3], f64), b: ([i32; 3], f64)| if b.1 > a.1 { b } else { a };
        let (voxel, speed) = grid.fold(of_block, faster).unwrap_or_default();
        let (what, step, cause) = (What::NoProgress, self.steps + 1, Cause::Speed(speed));
        self.broke_down(Breakdown { what, step, time, dt, voxel, cause })
    }
}

/// Returns the name and value of a flawed coefficient at voxel `n` of a block, if there is one.
fn flaw_of<R: Real, const E: usize>(terms: &BlockTerms<'_, R>, n: usize) -> Option<Flaw> {
    let velocity = terms.velocity.iter().flat_map(|all| all.chunks_exact(E * E * E));
    let velocity = velocity.map(|component| ("velocity", component[n]));
    let speed = terms.normal_speed.map(|all| ("normal_speed", all[n]));
    let alpha = terms.curvature.map(|all| ("curvature", all[n]));
    let mut all = velocity.chain(speed).chain(alpha).map(|(name, value)| (name, value.to_f64()));
    let is_flawed =
        |name: &str, value: f64| !value.is_finite() || name == "curvature" && value < 0.0;
    all.find(|&(name, value)| is_flawed(name, value))
}

/// Returns the coordinates of voxel `n` of a block.
fn voxel_of<const E: usize>(first: [i32; 3], n: usize) -> [i32; 3] {
    let at = [n % E, n / E % E, n / (E * E)];
    std::array::from_fn(|k| first[k] + at[k] as i32)
}
