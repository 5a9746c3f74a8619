//! The time step, on any grid of blocks.
//!
//! A step of TVD-RK3 (Shu & Osher 1988; numerics 4) with L the rate of change:
//!
//! ```text
//! p1 = p + dt L(p),   p2 = 3/4 p + 1/4 (p1 + dt L(p1)),   p' = 1/3 p + 2/3 (p2 + dt L(p2))
//! ```
//!
//! with coefficients at t, t + dt and t + dt / 2; an Euler step is p' = p1. p' is clamped to
//! [-gamma, gamma]. Which voxels move is said in [`block`](super::block). All that lies outside the blocks of the grid
//! is at gamma or -gamma throughout.
//! Each pass reads one array and writes another: the bits do not depend on threads.
//!
//! ```text
//! stages     the evaluations of a step
//! distance   phi made a distance again
//! failure    the voxel where a step broke down
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
use crate::geometry::Real;
use crate::grid::{Band, Pool, Stored};
use crate::levelset::evolution::{at_rest_forever, up_to};
use crate::primitives::PerThread;

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
pub struct Motion<R: Wide, S: Stored<R>, const E: usize> {
    /// phi at the time reached.
    pub phi: Pool<S, E>,
    /// Stages of a step; the second only where it is needed.
    pub stages: [Pool<S, E>; 2],
    /// The schemes.
    pub options: Options,
    /// Seconds spent so far.
    pub seconds: Seconds,
    /// Time reached.
    pub time: f64,
    /// Steps so far.
    pub steps: u64,
    /// Where the last step broke down, if it did.
    pub breakdown: Option<Breakdown>,
    cpu: Arc<Cpu>,
    coefficients: Coefficients<R>,
    scratch: PerThread<Scratch<R>>,
}

/// Below gamma by this much, phi makes a voxel and its neighbors move.
pub(super) const MARGIN: f64 = 1.0 / 16.0;

zeroset_gpu::cuda_header! {
    "tile_steps";

    /// Steps after which tiles that are not needed go.
    const TIDY_EVERY: usize = 64;
    /// By how much the speed at the end of a step may exceed the one it was bounded by.
    const GROWTH: f64 = 1.25;
}

impl<R: Wide, S: Stored<R>, const E: usize> Motion<R, S, E> {
    /// Starts from `phi`, which has values of the blocks of a grid.
    ///
    /// # Errors
    /// [`Error::Case`](crate::Error::Case) for options out of range.
    pub fn new(phi: Pool<S, E>, terms: &Terms<R>, options: Options, cpu: Arc<Cpu>) -> Result<Self> {
        options.check()?;
        Ok(Motion {
            phi,
            stages: Default::default(),
            options,
            seconds: Seconds::default(),
            time: 0.0,
            steps: 0,
            breakdown: None,
            cpu,
            coefficients: Coefficients::new(terms, &options, E * E * E),
            scratch: PerThread::default(),
        })
    }

    /// Half width of the band.
    pub fn gamma(&self) -> R {
        R::of(self.options.gamma)
    }

    /// What makes a voxel and its neighbors move.
    pub fn core(&self) -> R {
        R::of(self.options.gamma - MARGIN)
    }

    /// The band that blocks are computed for.
    pub fn band(&self) -> Band<R> {
        Band { gamma: self.core(), reach: self.options.reach() }
    }

    /// Whether blocks that are not needed go before the next step.
    pub fn is_tidy_due(&self) -> bool {
        self.steps.is_multiple_of(TIDY_EVERY as u64)
    }

    /// Makes room for `tiles` ids in every array.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory; phi is as it was.
    pub fn grow(&mut self, tiles: usize) -> Result<()> {
        self.phi.grow(tiles)?;
        self.coefficients.grow(tiles)?;
        self.stages[0].grow(tiles)?;
        if self.needs_second_stage() {
            self.stages[1].grow(tiles)?;
        }
        Ok(())
    }

