//! The time step, on any grid of blocks.
//!
//! A step of TVD-RK3 (Shu & Osher 1988; numerics 4) with L the rate of change:
//!
//! ```text
//! p1 = p + dt L(p),   p2 = 3/4 p + 1/4 (p1 + dt L(p1)),   p' = 1/3 p + 2/3 (p2 + dt L(p2))
//! ```
//!
//! with coefficients at t, t + dt and t + dt / 2; an Euler step is p' = p1. p' is clamped to
//! [-gamma, gamma]. Which voxels move is said in [`block`]. All that lies outside the blocks of the grid is at gamma or -gamma throughout.
//! Each pass reads one array and writes another: the bits do not depend on threads.

use std::sync::Arc;
use std::time::Instant;

use super::block::{self, Block, BlockTerms, Phi0, Stage, Tally};
use super::coefficients::{Coefficients, Speed};
use super::formulas::reinitialize::STEP;
use super::lanes::Wide;
use super::options::{Options, Reinitialize, Scheme, Time};
use super::redistance;
use super::terms::Terms;
use crate::backend::Cpu;
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::grid::{Band, Halo, Pool, Stored, padded_edge};
use crate::primitives::PerThread;

/// A grid of blocks of E^3 voxels, each with an id that says where its values are in a [`Pool`].
pub(super) trait Blocks<R: Real, S: Stored<R>, const E: usize>: Sync {
    /// A block of a pass.
    type Place;

    /// Calls `work` for each block with its values in `out` and combines the results, in an order
    /// that does not depend on threads. `None` without blocks.
    fn fold_into<T: Send>(
        &self,
        out: &mut Pool<S, E>,
        work: impl Fn(&Self::Place, &mut [S]) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T>;

    /// The same without values to write.
    fn fold<T: Send>(
        &self,
        work: impl Fn(&Self::Place) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T>;

    /// Copies a block and `REACH` voxels round it to `out`, `(E + 2 REACH)^3` values.
    fn gather<const REACH: usize>(
        &self,
        phi: &Pool<S, E>,
        place: &Self::Place,
        gamma: R,
        halo: Halo,
        out: &mut [R],
    );

    /// Where its values are.
    fn id(place: &Self::Place) -> u32;

    /// Coordinates of its first voxel.
    fn first_voxel(place: &Self::Place) -> [i32; 3];

    /// Voxels along each axis that are part of the grid.
    fn extent(&self, place: &Self::Place) -> [usize; 3];

    /// Axes along which anything changes.
    fn dimension(&self) -> usize;

    /// Number of blocks.
    fn n_blocks(&self) -> usize;
}

/// What one step did.
#[derive(Clone, Copy, Debug)]
pub struct StepInfo {
    /// Steps so far.
    pub step: u64,
    /// Time reached.
    pub time: f64,
    /// Length of this step.
    pub dt: f64,
    /// Blocks computed.
    pub blocks: usize,
    /// Voxels well inside the band, |phi| < gamma - 1/16, at the end of the step.
    pub active_voxels: u64,
    /// Largest change of phi per time in the half of the band next to the interface, before it was
    /// made a distance; voxels.
    pub rate: f64,
    /// Whether any interface is left: blocks hold both signs.
    pub has_interface: bool,
    /// Whether phi was made a distance again at the end of the step.
    pub reinitialized: bool,
}

/// Seconds spent so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Finding the blocks of a step.
    pub blocks: f64,
    /// Length of the step: coefficients that vary.
    pub speed: f64,
    /// Evaluations of the terms.
    pub stages: f64,
    /// Reinitialization.
    pub reinitialize: f64,
}

/// Values of one task.
#[derive(Default)]
struct Scratch<R> {
    padded: Vec<R>,
    coefficients: Vec<R>,
    result: Vec<R>,
    own: Vec<R>,
}

/// A level-set function in motion; the grid comes with each call.
pub(super) struct Motion<R: Wide, S: Stored<R>, const E: usize> {
    /// phi at the time reached.
    pub phi: Pool<S, E>,
    /// Stages of a step; the second only where it is needed.
    pub stages: [Pool<S, E>; 2],
    pub options: Options,
    pub seconds: Seconds,
    pub time: f64,
    pub steps: u64,
    cpu: Arc<Cpu>,
    coefficients: Coefficients<R>,
    scratch: PerThread<Scratch<R>>,
}

/// Below gamma by this much, phi makes a voxel and its neighbors move.
pub(super) const MARGIN: f64 = 1.0 / 16.0;

/// By how much the speed at the end of a step may exceed the one it was bounded by.
const GROWTH: f64 = 1.25;

/// One evaluation, at a time and with shares of phi and of the step; `None` for (0, 1).
struct Evaluation {
    time: f64,
    dt: f64,
    mix: Option<(f64, f64)>,
    is_last: bool,
}

impl<R: Wide, S: Stored<R>, const E: usize> Motion<R, S, E> {
    /// # Errors
    /// [`Error::Case`] for options out of range.
    pub fn new(phi: Pool<S, E>, terms: &Terms<R>, options: Options, cpu: Arc<Cpu>) -> Result<Self> {
        options.check()?;
        Ok(Motion {
            phi,
            stages: Default::default(),
            options,
            seconds: Seconds::default(),
            time: 0.0,
            steps: 0,
            cpu,
            coefficients: Coefficients::new(terms, &options, E * E * E),
            scratch: PerThread::default(),
        })
    }

