//! The time step of a level-set function on any grid of blocks.
//!
//! A step of TVD-RK3 (Shu & Osher 1988; docs/narrow-band.md, section 4) computes the following,
//! where L is the rate of change:
//!
//! ```text
//! p1 = p + dt L(p),   p2 = 3/4 p + 1/4 (p1 + dt L(p1)),   p' = 1/3 p + 2/3 (p2 + dt L(p2))
//! ```
//!
//! The coefficients are evaluated at t, t + dt and t + dt / 2. If one of them changes by more than
//! a hundredth of a voxel during the step, its mean over the step is used instead. An Euler step is
//! p' = p1. In both cases, p' is clamped to [-gamma, gamma]. The module [`block`](super::block)
//! defines which voxels move. Everything outside the blocks of the grid is gamma or -gamma
//! throughout. Each pass reads one array and writes another, so the results are bitwise identical
//! for any number of threads.
//!
//! ```text
//! stages     the evaluations of a step
//! distance   reinitialization
//! failure    the voxel at which a step broke down
//! ```

mod distance;
mod failure;
mod stages;

use std::sync::Arc;
use std::time::Instant;

use super::blocks::Blocks;
use super::breakdown::Breakdown;
use super::coefficients::{Coefficients, Place, Speed};
use super::lanes::Wide;
use super::options::{Options, Reinitialize};
use super::terms::Terms;
use crate::Cpu;
use crate::error::Result;
use crate::expression::{Accuracy, Sampling, TimeSpan};
use crate::geometry::Real;
use crate::grid::{Band, Pool, Stored};
use crate::levelset::evolution::{StepSearch, at_rest_forever, up_to};
use crate::primitives::PerThread;

/// The result of one step. Times are in the unit of the case.
#[derive(Clone, Copy, Debug)]
pub struct StepInfo {
    /// The number of steps so far.
    pub step: u64,
    /// The time reached.
    pub time: f64,
    /// The time step.
    pub dt: f64,
    /// The number of blocks computed.
    pub blocks: usize,
    /// The number of voxels well inside the band, |phi| < gamma - 1/16 voxels, at the end of the
    /// step.
    pub active_voxels: u64,
    /// The largest rate of change `|d phi / dt|` in the half of the band next to the interface,
    /// before reinitialization, in voxels per time.
    pub rate: f64,
    /// Whether any interface is left: the blocks contain both signs.
    pub has_interface: bool,
    /// Whether phi was reinitialized at the end of the step.
    pub reinitialized: bool,
}

/// The time spent so far on each kind of work, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Finding the blocks of a step.
    pub blocks: f64,
    /// Choosing the time step.
    pub speed: f64,
    /// Evaluating the terms.
    pub stages: f64,
    /// Reinitialization.
    pub reinitialize: f64,
}

/// Scratch arrays of one task.
#[derive(Default)]
struct Scratch<R> {
    padded: Vec<R>,
    coefficients: Vec<R>,
    result: Vec<R>,
    own: Vec<R>,
}

/// A moving level-set function. The grid is passed to each call.
pub struct Motion<R: Wide, S: Stored<R>, const E: usize> {
    /// phi at the time reached.
    pub phi: Pool<S, E>,
    /// The stages of a step. The second one is allocated only if it is needed.
    pub stages: [Pool<S, E>; 2],
    /// The numerical options.
    pub options: Options,
    /// The time spent so far on each kind of work, in seconds.
    pub seconds: Seconds,
    /// The time reached.
    pub time: f64,
    /// The number of steps so far.
    pub steps: u64,
    /// The location and cause of the failure, if a step broke down.
    pub breakdown: Option<Breakdown>,
    cpu: Arc<Cpu>,
    coefficients: Coefficients<R>,
    scratch: PerThread<Scratch<R>>,
}

/// A voxel and its neighbors move if its |phi| is below gamma by more than this.
pub(super) const MARGIN: f64 = 1.0 / 16.0;

zeroset_gpu::cuda_header! {
    "tile_steps";

    /// The number of steps between removals of tiles that are not needed.
    const TIDY_EVERY: usize = 64;
}

