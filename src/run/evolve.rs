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

#[cfg(test)]
mod tests {
    use super::super::Prepared;
    use super::super::Stages;
    use super::super::states::StoredMesh;
    use super::*;
    use crate::backend::Cpu;
    use crate::config::Config;
    use crate::output::RunFolder;

    const CASE: &str = "version = 1\n[domain.mesh]\ngenerate.square = { cells = [4, 4] }\n\
        [initial]\nball = { center = [0.5, 0.5, 0], radius = 0.3 }\n[evolve]\nend_time = 1\n\
        [output]\ninterval = 0.25\nmeasures_every = 2\n";

    /// Steps of 0.1 at most; fails in a step, loses its interface in a step, or sets a flag.
    struct Fake<'a> {
        n: usize,
        steps: u64,
        fails_at: u64,
        gone_at: u64,
        interrupts_at: (u64, &'a AtomicBool),
    }

    impl<'a> Fake<'a> {
        fn new(flag: &'a AtomicBool) -> Self {
            let never = u64::MAX;
            let interrupts_at = (never, flag);
            Fake { n: 25, steps: 0, fails_at: never, gone_at: never, interrupts_at }
        }
    }

    impl Moving for Fake<'_> {
        fn step(&mut self, largest: f64) -> Result<StepInfo> {
            self.steps += 1;
            if self.steps == self.fails_at {
                return Err(Error::Numerical { what: "as told".into(), remedy: String::new() });
            }
            if self.steps == self.interrupts_at.0 {
                self.interrupts_at.1.store(true, Ordering::Relaxed);
            }
            let dt = largest.min(0.1);
            Ok(StepInfo { step: self.steps, time: 0.0, dt, rate: 1.0, reinitialized: false })
        }
        fn is_gone(&self) -> bool {
            self.steps >= self.gone_at
        }
        fn phi(&self) -> Vec<f64> {
            (0..self.n).map(|v| v as f64 - 12.5).collect()
        }
        fn band(&self) -> Vec<bool> {
            vec![true; self.n]
        }
        fn n_band_vertices(&self) -> usize {
            self.n
        }
        fn n_active_patches(&self) -> usize {
            1
        }
        fn totals(&self) -> Totals {
            Totals::default()
        }
    }

    struct Silent;
    impl Observer for Silent {
        fn stage(&self, _: &str) {}
        fn step(&self, _: &Progress) {}
    }

    /// Runs the loop; what it returned, the report, and the times in measures.csv.
    fn run(fake: &mut Fake<'_>, set: &[&str]) -> (Result<()>, Report, Vec<f64>) {
        let flag = fake.interrupts_at.1;
        let set: Vec<String> = set.iter().map(|s| s.to_string()).collect();
        let config = Config::parse(CASE, "case.toml".as_ref(), &set).unwrap();
        let mut stage = Stages::new(&Silent);
        let prepared =
            Prepared::new(&config, std::sync::Arc::new(Cpu::new(1).unwrap()), "", &mut stage)
                .unwrap();
        let mut report = prepared.report(&config);
        let parent = tempfile::tempdir().unwrap();
        let folder = RunFolder::open(&parent.path().join("out"), false).unwrap();
        let stored = StoredMesh::new(&prepared.ready, config.output.compression);
        let patch_of = prepared.patches.patch_of_vertex();
        let mut states = States::new(&config, &stored, &patch_of, "phi", &folder).unwrap();
        let mesh = &prepared.ready.mesh;
        let mut measures = MeasuresFile::create(&folder.file("measures.csv"), mesh.kind).unwrap();
        let work = Loop {
            mesh,
            evolve: config.evolve.as_ref().unwrap(),
            output: &config.output,
            states: &mut states,
            measures: &mut measures,
            interrupt: flag,
            observer: &Silent,
            measurer: Measurer::new(mesh),
        };
        let done = work.run(fake, &mut report);
        let text = std::fs::read_to_string(folder.file("measures.csv")).unwrap();
        let time = |line: &str| line.split(',').nth(1).unwrap().parse().unwrap();
        (done, report, text.lines().skip(1).map(time).collect())
    }

    #[test]
    fn states_land_on_their_times_and_measures_come_between() {
        let flag = AtomicBool::new(false);
        let (done, report, times) = run(&mut Fake::new(&flag), &[]);
        done.unwrap();
        // Three steps to each output time; a line every second step.
        let rounded: Vec<i64> = times.iter().map(|t| (t * 100.0).round() as i64).collect();
        assert_eq!(rounded, [0, 20, 25, 35, 50, 70, 75, 85, 100]);
        assert!([0.25, 0.5, 0.75, 1.0].iter().all(|t| times.contains(t)), "{times:?}");
        assert_eq!((report.steps, report.time, report.states), (12, 1.0, 5));
        assert_eq!(
            (report.status, report.ended_by.as_str()),
            (Status::Finished, "end_time reached")
        );
        assert_eq!(report.first.unwrap().time, 0.0);
        assert_eq!(report.last.unwrap().time, 1.0);
    }

    #[test]
    fn an_interrupt_ends_after_the_step_with_its_state() {
        let flag = AtomicBool::new(false);
        let mut fake = Fake { interrupts_at: (4, &flag), ..Fake::new(&flag) };
        let (done, report, times) = run(&mut fake, &[]);
        done.unwrap();
        assert_eq!((report.status, report.ended_by.as_str()), (Status::Interrupted, "interrupted"));
        assert_eq!((report.steps, report.states), (4, 3));
        assert_eq!(times.last(), Some(&report.time));
    }

    #[test]
    fn a_lost_interface_is_an_end_like_another() {
        let flag = AtomicBool::new(false);
        let mut fake = Fake { gone_at: 5, ..Fake::new(&flag) };
        let (done, report, _) = run(&mut fake, &[]);
        done.unwrap();
        assert_eq!((report.steps, report.ended_by.as_str()), (5, "interface gone"));
        assert_eq!(report.last.unwrap().step, 5);
    }

    #[test]
    fn a_failed_step_keeps_what_was_due_before() {
        let flag = AtomicBool::new(false);
        let mut fake = Fake { fails_at: 5, ..Fake::new(&flag) };
        let (done, report, times) = run(&mut fake, &[]);
        assert_eq!(done.unwrap_err().exit_code(), 4);
        assert_eq!(report.status, Status::Failed);
        assert_eq!((report.steps, report.states, times.len()), (4, 2, 4));
    }

    #[test]
    fn steps_count_where_time_does_not() {
        let flag = AtomicBool::new(false);
        let set = ["evolve.max_steps=3", "output={ every = 2 }"];
        let (done, report, times) = run(&mut Fake::new(&flag), &set);
        done.unwrap();
        assert_eq!((report.steps, report.states, times.len()), (3, 3, 3));
        assert_eq!(report.ended_by, "max_steps done");
    }
}
