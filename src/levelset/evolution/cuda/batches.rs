//! Batches of steps on the GPU: many steps are launched at once, and meanwhile the host reads the
//! result of the previous batch.

use std::time::{Duration, Instant};

use super::control::Halt;
use super::{DeviceEvolution, failure};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::geometry::Real;
#[cfg(doc)]
use crate::levelset::evolution::Evolution;
use crate::levelset::evolution::{Advance, Rule, StepTarget};

/// The time after which no further batch is launched, so that the caller regains control.
pub(super) const PATIENCE: Duration = Duration::from_millis(200);

/// The maximum number of steps in a cycle.
const MOST_STEPS: u32 = 32;

/// The maximum number of cycles that are launched at once. Larger batches reduce idle time, because
/// the GPU waits a few microseconds between two launches.
const MOST_CYCLES: u32 = 8;

/// One batch of launches: a number of cycles, the steps per cycle, and the approximate number of
/// thread blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Batch {
    pub cycles: u32,
    pub steps: u32,
    pub blocks: u32,
}

impl<R: Real> DeviceEvolution<R> {
    /// Advances until the steps stop, for example at the target, but returns at the latest after a
    /// fraction of a second.
    ///
    /// # Errors
    /// Returns the errors of [`Evolution::step`], and [`Error::Device`] if the GPU fails.
    pub fn advance(&mut self, until: &StepTarget) -> Result<Advance> {
        if self.volume.is_some() {
            return self.advance_and_correct(until);
        }
        let begun = Instant::now();
        let first = self.now.step;
        let mut batch = self.batch(until, 0.0);
        self.record(batch)?;
        self.kernels.begin(until)?;
        let (mut turn, mut launched) = (0, 0u64);
        loop {
            self.launch(batch)?;
            launched += u64::from(batch.cycles * batch.steps);
            let [even, odd] = &mut self.seen;
            let (this, other) = if turn % 2 == 0 { (even, odd) } else { (odd, even) };
            self.cuda.fetch(&self.state.control, this)?;
            let is_last = begun.elapsed() > PATIENCE || until.steps <= launched;
            // The GPU works on this batch while the host reads the result of the previous one.
            if turn > 0 {
                self.now = other.get()?[0];
                if self.now.halt() != Halt::Running {
                    break;
                }
            }
            if is_last {
                break;
            }
            batch = self.batch(until, launched as f64 - (self.now.step - first) as f64);
            turn += 1;
        }
        self.look()?;
        self.outcome(first, until)
    }

    /// Returns the next batch to launch while `under_way` steps are still running.
    ///
    /// A cycle extends to the next reinitialization if that can be predicted. A batch has several
    /// cycles if much work is left.
    pub(super) fn batch(&self, until: &StepTarget, under_way: f64) -> Batch {
        let now = &self.now;
        let most = f64::from(MOST_STEPS);
        let options = &self.problem.options;
        let steps = match (options.rule, options.half_width) {
            (Rule::Published, Some(w)) => (w / (4.0 * now.limits.inradius.to_f64())).floor(),
            (Rule::Every(_), _) => now.every as f64,
            (Rule::Displacement, Some(w)) if now.displacement > 0.0 => {
                let each = now.displacement / now.steps_since.max(1) as f64;
                (0.5 * w / each).ceil()
            }
            _ => most,
        };
        let steps = steps.clamp(1.0, most) as u32;
        // The number of steps to the target if every step is as long as the last one.
        let left = match now.dt_done > 0.0 {
            true => (until.target - now.clock.max(until.clock)) / now.dt_done,
            false => 0.0,
        };
        let left = left.min(until.steps as f64) - under_way;
        // Launching only half of the remaining steps avoids launches that turn out to be
        // unnecessary.
        let cycles = (0.5 * left / f64::from(steps)).clamp(1.0, f64::from(MOST_CYCLES)) as u32;
        // Rounding to size classes keeps the number of graphs small for a band that grows and
        // shrinks. Few blocks remain without a patch.
        let n = now.n_active;
        let blocks = n.next_multiple_of((n / 16).next_power_of_two().max(8));
        Batch { cycles: 1 << cycles.ilog2(), steps, blocks }
    }

    /// Records the launches of a batch as a graph, unless it has been recorded before.
    fn record(&mut self, batch: Batch) -> Result<()> {
        if self.batches.contains_key(&batch) {
            return Ok(());
        }
        self.kernels.prepare(batch.blocks)?;
        let record = || {
            for _ in 0..batch.cycles {
                self.kernels.steps(batch.steps, batch.blocks)?;
                if self.problem.options.rule != Rule::Never {
                    self.kernels.reinitialize(&self.eikonal, self.solve, batch.blocks)?;
                }
            }
            Ok(())
        };
        let graph = self.cuda.record(record)?;
        self.batches.insert(batch, graph);
        Ok(())
    }

    /// Launches a batch. Each cycle consists of several steps and a reinitialization. The GPU skips
    /// steps and reinitializations that are not due.
    fn launch(&mut self, batch: Batch) -> Result<()> {
        self.record(batch)?;
        match self.batches.get(&batch) {
            Some(graph) => graph.launch(),
            None => Ok(()),
        }
    }

    /// Returns the progress since step `first`.
    ///
    /// If a step after the first one fails, the steps before it still count. The next call begins
    /// with the failed step and reports the failure.
    pub(super) fn outcome(&mut self, first: u64, until: &StepTarget) -> Result<Advance> {
        let steps = self.now.step - first;
        if steps == 0
            && let Some(error) = failure::of(self)?
        {
            return Err(error);
        }
        let now = &self.now;
        Ok(Advance {
            steps,
            clock: now.clock,
            dt: now.dt_done,
            rate: now.rate,
            landed: now.clock == until.target,
        })
    }
}