    /// Half width of the band.
    pub fn gamma(&self) -> R {
        R::narrow(self.options.gamma)
    }

    /// What makes a voxel and its neighbors move.
    pub fn core(&self) -> R {
        R::narrow(self.options.gamma - MARGIN)
    }

    /// The band that blocks are computed for.
    pub fn band(&self) -> Band<R> {
        Band { gamma: self.core(), reach: self.options.reach() }
    }

    /// Makes room for `tiles` ids in every array.
    ///
    /// # Errors
    /// [`Error::Device`] if there is not enough memory; phi is as it was.
    pub fn grow(&mut self, tiles: usize) -> Result<()> {
        self.phi.grow(tiles)?;
        self.stages[0].grow(tiles)?;
        if self.needs_second_stage() {
            self.stages[1].grow(tiles)?;
        }
        Ok(())
    }

    fn needs_second_stage(&self) -> bool {
        let repeated = matches!(
            self.options.reinitialize,
            Reinitialize::Equation { iterations, .. } if iterations > 1
        );
        self.options.time == Time::Rk3 || repeated
    }

    /// A step of at most `max_dt`, all arrays having room for the blocks of the grid.
    ///
    /// # Errors
    /// [`Error::Numerical`] for coefficients that are no numbers or of the wrong sign, and if phi is
    /// not a number after the step.
    pub fn step<G: Blocks<R, S, E>>(&mut self, grid: &G, max_dt: f64) -> Result<StepInfo> {
        let cpu = self.cpu.clone();
        cpu.run(|| self.step_here(grid, max_dt))
    }

    fn step_here<G: Blocks<R, S, E>>(&mut self, grid: &G, max_dt: f64) -> Result<StepInfo> {
        let start = Instant::now();
        let dt = self.length(grid, max_dt)?;
        let found = Instant::now();
        self.seconds.speed += (found - start).as_secs_f64();
        let mut tally = self.stages(grid, dt);
        self.seconds.stages += found.elapsed().as_secs_f64();
        if tally.not_a_number > 0 {
            let error = self.broken(grid, tally.not_a_number, dt);
            // phi before the step is still there.
            std::mem::swap(&mut self.phi, &mut self.stages[0]);
            return Err(error);
        }
        let rate = if dt > 0.0 { tally.change / dt } else { 0.0 };
        self.time += dt;
        self.steps += 1;
        let due = match self.options.reinitialize {
            Reinitialize::Never | Reinitialize::Rescaling { .. } => false,
            Reinitialize::Equation { every, .. } | Reinitialize::Direct { every } => {
                self.steps.is_multiple_of(every)
            }
        };
        if due {
            tally = self.reinitialize(grid);
        }
        Ok(StepInfo {
            step: self.steps,
            time: self.time,
            dt,
            blocks: grid.n_blocks(),
            active_voxels: tally.active,
            rate,
            has_interface: tally.inside > 0 && tally.inside < tally.voxels,
            reinitialized: due,
        })
    }

