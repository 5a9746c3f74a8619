//! The time loop: takes steps, writes the outputs that are due, and updates the report.
//!
//! While the next steps are computed, a state is written and, on a GPU, copied to the host. The
//! loop waits for this to finish before a checkpoint, at the end, and before the next state. If a
//! state cannot be written, the run goes back to the point at which that state was due, writes a
//! checkpoint there if it can, and ends with the error.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::checkpointing::Keeper;
use super::motion::{LateState, Motion};
use super::schedule::{Due, End, Schedule};
use super::writer::{Files, Late, Writer};
use super::{Observer, Progress};
use crate::Cpu;
use crate::config::{Evolve, Output};
use crate::error::{Error, Result};
use crate::output::checkpoint::{self, Written};
use crate::output::{Measures, MeasuresFile, Report, Status};

/// A point in the time loop: after a step, before the outputs of that step are written.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub schedule: Schedule,
    /// The outputs that are due.
    pub due: Due,
    /// Size of the last time step. 0 before the first step.
    pub dt: f64,
}

impl Point {
    /// Returns the point before the first step. A state and measures are due at this point.
    fn first(schedule: Schedule, gone: bool) -> Self {
        let spent = schedule.is_spent().then_some(End::Steps);
        let end = gone.then_some(End::Gone).or(spent);
        let due = Due { state: true, measures: true, end };
        Point { schedule, due, dt: 0.0 }
    }
}

/// The inputs of a time loop other than the motion, the files and the report.
pub(super) struct LoopInputs<'a> {
    /// Time at which a run that is not resumed begins.
    pub start_time: f64,
    pub evolve: &'a Evolve,
    pub output: &'a Output,
    pub measures: &'a mut MeasuresFile,
    pub interrupt: &'a AtomicBool,
    pub observer: &'a dyn Observer,
    /// Writer of checkpoints, unless the case disables them.
    pub keeper: Option<Keeper>,
    /// Number of threads that write states.
    pub threads: usize,
}

impl LoopInputs<'_> {
    /// Runs a motion to its end, beginning at its start or at the point of a checkpoint.
    ///
    /// Writes states, measures and checkpoints when they are due, and keeps the report up to date.
    /// The first and the last state are always written. If the user interrupts the run or the next
    /// step fails, the last state is written, too, unless memory ran out and a checkpoint contains
    /// the state.
    ///
    /// A checkpoint is also written if the user interrupts the run or if a step or an output fails.
    /// It does not list outputs that are due only because of the interruption or the failure. The
    /// resumed run therefore has the same outputs as an uninterrupted run.
    ///
    /// # Errors
    /// Returns the errors of the steps and of writing.
    pub(super) fn run(
        self,
        motion: &mut dyn Motion,
        files: &mut dyn Files,
        from: Option<Point>,
        report: &mut Report,
    ) -> Result<()> {
        let schedule = Schedule::new(self.evolve, self.output).starting(self.start_time);
        let first = || Point::first(schedule, motion.is_extinct());
        let point = from.unwrap_or_else(first);
        // States are written by separate threads. If writing shared the threads of the steps, a
        // thread that waits within a step could start to write a state, and the step would have to
        // wait for the disk.
        let cpu = Cpu::new(self.threads)?;
        let files = Mutex::new(files);
        cpu.beside(|scope| {
            let writer = Writer::new(scope, &files);
            TimeLoop { inputs: self, motion, writer, report, under_way: None }.run(point)
        })
    }
}

/// A point whose state is being written, with the data needed to resume from it.
struct UnderWay {
    point: Point,
    /// The outputs that had been written before those of this point.
    before: Written,
    /// Size of `measures.csv` in bytes, including the line of this point.
    measures: u64,
    last: Option<Measures>,
    /// The snapshot for a checkpoint of this point, if later steps may change the solver.
    snapshot: Option<Late<checkpoint::State>>,
}

/// The state of the running time loop.
struct TimeLoop<'c, 'w, 's, 'f> {
    inputs: LoopInputs<'c>,
    motion: &'c mut dyn Motion,
    writer: Writer<'w, 's, 'f>,
    report: &'c mut Report,
    under_way: Option<UnderWay>,
}