impl<R: Wide, S: Stored<R>, const E: usize> Motion<R, S, E> {
    /// Creates a motion that starts from `phi`, which holds the values of the blocks of a grid.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) if an option is out of range.
    pub fn new(phi: Pool<S, E>, terms: &Terms<R>, options: Options, cpu: Arc<Cpu>) -> Result<Self> {
        options.check()?;
        Ok(Motion {
            phi,
            stages: Default::default(),
            options,
            seconds: Seconds::default(),
            time: options.start_time,
            steps: 0,
            breakdown: None,
            cpu,
            coefficients: Coefficients::new(terms, &options, E * E * E),
            scratch: PerThread::default(),
        })
    }

    /// Returns the half width of the band.
    pub fn gamma(&self) -> R {
        R::of(self.options.gamma)
    }

    /// Returns the limit on |phi| below which a voxel and its neighbors move.
    pub fn core(&self) -> R {
        R::of(self.options.gamma - MARGIN)
    }

    /// Returns the band for which blocks are computed.
    pub fn band(&self) -> Band<R> {
        Band { gamma: self.core(), reach: self.options.reach() }
    }

    /// Returns whether blocks that are not needed are to be removed before the next step.
    pub fn is_tidy_due(&self) -> bool {
        self.steps.is_multiple_of(TIDY_EVERY as u64)
    }

    /// Makes room for `tiles` ids in every array that the options require.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory. phi is then
    /// unchanged.
    pub fn grow(&mut self, tiles: usize) -> Result<()> {
        self.phi.grow(tiles)?;
        self.coefficients.grow(tiles)?;
        self.stages[0].grow(tiles)?;
        if self.needs_second_stage() {
            self.stages[1].grow(tiles)?;
        }
        Ok(())
    }