    /// Why a step failed: the first voxel that is no number after it.
    fn broken<G: Blocks<R, S, E>>(&self, grid: &G, count: u64, dt: f64) -> Error {
        let of_block = |place: &G::Place| {
            let values = self.phi.tile(G::id(place));
            let n = values.iter().position(|v| v.load(self.gamma()).widen().is_nan())?;
            let voxel = [n % E, n / E % E, n / (E * E)];
            let first = G::first_voxel(place);
            Some([0, 1, 2].map(|k| i64::from(first[k]) + voxel[k] as i64))
        };
        let [x, y, z] = grid.fold(of_block, Option::or).flatten().unwrap_or_default();
        Error::Numerical {
            what: format!(
                "phi is no number at voxel ({x}, {y}, {z}), one of {count}, in step {} (time {:.6e}, \
                 dt {dt:.3e})",
                self.steps + 1,
                self.time + dt
            ),
            remedy: "lower evolve.cfl, or check the coefficients there".into(),
        }
    }

    /// Length of the step, by the speed at its start. A speed that grows must not exceed the bound by
    /// much at its end either: one that passes through zero says nothing about the time after.
    fn length<G: Blocks<R, S, E>>(&self, grid: &G, max_dt: f64) -> Result<f64> {
        let nu = self.options.nu;
        let bound = |speed: f64| if speed > 0.0 { (nu / speed).min(max_dt) } else { max_dt };
        let mut speed = self.speed(grid, self.time)?;
        let mut dt = bound(speed);
        while self.coefficients.varies() {
            let later = self.speed(grid, self.time + dt)?;
            if later * dt <= GROWTH * nu {
                break;
            }
            speed = speed.max(later);
            dt = bound(speed);
        }
        Ok(dt)
    }

    /// Largest speed in the band at a time.
    fn speed<G: Blocks<R, S, E>>(&self, grid: &G, time: f64) -> Result<f64> {
        let d = grid.dimension();
        if !self.coefficients.varies() {
            let Scratch { coefficients, result, .. } = &mut *self.scratch.get();
            let terms = self.coefficients.on_block([0; 3], time, coefficients);
            return self.coefficients.speed(&terms, d, None, result).checked(time);
        }
        let (gamma, core) = (self.gamma(), self.core());
        let speed = grid.fold(
            |place| {
                let values = self.phi.tile(G::id(place));
                if !values.iter().any(|v| v.is_active(core)) {
                    return Speed::default();
                }
                let Scratch { coefficients, result, own, .. } = &mut *self.scratch.get();
                load(values, gamma, own);
                let terms = self.coefficients.on_block(G::first_voxel(place), time, coefficients);
                self.coefficients.speed(&terms, d, Some((own, core)), result)
            },
            Speed::join,
        );
        speed.unwrap_or_default().checked(time)
    }