    /// Evaluates coefficients that are kept on all blocks of a grid.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory.
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

    /// Evaluates coefficients that are kept on blocks that came: ids, each once, and first voxels.
    pub fn evaluate(&mut self, blocks: impl Iterator<Item = (u32, [i32; 3])>) {
        if self.coefficients.is_kept() {
            self.coefficients.evaluate(&blocks.collect::<Vec<_>>());
        }
    }

    /// Bytes of coefficients that are kept.
    pub fn coefficient_bytes(&self) -> u64 {
        self.coefficients.bytes()
    }

    fn needs_second_stage(&self) -> bool {
        self.options.arrays() > 2
    }

    /// A step of at most `max_dt`, all arrays having room for the blocks of the grid.
    ///
    /// # Errors
    /// [`Error::Numerical`](crate::Error::Numerical) for coefficients that are no numbers or of the
    /// wrong sign, if phi is not a number after the step, and for a step that is infinite or too
    /// short to change the time; phi then is that of the step before.
    pub fn step<G: Blocks<R, S, E>>(&mut self, grid: &G, max_dt: f64) -> Result<StepInfo> {
        let cpu = self.cpu.clone();
        cpu.run(|| self.step_here(grid, max_dt))
    }

    fn step_here<G: Blocks<R, S, E>>(&mut self, grid: &G, max_dt: f64) -> Result<StepInfo> {
        let start = Instant::now();
        let dt = self.length(grid, max_dt)?;
        if !dt.is_finite() {
            return Err(at_rest_forever(self.steps + 1));
        }
        if self.time + dt == self.time && dt < max_dt {
            return Err(self.no_progress(grid, dt));
        }
        let found = Instant::now();
        self.seconds.speed += (found - start).as_secs_f64();
        let mut tally = self.stages(grid, dt);
        self.seconds.stages += found.elapsed().as_secs_f64();
        if tally.not_a_number > 0 {
            let error = self.not_a_number(grid, tally.not_a_number, dt);
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

    /// Length of the step, by the speed at its start. A speed that grows must not exceed the bound by
    /// much at its end either: one that passes through zero says nothing about the time after.
    fn length<G: Blocks<R, S, E>>(&mut self, grid: &G, max_dt: f64) -> Result<f64> {
        let nu = self.options.nu;
        let bound = |speed: f64| if speed > 0.0 { up_to(nu / speed, max_dt) } else { max_dt };
        let mut speed = self.checked_speed(grid, self.time)?;
        let mut dt = bound(speed);
        while self.coefficients.varies() {
            let later = self.checked_speed(grid, self.time + dt)?;
            if later * dt <= GROWTH * nu {
                break;
            }
            speed = speed.max(later);
            dt = bound(speed);
        }
        Ok(dt)
    }

    /// Largest speed in the band at a time, of coefficients that can be computed with.
    fn checked_speed<G: Blocks<R, S, E>>(&mut self, grid: &G, time: f64) -> Result<f64> {
        let speed = self.speed(grid, time);
        speed.checked(time).map_err(|error| self.bad_coefficient(grid, time).unwrap_or(error))
    }

    fn speed<G: Blocks<R, S, E>>(&self, grid: &G, time: f64) -> Speed {
        let d = grid.dimension();
        if !self.coefficients.varies() {
            let Scratch { coefficients, result, .. } = &mut *self.scratch.get();
            let terms = self.coefficients.on_block(Place::EVERYWHERE, time, coefficients);
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
            let terms =
                self.coefficients.on_block(place_of::<R, S, G, E>(place), time, coefficients);
            self.coefficients.speed(&terms, d, Some((own, core)), result)
        };
        grid.fold(of_block, Speed::join).unwrap_or_default()
    }
}

/// A block as coefficients know it.
fn place_of<R: Real, S: Stored<R>, G: Blocks<R, S, E>, const E: usize>(place: &G::Place) -> Place {
    Place { first: G::first_voxel(place), id: Some(G::id(place)) }
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