impl<'f: 's, 's> TimeLoop<'_, '_, 's, 'f> {
    fn run(mut self, mut point: Point) -> Result<()> {
        let start = (point.schedule.steps(), point.schedule.time());
        loop {
            let (steps, time) = (point.schedule.steps(), point.schedule.time());
            (self.report.steps, self.report.time) = (steps, time);
            let end = point.due.end;
            let interrupted = end.is_none() && self.inputs.interrupt.load(Ordering::Relaxed);
            let is_kept = self.inputs.keeper.as_ref().is_some_and(|keeper| {
                interrupted || end.is_none() && steps > start.0 && keeper.is_due(steps)
            });
            if is_kept {
                self.wait()?;
                if !self.writer.written().is_empty() {
                    self.save(&point, self.written(), None);
                }
            }
            self.outputs(&point, interrupted)?;
            if interrupted || end.is_some() {
                self.wait()?;
            }
            if steps > start.0 {
                self.inputs.observer.step(&Progress {
                    step: steps,
                    time,
                    dt: point.dt,
                    end_time: self.inputs.evolve.end_time,
                    max_steps: self.inputs.evolve.max_steps,
                    start,
                });
            }
            if interrupted || end.is_some() {
                let status = if interrupted { Status::Interrupted } else { Status::Finished };
                self.report.status = status;
                self.report.ended_by = end.map_or("interrupted", End::words).to_string();
                return Ok(());
            }
            self.step(&mut point)?;
        }
    }

    /// Takes one or more steps, at most up to the next point at which outputs are due, and
    /// determines what is due after them.
    fn step(&mut self, point: &mut Point) -> Result<()> {
        self.leave()?;
        let steps = point.schedule.steps();
        let most =
            self.inputs.keeper.as_ref().map_or(u64::MAX, |keeper| keeper.steps_to_next(steps));
        let done = match self.motion.advance(&point.schedule.until(most)) {
            Ok(done) => done,
            Err(error) => {
                self.wait()?;
                // The state before the step still exists, and nothing is due.
                point.due = Due::default();
                let is_kept = self.save(point, self.written(), None);
                // If memory has run out, extracting a surface is also likely to fail.
                if !(is_kept && matches!(error, Error::Device { .. })) {
                    self.last_good_state(point);
                }
                return Err(error);
            }
        };
        let schedule = &mut point.schedule;
        point.due = schedule.arrive(&done, self.motion.is_extinct());
        point.dt = done.dt;
        Ok(())
    }

    /// Takes a snapshot before the run takes the first step from a point whose state is still being
    /// written. This keeps a checkpoint of the point possible.
    fn leave(&mut self) -> Result<()> {
        if self.writer.is_idle() {
            return self.wait();
        }
        let is_kept = self.inputs.keeper.is_some();
        if let Some(UnderWay { before, snapshot, .. }) = &mut self.under_way
            && snapshot.is_none()
            && is_kept
            && !before.states.is_empty()
        {
            let timer = Instant::now();
            let taken = self.motion.snapshot();
            *snapshot = Some(Box::new(move || taken));
            self.report.seconds.output += timer.elapsed().as_secs_f64();
        }
        Ok(())
    }

    /// Writes the state before a failed step if it has not been written. The checkpoint does not
    /// list this state, which is written only because of the failure.
    fn last_good_state(&mut self, point: &Point) {
        let steps = point.schedule.steps();
        let is_written = self.writer.written().last().is_some_and(|(step, _)| *step == steps);
        let is_measured = self.report.last.is_some_and(|last| last.step == steps);
        let due = Due { state: !is_written, measures: !is_measured, end: None };
        let last = Point { due, ..point.clone() };
        if let Err(error) = self.outputs(&last, false).and_then(|()| self.wait()) {
            tracing::warn!("the last good state, of step {steps}, could not be written: {error}");
        }
    }

    /// Measures and starts to write what is due, or everything if the run is interrupted. If this
    /// fails, a checkpoint is written. The run can continue from it and write these outputs.
    fn outputs(&mut self, point: &Point, interrupted: bool) -> Result<()> {
        let Due { mut state, mut measures, .. } = point.due;
        if interrupted {
            (state, measures) = (true, true);
        }
        if !state && !measures {
            return Ok(());
        }
        let before = self.inputs.measures.prefix();
        let mut done = if measures { self.measure(point) } else { Ok(()) };
        if state || done.is_err() {
            self.wait()?;
        }
        let before = Written { measures: before, ..self.written() };
        if done.is_ok() && self.report.first.is_none() {
            self.report.first = self.report.last;
        }
        let mut snapshot = None;
        if state && done.is_ok() {
            done = self.write_state(point).map(|kept| snapshot = kept);
        }
        if let Err(error) = done {
            self.go_back(point, before, None);
            return Err(error);
        }
        if state {
            self.under_way = Some(UnderWay {
                point: point.clone(),
                before,
                measures: self.inputs.measures.prefix().bytes,
                last: self.report.last,
                snapshot,
            });
        }
        Ok(())
    }

    /// Waits until the current state has been written. If writing fails, the run returns to the
    /// point at which the state was due.
    fn wait(&mut self) -> Result<()> {
        let Some(under_way) = self.under_way.take() else { return Ok(()) };
        let timer = Instant::now();
        let done = self.writer.wait();
        self.report.seconds.output += timer.elapsed().as_secs_f64();
        if done.is_ok() {
            self.report.states = self.writer.written().len();
            return Ok(());
        }
        let UnderWay { point, before, measures, last, snapshot } = under_way;
        let (steps, time) = (point.schedule.steps(), point.schedule.time());
        (self.report.steps, self.report.time, self.report.last) = (steps, time, last);
        if let Err(error) = self.inputs.measures.end_at(measures) {
            tracing::warn!("lines of measures after step {steps} could not be removed: {error}");
        }
        self.go_back(&point, before, snapshot);
        done
    }

    /// Removes the outputs of a point after one of them failed, and writes a checkpoint in which
    /// these outputs are still due. `snapshot` is needed if later steps have been taken. Does
    /// nothing if no state had been written before this point.
    fn go_back(
        &mut self,
        point: &Point,
        before: Written,
        snapshot: Option<Late<checkpoint::State>>,
    ) {
        if before.states.is_empty() {
            return;
        }
        let steps = point.schedule.steps();
        // Incomplete files of the state are removed. This also frees space for the checkpoint on a
        // full disk. If the removal fails, the first error is still the one to report.
        if self.writer.take_back(before.states.clone(), steps).is_ok() {
            self.report.states = self.writer.written().len();
        }
        if self.save(point, before, snapshot) {
            tracing::warn!("step {steps} is saved: continue from it with `zeroset run --resume`");
        } else if self.inputs.keeper.as_ref().is_some_and(Keeper::has_one) {
            tracing::warn!(
                "the previous checkpoint is kept: continue from it with `zeroset run --resume`"
            );
        }
    }

    /// Returns the outputs written so far.
    fn written(&self) -> Written {
        let states = self.writer.written().to_vec();
        Written { states, measures: self.inputs.measures.prefix() }
    }

    /// Writes a checkpoint of the current state or of a snapshot, if the run keeps checkpoints.
    /// Returns whether a checkpoint was written.
    fn save(
        &mut self,
        point: &Point,
        written: Written,
        snapshot: Option<Late<checkpoint::State>>,
    ) -> bool {
        let Some(keeper) = &mut self.inputs.keeper else { return false };
        let timer = Instant::now();
        if let Err(error) = self.inputs.measures.sync() {
            tracing::warn!("cannot write a checkpoint: {error}");
            return false;
        }
        let taken = snapshot.map_or_else(|| self.motion.snapshot(), |late| late());
        let saved = match taken {
            Ok(snapshot) => keeper.save(snapshot, point, written, self.report),
            Err(error) => {
                tracing::warn!("cannot write a checkpoint: {error}");
                false
            }
        };
        self.report.seconds.output += timer.elapsed().as_secs_f64();
        saved
    }

    fn measure(&mut self, point: &Point) -> Result<()> {
        let timer = Instant::now();
        let Point { schedule, dt, .. } = point;
        let (step, time) = (schedule.steps(), schedule.time());
        let row = Measures { step, time, dt: *dt, ..self.motion.measure()? };
        self.inputs.measures.append(&row)?;
        self.report.last = Some(row);
        self.report.seconds.output += timer.elapsed().as_secs_f64();
        Ok(())
    }

    /// Passes the state on to be written. Returns the snapshot for a checkpoint of this point if
    /// later steps may change the solver.
    fn write_state(&mut self, point: &Point) -> Result<Option<Late<checkpoint::State>>> {
        let timer = Instant::now();
        let LateState { state, snapshot } =
            self.motion.state(point.schedule.steps(), point.schedule.time())?;
        self.writer.write(state)?;
        self.report.seconds.output += timer.elapsed().as_secs_f64();
        Ok(snapshot)
    }
}

#[cfg(test)]
mod tests;
