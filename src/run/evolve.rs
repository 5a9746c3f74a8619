//! The time loop: steps, what is due after them, and the numbers of the report.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::schedule::{End, Schedule};
use super::states::{State, States};
use super::{Observer, Progress};
use crate::config::{Evolve, Output};
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::levelset::evolution::{Evolution, StepInfo, Totals};
use crate::mesh::Mesh;
use crate::output::{Measures, MeasuresFile, Report, Status};
use crate::surface::Measurer;

/// An evolution as the loop sees it. All arrays are in the order of the cleaned mesh.
pub(super) trait Moving {
    /// Does one step of at most `largest`.
    fn step(&mut self, largest: f64) -> Result<StepInfo>;
    /// True if there is no interface left.
    fn is_gone(&self) -> bool;
    fn phi(&self) -> Vec<f64>;
    fn band(&self) -> Vec<bool>;
    fn n_band_vertices(&self) -> usize;
    fn n_active_patches(&self) -> usize;
    /// Work since the start.
    fn totals(&self) -> Totals;
}

impl<R: Real> Moving for Evolution<R> {
    fn step(&mut self, largest: f64) -> Result<StepInfo> {
        self.step(largest)
    }
    fn is_gone(&self) -> bool {
        self.is_gone()
    }
    fn phi(&self) -> Vec<f64> {
        self.phi()
    }
    fn band(&self) -> Vec<bool> {
        self.band()
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
}

/// Everything a time loop needs beside the evolution.
pub(super) struct Loop<'a, 'b> {
    pub mesh: &'a Mesh,
    pub evolve: &'a Evolve,
    pub output: &'a Output,
    pub states: &'a mut States<'b>,
    pub measures: &'a mut MeasuresFile,
    pub interrupt: &'a AtomicBool,
    pub observer: &'a dyn Observer,
    pub measurer: Measurer,
}

impl Loop<'_, '_> {
    /// Runs an evolution to its end; writes states and measures when they are due, and keeps the
    /// report up to date.
    ///
    /// The first and the last state are always written, the last also when the user interrupts.
    ///
    /// # Errors
    /// Those of the steps and of writing.
    pub(super) fn run(mut self, moving: &mut dyn Moving, report: &mut Report) -> Result<()> {
        let mut schedule = Schedule::new(self.evolve, self.output);
        self.measure(moving, &schedule, 0.0, report)?;
        report.first = report.last;
        self.write(moving, &schedule, report)?;
        let mut end = moving.is_gone().then_some(End::Gone);
        let mut interrupted = false;
        while end.is_none() && !interrupted {
            let step = moving.step(schedule.largest_step())?;
            if schedule.time() + step.dt == schedule.time() {
                return Err(Error::Numerical {
                    what: format!(
                        "the time step of {:.3e} is lost beside the time {:.6e} in step {}",
                        step.dt,
                        schedule.time(),
                        schedule.steps() + 1
                    ),
                    remedy: "a coefficient is too large, or a cell is too flat: see `zeroset info`"
                        .into(),
                });
            }
            let mut due = schedule.advance(step.dt, step.rate, moving.is_gone());
            (report.steps, report.time) = (schedule.steps(), schedule.time());
            end = due.end;
            interrupted = end.is_none() && self.interrupt.load(Ordering::Relaxed);
            if interrupted {
                (due.state, due.measures) = (true, true);
            }
            if due.measures {
                self.measure(moving, &schedule, step.dt, report)?;
            }
            if due.state {
                self.write(moving, &schedule, report)?;
            }
            self.observer.step(&Progress {
                step: schedule.steps(),
                time: schedule.time(),
                dt: step.dt,
                end_time: self.evolve.end_time,
                max_steps: self.evolve.max_steps,
            });
        }
        report.status = if interrupted { Status::Interrupted } else { Status::Finished };
        report.ended_by = end.map_or("interrupted", End::words).to_string();
        Ok(())
    }

    fn measure(
        &mut self,
        moving: &dyn Moving,
        schedule: &Schedule,
        dt: f64,
        report: &mut Report,
    ) -> Result<()> {
        let timer = Instant::now();
        let m = self.measurer.measure(self.mesh, &moving.phi());
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
        self.states.write(&State { step, time, phi: moving.phi(), band: moving.band() })?;
        report.states = self.states.len();
        report.seconds.output += timer.elapsed().as_secs_f64();
        Ok(())
    }
}
