//! The time loop: steps, what is due after them, and the numbers of the report.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::keep::Keeper;
use super::schedule::{Due, End, Schedule};
use super::{Observer, Progress};
use crate::config::{Evolve, Output};
use crate::error::Result;
use crate::levelset::evolution::{Advance, Stretch};
use crate::output::checkpoint::{State, Written};
use crate::output::{Measures, MeasuresFile, Report, Status};

/// What a time loop moves, measures and writes.
pub(super) trait Moving {
    /// Goes on for a stretch, or for a part of it that the user does not wait long for.
    fn advance(&mut self, stretch: &Stretch) -> Result<Advance>;
    /// True if there is no interface left.
    fn is_gone(&self) -> bool;
    /// Measures of the state; its step, time and step length are the loop's to fill in.
    fn measure(&mut self) -> Result<Measures>;
    /// Writes the state.
    fn write(&mut self, step: u64, time: f64) -> Result<()>;
    /// Step and time of each state written.
    fn written(&self) -> &[(u64, f64)];
    /// Takes back what was written after these states, the last of them half at `step`.
    fn take_back(&mut self, written: Vec<(u64, f64)>, step: u64) -> Result<()>;
    /// All that changes, between two steps.
    fn snapshot(&self) -> Result<State>;
}

/// A place in the time loop: behind a step, before its outputs.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub schedule: Schedule,
    /// What is due.
    pub due: Due,
    /// Length of the step.
    pub dt: f64,
}

impl Point {
    /// Before the first step: state and measures are due.
    fn first(schedule: Schedule, gone: bool) -> Self {
        let due = Due { state: true, measures: true, end: gone.then_some(End::Gone) };
        Point { schedule, due, dt: 0.0 }
    }
}

/// Everything a time loop needs beside what it moves.
pub(super) struct Loop<'a> {
    pub evolve: &'a Evolve,
    pub output: &'a Output,
    pub measures: &'a mut MeasuresFile,
    pub interrupt: &'a AtomicBool,
    pub observer: &'a dyn Observer,
    /// Writes checkpoints, unless the case wants none.
    pub keeper: Option<Keeper>,
}