    /// The evaluations of a step. phi then is that of the last one, or of the first one with values
    /// that are no numbers, and the first of the stages holds phi from before.
    fn stages<G: Blocks<R, S, E>>(&mut self, grid: &G, dt: f64) -> Tally {
        let [mut first, mut second] = std::mem::take(&mut self.stages);
        let t = self.time;
        let euler = self.options.time == Time::Euler;
        let stage = Evaluation { time: t, dt, mix: None, is_last: euler };
        let mut tally = self.stage(grid, &self.phi, &mut first, &stage);
        if !euler && tally.not_a_number == 0 {
            let stage = Evaluation { time: t + dt, dt, mix: Some((0.75, 0.25)), is_last: false };
            tally = self.stage(grid, &first, &mut second, &stage);
            if tally.not_a_number == 0 {
                let mix = Some((1.0 / 3.0, 2.0 / 3.0));
                let stage = Evaluation { time: t + 0.5 * dt, dt, mix, is_last: true };
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
            let terms = self.coefficients.on_block(G::first_voxel(place), stage.time, coefficients);
            let mix = stage.mix.map(|(old, new)| {
                load(self.phi.tile(G::id(place)), gamma, own);
                (&own[..], R::narrow(old), R::narrow(new))
            });
            let on_block = Stage { dt: R::narrow(stage.dt), mix, clamped: stage.is_last };
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

    /// One evaluation on one block.
    #[allow(clippy::too_many_arguments)]
    fn advance<G: Blocks<R, S, E>>(
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

    fn block<'a>(&self, padded: &'a [R], extent: [usize; 3]) -> Block<'a, R> {
        Block { padded, extent, gamma: self.gamma(), core: self.core() }
    }

    /// Makes phi a distance, as the options say.
    fn reinitialize<G: Blocks<R, S, E>>(&mut self, grid: &G) -> Tally {
        let start = Instant::now();
        let tally = match self.options.reinitialize {
            Reinitialize::Equation { iterations, .. } => self.relax(grid, iterations),
            _ => self.redistance(grid),
        };
        self.seconds.reinitialize += start.elapsed().as_secs_f64();
        tally
    }

    /// Steps of the reinitialization equation.
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
        let stage = Stage { dt: R::narrow(STEP), mix: None, clamped: true };
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

    /// Distances found anew: next to the interface, then by the eikonal equation, all voxels at
    /// once and again until nothing changes.
    pub fn redistance<G: Blocks<R, S, E>>(&mut self, grid: &G) -> Tally {
        let gamma = self.gamma();
        let mut new = std::mem::take(&mut self.stages[0]);
        self.redistance_pass(grid, &self.phi, &mut new, Halo::Full, redistance::near::<R, E>);
        std::mem::swap(&mut self.phi, &mut new);
        // A change travels a voxel per pass, and distances grow by a third of one at least.
        let most = 3 * self.options.gamma.min(1e4) as usize + 16;
        for _ in 0..most {
            let relax = redistance::relax::<R, E>;
            let changed = self.redistance_pass(grid, &self.phi, &mut new, Halo::Faces, relax);
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

    fn redistance_pass<G: Blocks<R, S, E>>(
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
            padded.resize(padded_edge(E, redistance::REACH).pow(3), R::zero());
            result.resize(E * E * E, R::zero());
            grid.gather::<{ redistance::REACH }>(from, place, gamma, halo, padded);
            let changed = work(&self.block(padded, grid.extent(place)), result);
            store(result, gamma, out);
            changed
        };
        grid.fold_into(out, on_block, |a, b| a | b).unwrap_or(false)
    }
}

/// Values as they are computed with.
fn load<R: Real, S: Stored<R>>(values: &[S], gamma: R, out: &mut Vec<R>) {
    out.clear();
    out.extend(values.iter().map(|v| v.load(gamma)));
}

/// Values as they are kept.
fn store<R: Real, S: Stored<R>>(values: &[R], gamma: R, out: &mut [S]) {
    for (out, value) in out.iter_mut().zip(values) {
        *out = S::store(*value, gamma);
    }
}

/// Largest change of a block, where phi was next to the interface.
fn change<R: Real, S: Stored<R>>(before: &[S], after: &[R], gamma: R) -> f64 {
    let near = gamma * R::narrow(0.5);
    let most = before.iter().zip(after).fold(R::zero(), |most, (old, new)| {
        let old = old.load(gamma);
        let change = if old.abs() < near { (*new - old).abs() } else { R::zero() };
        most.max(change)
    });
    most.widen()
}