    /// Evaluates the stored coefficients on all blocks of a grid.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn evaluate_all<G: Blocks<R, S, E>>(&mut self, grid: &G) -> Result<()> {
        if !self.coefficients.is_kept() {
            return Ok(());
        }
        let of_block = |place: &G::Place| vec![(G::id(place), G::first_voxel(place))];
        let join = |mut a: Vec<_>, b: Vec<_>| {
            a.extend(b);
            a
        };
        let blocks = grid.fold(of_block, join).unwrap_or_default();
        let room = blocks.iter().map(|block| block.0 as usize + 1).max().unwrap_or(0);
        self.coefficients.grow(room)?;
        self.coefficients.evaluate(&blocks);
        Ok(())
    }

    /// Evaluates the stored coefficients on new blocks, given by id and first voxel. No id may
    /// occur twice.
    pub fn evaluate(&mut self, blocks: impl Iterator<Item = (u32, [i32; 3])>) {
        if self.coefficients.is_kept() {
            self.coefficients.evaluate(&blocks.collect::<Vec<_>>());
        }
    }

    /// Returns the number of bytes of the stored coefficients.
    pub fn coefficient_bytes(&self) -> u64 {
        self.coefficients.bytes()
    }

    fn needs_second_stage(&self) -> bool {
        self.options.arrays() > 2
    }

    /// Takes a step of at most `max_dt`. All arrays must have room for the blocks of the grid.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`](crate::Error::Numerical) if a coefficient is not finite or the
    /// curvature coefficient is negative, if phi is NaN after the step, or if the step is infinite
    /// or too short to change the time. phi is then still the result of the previous step.
    pub fn step<G: Blocks<R, S, E>>(&mut self, grid: &G, max_dt: f64) -> Result<StepInfo> {
        let cpu = self.cpu.clone();
        cpu.run(|| self.step_here(grid, max_dt))
    }

    fn step_here<G: Blocks<R, S, E>>(&mut self, grid: &G, max_dt: f64) -> Result<StepInfo> {
        let start = Instant::now();
        let (dt, averages) = self.choose_step(grid, max_dt)?;
        if !dt.is_finite() {
            return Err(at_rest_forever(self.steps + 1));
        }
        if self.time + dt == self.time && dt < max_dt {
            return Err(self.no_progress(grid, dt));
        }
        let found = Instant::now();
        self.seconds.speed += (found - start).as_secs_f64();
        let mut tally = self.stages(grid, dt, averages);
        self.seconds.stages += found.elapsed().as_secs_f64();
        if tally.not_a_number > 0 {
            let error = self.not_a_number(grid, tally.not_a_number, dt);
            // Restore phi to its state before the step.
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

    /// Returns the next time step, and whether a coefficient changes so much during it that its
    /// mean is needed.
    fn choose_step<G: Blocks<R, S, E>>(&mut self, grid: &G, max_dt: f64) -> Result<(f64, bool)> {
        let (nu, time) = (self.options.nu, self.time);
        let limit = |speed: &Speed| if speed.most > 0.0 { nu / speed.most } else { f64::INFINITY };
        // No step can be longer than the one that the coefficients at its start allow.
        let speed = self.checked_speed(grid, Sampling::At(time))?;
        let dt = up_to(limit(&speed), max_dt);
        if !self.coefficients.uses_time() {
            return Ok((dt, false));
        }
        let longest = dt.min(up_to(self.options.max_step, max_dt));
        if !longest.is_finite() {
            return Ok((longest, false));
        }
        let mut search = StepSearch::new(longest);
        loop {
            let span = TimeSpan { start: time, end: time + search.trial() };
            let speed = self.checked_speed(grid, Sampling::Bound(span))?;
            if let Some(dt) = search.learn(limit(&speed)) {
                // The last span examined contains the step.
                return Ok((dt, speed.change > Accuracy::SLACK));
            }
        }
    }

    /// Returns the largest speed in the band, or an error if the coefficients are flawed.
    fn checked_speed<G: Blocks<R, S, E>>(&mut self, grid: &G, sampling: Sampling) -> Result<Speed> {
        let speed = self.speed(grid, sampling);
        let Err(error) = speed.checked(self.time) else { return Ok(speed) };
        let span = match sampling {
            Sampling::At(t) => TimeSpan { start: t, end: t },
            Sampling::Bound(span) | Sampling::Mean(span, _) => span,
        };
        Err(self.bad_coefficient(grid, span).unwrap_or(error))
    }

    fn speed<G: Blocks<R, S, E>>(&self, grid: &G, sampling: Sampling) -> Speed {
        let d = grid.dimension();
        if !self.coefficients.varies() {
            let Scratch { coefficients, result, .. } = &mut *self.scratch.get();
            let (terms, _) = self.coefficients.on_block(Place::EVERYWHERE, sampling, coefficients);
            let uniform = self.coefficients.speed(&terms, d, None, result);
            if !self.coefficients.is_kept() {
                return uniform;
            }
            let of_block = |place: &G::Place| self.coefficients.steady_speed(G::id(place), d);
            return grid.fold(of_block, Speed::join).unwrap_or_default().plus(uniform);
        }
        let (gamma, core) = (self.gamma(), self.core());
        let of_block = |place: &G::Place| {
            let values = self.phi.tile(G::id(place));
            if !values.iter().any(|v| v.is_active(core)) {
                return Speed::default();
            }
            let Scratch { coefficients, result, own, .. } = &mut *self.scratch.get();
            load(values, gamma, own);
            let block = place_of::<R, S, G, E>(place);
            let (terms, change) = self.coefficients.on_block(block, sampling, coefficients);
            let speed = self.coefficients.speed(&terms, d, Some((own, core)), result);
            speed.with_change(change)
        };
        grid.fold(of_block, Speed::join).unwrap_or_default()
    }
}

/// Returns the first voxel and the id of a block, in the form that coefficients need.
fn place_of<R: Real, S: Stored<R>, G: Blocks<R, S, E>, const E: usize>(place: &G::Place) -> Place {
    Place { first: G::first_voxel(place), id: Some(G::id(place)) }
}

/// Converts values from their storage format.
fn load<R: Real, S: Stored<R>>(values: &[S], gamma: R, out: &mut Vec<R>) {
    out.clear();
    out.extend(values.iter().map(|v| v.load(gamma)));
}

/// Converts values to their storage format.
fn store<R: Real, S: Stored<R>>(values: &[R], gamma: R, out: &mut [S]) {
    for (out, value) in out.iter_mut().zip(values) {
        *out = S::store(*value, gamma);
    }
}
