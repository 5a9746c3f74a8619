//! The time loop: steps, what is due after them, and the numbers of the report.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::keep::Keeper;
use super::schedule::{Due, End, Schedule};
use super::states::{State, States};
use super::{Observer, Progress};
use crate::config::{Evolve, Output};
use crate::error::Result;
use crate::geometry::Real;
use crate::levelset::evolution::{Advance, Choices, Evolution, Snapshot, Stretch, Totals, lost};
use crate::output::checkpoint::Written;
use crate::output::{Measures, MeasuresFile, Report, Status};
use crate::surface;

/// Measures values of phi in mesh order.
pub(super) type OnHost<'a> = &'a dyn Fn(&[f64]) -> surface::Measures;

/// An evolution as the loop sees it. All arrays are in the order of the cleaned mesh.
pub(super) trait Moving {
    /// Goes on for a stretch, or for a part of it that the user does not wait long for.
    fn advance(&mut self, stretch: &Stretch) -> Result<Advance>;
    /// True if there is no interface left.
    fn is_gone(&self) -> bool;
    fn phi(&self) -> Result<Vec<f64>>;
    fn band(&self) -> Result<Vec<bool>>;
    /// Measures of phi; `on_host` finds them from its values.
    fn measures(&mut self, on_host: OnHost<'_>) -> Result<surface::Measures>;
    fn n_band_vertices(&self) -> usize;
    fn n_active_patches(&self) -> usize;
    /// Work since the start.
    fn totals(&self) -> Totals;
    /// What was chosen by the look of the mesh.
    fn choices(&self) -> Choices;
    /// The state between two steps.
    fn snapshot(&self) -> Result<Snapshot>;
}

impl<R: Real> Moving for Evolution<R> {
    fn advance(&mut self, stretch: &Stretch) -> Result<Advance> {
        self.advance(stretch)
    }
    fn is_gone(&self) -> bool {
        self.is_gone()
    }
    fn phi(&self) -> Result<Vec<f64>> {
        Ok(self.phi())
    }
    fn band(&self) -> Result<Vec<bool>> {
        Ok(self.band())
    }
    fn measures(&mut self, on_host: OnHost<'_>) -> Result<surface::Measures> {
        Ok(on_host(&self.phi()))
    }
    fn n_band_vertices(&self) -> usize {
        self.n_band_vertices()
    }
    fn n_active_patches(&self) -> usize {
        self.n_active_patches()
    }
    fn totals(&self) -> Totals {
        self.totals()
    }
    fn choices(&self) -> Choices {
        self.choices()
    }
    fn snapshot(&self) -> Result<Snapshot> {
        Ok(self.snapshot())
    }
}

#[cfg(feature = "cuda")]
impl<R: Real> Moving for crate::levelset::evolution::cuda::DeviceEvolution<R> {
    fn advance(&mut self, stretch: &Stretch) -> Result<Advance> {
        self.advance(stretch)
    }
    fn is_gone(&self) -> bool {
        self.is_gone()
    }
    fn phi(&self) -> Result<Vec<f64>> {
        self.phi()
    }
    fn band(&self) -> Result<Vec<bool>> {
        self.band()
    }
    fn measures(&mut self, _: OnHost<'_>) -> Result<surface::Measures> {
        self.measures()
    }
    fn n_band_vertices(&self) -> usize {
        self.n_band_vertices()
    }
    fn n_active_patches(&self) -> usize {
        self.n_active_patches()
    }
    fn totals(&self) -> Totals {
        self.totals()
    }
    fn choices(&self) -> Choices {
        self.choices()
    }
    fn snapshot(&self) -> Result<Snapshot> {
        self.snapshot()
    }
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

/// Everything a time loop needs beside the evolution.
pub(super) struct Loop<'a, 'b> {
    pub evolve: &'a Evolve,
    pub output: &'a Output,
    pub states: &'a mut States<'b>,
    pub measures: &'a mut MeasuresFile,
    pub interrupt: &'a AtomicBool,
    pub observer: &'a dyn Observer,
    /// Measures phi of an evolution that does not by itself.
    pub on_host: OnHost<'a>,
    /// Writes checkpoints, unless the case wants none.
    pub keeper: Option<Keeper>,
}

impl Loop<'_, '_> {
    /// Runs an evolution to its end, from its start or from the point of a checkpoint; writes
    /// states, measures and checkpoints when they are due, and keeps the report up to date.
    ///
    /// The first and the last state are always written, the last also when the user interrupts.
    /// Then, and if a step or an output fails, a checkpoint is written too. It does not hold what
    /// only the interrupt has written: the resumed run has the outputs of one that never stopped.
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
            if is_kept && self.states.len() > 0 {
                self.save(moving, &point, self.written(), report);
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
                self.save(moving, point, self.written(), report);
                return Err(error);
            }
        };
        let schedule = &mut point.schedule;
        if done.lost {
            return Err(lost(done.dt, schedule.time(), schedule.steps() + 1));
        }
        point.due = schedule.arrive(&done, moving.is_gone());
        point.dt = done.dt;
        Ok(())
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
        let before = self.written();
        let mut write = || {
            if measures {
                self.measure(&mut *moving, &point.schedule, point.dt, report)?;
            }
            if report.first.is_none() {
                report.first = report.last;
            }
            if state {
                self.write(&*moving, &point.schedule, report)?;
            }
            Ok(())
        };
        let done = write();
        if done.is_err() && !before.states.is_empty() {
            let steps = point.schedule.steps();
            // A state half of whose files are there is taken back; on a full disk this makes the
            // room a checkpoint needs. If it fails, the first error is still the one to report.
            if self.states.resume(before.states.clone(), steps, false).is_ok() {
                report.states = self.states.len();
            }
            if self.save(moving, point, before, report) {
                tracing::warn!("step {steps} is kept: `zeroset run` with --resume goes on from it");
            }
        }
        done
    }

    /// What is written so far.
    fn written(&self) -> Written {
        Written { states: self.states.written().to_vec(), measures: self.measures.prefix() }
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
        let m = moving.measures(self.on_host)?;
        let row = Measures {
            step: schedule.steps(),
            time: schedule.time(),
            dt,
            interface: m.interface,
            enclosed: m.enclosed,
            components: m.components,
            euler_number: m.euler_number,
            band_vertices: moving.n_band_vertices() as u64,
            active_patches: moving.n_active_patches() as u64,
            phi_min: m.phi_min,
            phi_max: m.phi_max,
        };
        self.measures.append(&row)?;
        report.last = Some(row);
        report.seconds.output += timer.elapsed().as_secs_f64();
        Ok(())
    }

    fn write(
        &mut self,
        moving: &dyn Moving,
        schedule: &Schedule,
        report: &mut Report,
    ) -> Result<()> {
        let timer = Instant::now();
        let (step, time) = (schedule.steps(), schedule.time());
        let (phi, band) = (moving.phi()?, moving.band()?);
        self.states.write(&State { step, time, phi, band, ..State::default() })?;
        report.states = self.states.len();
        report.seconds.output += timer.elapsed().as_secs_f64();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