impl Loop<'_> {
    /// Runs an evolution to its end, from its start or from the point of a checkpoint; writes
    /// states, measures and checkpoints when they are due, and keeps the report up to date.
    ///
    /// The first and the last state are always written, the last also when the user interrupts or
    /// the next step fails.
    /// Then, and if a step or an output fails, a checkpoint is written too. It does not hold what
    /// only the interrupt or the failed step has made due: the resumed run has the outputs of one
    /// that never stopped.
    ///
    /// # Errors
    /// Those of the steps and of writing.
    pub(super) fn run(
        mut self,
        moving: &mut dyn Moving,
        from: Option<Point>,
        report: &mut Report,
    ) -> Result<()> {
        let first = || Point::first(Schedule::new(self.evolve, self.output), moving.is_gone());
        let mut point = from.unwrap_or_else(first);
        let start = (point.schedule.steps(), point.schedule.time());
        loop {
            let (steps, time) = (point.schedule.steps(), point.schedule.time());
            (report.steps, report.time) = (steps, time);
            let end = point.due.end;
            let interrupted = end.is_none() && self.interrupt.load(Ordering::Relaxed);
            let is_kept = self.keeper.as_ref().is_some_and(|keeper| {
                interrupted || end.is_none() && steps > start.0 && keeper.is_due(steps)
            });
            if is_kept && !moving.written().is_empty() {
                self.save(moving, &point, self.written(moving), report);
            }
            self.outputs(moving, &point, interrupted, report)?;
            if steps > start.0 {
                self.observer.step(&Progress {
                    step: steps,
                    time,
                    dt: point.dt,
                    end_time: self.evolve.end_time,
                    max_steps: self.evolve.max_steps,
                    start,
                });
            }
            if interrupted || end.is_some() {
                let status = if interrupted { Status::Interrupted } else { Status::Finished };
                report.status = status;
                report.ended_by = end.map_or("interrupted", End::words).to_string();
                return Ok(());
            }
            self.step(moving, &mut point, report)?;
        }
    }

    /// Some steps, and what is due after them.
    fn step(
        &mut self,
        moving: &mut dyn Moving,
        point: &mut Point,
        report: &mut Report,
    ) -> Result<()> {
        let steps = point.schedule.steps();
        let most = self.keeper.as_ref().map_or(u64::MAX, |keeper| keeper.steps_to_next(steps));
        let done = match moving.advance(&point.schedule.stretch(most)) {
            Ok(done) => done,
            Err(error) => {
                // The state before the step is still there, and nothing is due.
                point.due = Due::default();
                self.save(moving, point, self.written(moving), report);
                self.last_good_state(moving, point, report);
                return Err(error);
            }
        };
        let schedule = &mut point.schedule;
        point.due = schedule.arrive(&done, moving.is_gone());
        point.dt = done.dt;
        Ok(())
    }

    /// Writes the state before a step that failed, if it is not there yet. The checkpoint does not
    /// hold it: the failure, not the case, has asked for it.
    fn last_good_state(&mut self, moving: &mut dyn Moving, point: &Point, report: &mut Report) {
        let steps = point.schedule.steps();
        let is_written = moving.written().last().is_some_and(|(step, _)| *step == steps);
        let is_measured = report.last.is_some_and(|last| last.step == steps);
        let due = Due { state: !is_written, measures: !is_measured, end: None };
        let last = Point { due, ..point.clone() };
        if let Err(error) = self.outputs(moving, &last, false, report) {
            tracing::warn!("the last good state, of step {steps}, is not written: {error}");
        }
    }

    /// Writes what is due, or all if the run is interrupted. If that fails, a checkpoint lets the
    /// run go on with these outputs.
    fn outputs(
        &mut self,
        moving: &mut dyn Moving,
        point: &Point,
        interrupted: bool,
        report: &mut Report,
    ) -> Result<()> {
        let Due { mut state, mut measures, .. } = point.due;
        if interrupted {
            (state, measures) = (true, true);
        }
        if !state && !measures {
            return Ok(());
        }
        let before = self.written(moving);
        let mut write = || {
            if measures {
                self.measure(moving, &point.schedule, point.dt, report)?;
            }
            if report.first.is_none() {
                report.first = report.last;
            }
            if state {
                write_state(moving, &point.schedule, report)?;
            }
            Ok(())
        };
        let done = write();
        if done.is_err() && !before.states.is_empty() {
            let steps = point.schedule.steps();
            // A state half of whose files are there is taken back; on a full disk this makes the
            // room a checkpoint needs. If it fails, the first error is still the one to report.
            if moving.take_back(before.states.clone(), steps).is_ok() {
                report.states = moving.written().len();
            }
            if self.save(moving, point, before, report) {
                tracing::warn!("step {steps} is kept: `zeroset run` with --resume goes on from it");
            } else if self.keeper.as_ref().is_some_and(Keeper::has_one) {
                tracing::warn!(
                    "the checkpoint before is kept: `zeroset run` with --resume goes on from it"
                );
            }
        }
        done
    }

    /// What is written so far.
    fn written(&self, moving: &dyn Moving) -> Written {
        Written { states: moving.written().to_vec(), measures: self.measures.prefix() }
    }

    /// Writes a checkpoint, if the run keeps any; whether it did.
    fn save(
        &mut self,
        moving: &dyn Moving,
        point: &Point,
        written: Written,
        report: &mut Report,
    ) -> bool {
        let Some(keeper) = &mut self.keeper else { return false };
        let timer = Instant::now();
        if let Err(error) = self.measures.sync() {
            tracing::warn!("no checkpoint: {error}");
            return false;
        }
        let saved = match moving.snapshot() {
            Ok(snapshot) => keeper.save(snapshot, point, written, report),
            Err(error) => {
                tracing::warn!("no checkpoint: {error}");
                false
            }
        };
        report.seconds.output += timer.elapsed().as_secs_f64();
        saved
    }

    fn measure(
        &mut self,
        moving: &mut dyn Moving,
        schedule: &Schedule,
        dt: f64,
        report: &mut Report,
    ) -> Result<()> {
        let timer = Instant::now();
        let row =
            Measures { step: schedule.steps(), time: schedule.time(), dt, ..moving.measure()? };
        self.measures.append(&row)?;
        report.last = Some(row);
        report.seconds.output += timer.elapsed().as_secs_f64();
        Ok(())
    }
}

fn write_state(moving: &mut dyn Moving, schedule: &Schedule, report: &mut Report) -> Result<()> {
    let timer = Instant::now();
    moving.write(schedule.steps(), schedule.time())?;
    report.states = moving.written().len();
    report.seconds.output += timer.elapsed().as_secs_f64();
    Ok(())
}

#[cfg(test)]
mod tests;
