//! The time loop: steps, what is due after them, and the numbers of the report.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::keep::Keeper;
use super::schedule::{Due, End, Schedule};
use super::states::{State, States};
use super::{Observer, Progress};
use crate::config::{Evolve, Output};
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::levelset::evolution::{Choices, Evolution, Snapshot, StepInfo, Totals};
use crate::mesh::Mesh;
use crate::output::checkpoint::Written;
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
    /// What was chosen by the look of the mesh.
    fn choices(&self) -> Choices;
    /// The state between two steps.
    fn snapshot(&self) -> Snapshot;
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
    fn choices(&self) -> Choices {
        self.choices()
    }
    fn snapshot(&self) -> Snapshot {
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
    pub mesh: &'a Mesh,
    pub evolve: &'a Evolve,
    pub output: &'a Output,
    pub states: &'a mut States<'b>,
    pub measures: &'a mut MeasuresFile,
    pub interrupt: &'a AtomicBool,
    pub observer: &'a dyn Observer,
    pub measurer: Measurer,
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

    /// One step, and what is due after it.
    fn step(
        &mut self,
        moving: &mut dyn Moving,
        point: &mut Point,
        report: &mut Report,
    ) -> Result<()> {
        let step = match moving.step(point.schedule.largest_step()) {
            Ok(step) => step,
            Err(error) => {
                // The state before the step is still there, and nothing is due.
                point.due = Due::default();
                self.save(moving, point, self.written(), report);
                return Err(error);
            }
        };
        let schedule = &mut point.schedule;
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
        point.due = schedule.advance(step.dt, step.rate, moving.is_gone());
        point.dt = step.dt;
        Ok(())
    }

    /// Writes what is due, or all if the run is interrupted. If that fails, a checkpoint lets the
    /// run go on with these outputs.
    fn outputs(
        &mut self,
        moving: &dyn Moving,
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
                self.measure(moving, &point.schedule, point.dt, report)?;
            }
            if report.first.is_none() {
                report.first = report.last;
            }
            if state {
                self.write(moving, &point.schedule, report)?;
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
        let saved = keeper.save(moving.snapshot(), point, written, report);
        report.seconds.output += timer.elapsed().as_secs_f64();
        saved
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
        let (phi, band) = (moving.phi(), moving.band());
        self.states.write(&State { step, time, phi, band, ..State::default() })?;
        report.states = self.states.len();
        report.seconds.output += timer.elapsed().as_secs_f64();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Prepared;
    use super::super::Stages;
    use super::super::identity;
    use super::super::states::StoredMesh;
    use super::*;
    use crate::backend::Cpu;
    use crate::config::Config;
    use crate::output::RunFolder;
    use crate::output::checkpoint::{CHECKPOINT, Checkpoint};

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
        fn choices(&self) -> Choices {
            Choices::default()
        }
        fn snapshot(&self) -> Snapshot {
            Snapshot {
                precision_bits: 64,
                time: 0.0,
                step: self.steps,
                displacement: 0.0,
                steps_since: 0,
                gone: false,
                phi: self.phi(),
                in_band: self.band(),
                totals: self.totals(),
            }
        }
    }

    struct Silent;
    impl Observer for Silent {
        fn stage(&self, _: &str) {}
        fn step(&self, _: &Progress) {}
    }

    /// Runs the loop; what it returned, the report, and the times in measures.csv.
    fn run(fake: &mut Fake<'_>, set: &[&str]) -> (Result<()>, Report, Vec<f64>) {
        let (done, report, times, _) = run_and_keep(fake, set);
        (done, report, times)
    }

    /// The same with the checkpoint that is left.
    fn run_and_keep(
        fake: &mut Fake<'_>,
        set: &[&str],
    ) -> (Result<()>, Report, Vec<f64>, Option<Checkpoint>) {
        let flag = fake.interrupts_at.1;
        let set: Vec<String> = set.iter().map(|s| s.to_string()).collect();
        let config = Config::parse(CASE, "case.toml".as_ref(), &set).unwrap();
        let never = AtomicBool::new(false);
        let mut stage = Stages::new(&Silent, &never);
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
        let identity = identity::of(&config, mesh, &prepared.patches, &fake.phi()).unwrap();
        let rule = config.output.checkpoint;
        let keeper = Keeper::new(folder.file(CHECKPOINT), rule, identity, 1000.0);
        let work = Loop {
            mesh,
            evolve: config.evolve.as_ref().unwrap(),
            output: &config.output,
            states: &mut states,
            measures: &mut measures,
            interrupt: flag,
            observer: &Silent,
            measurer: Measurer::new(mesh),
            keeper: Some(keeper),
        };
        let done = work.run(fake, None, &mut report);
        let kept = Checkpoint::read(&folder.file(CHECKPOINT)).ok();
        let text = std::fs::read_to_string(folder.file("measures.csv")).unwrap();
        let time = |line: &str| line.split(',').nth(1).unwrap().parse().unwrap();
        (done, report, text.lines().skip(1).map(time).collect(), kept)
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
    fn a_checkpoint_stands_between_a_step_and_its_outputs() {
        let flag = AtomicBool::new(false);
        // Every third step is an output time.
        let (done, _, times, kept) =
            run_and_keep(&mut Fake::new(&flag), &["output.checkpoint={ every = 6 }"]);
        done.unwrap();
        let kept = kept.unwrap();
        assert_eq!((kept.position.steps, kept.position.time), (6, 0.5));
        assert_eq!(kept.position.next_output, 3);
        assert!(kept.position.state_due && kept.position.measures_due);
        // Steps 0, 2, 3, 4 were measured before; the run ended with more.
        let lines = kept.written.measures.bytes;
        assert_eq!(kept.last.unwrap().step, 4);
        assert!(lines > 0 && times.len() == 9);
        assert_eq!(kept.written.states, [(0, 0.0), (3, 0.25)]);
        assert!(kept.seconds.total >= 1000.0, "{:?}", kept.seconds);
    }

    #[test]
    fn an_interrupt_keeps_what_it_alone_has_written_out_of_the_checkpoint() {
        let flag = AtomicBool::new(false);
        let mut fake = Fake { interrupts_at: (4, &flag), ..Fake::new(&flag) };
        let (done, report, _, kept) = run_and_keep(&mut fake, &[]);
        done.unwrap();
        let kept = kept.unwrap();
        assert_eq!((report.steps, report.states), (4, 3));
        assert_eq!((kept.position.steps, kept.written.states.len()), (4, 2));
        assert!(!kept.position.state_due && kept.position.measures_due);
        assert_eq!(kept.position.ended_by, "");
    }

    #[test]
    fn a_failed_step_keeps_the_one_before() {
        let flag = AtomicBool::new(false);
        let mut fake = Fake { fails_at: 5, ..Fake::new(&flag) };
        let (done, _, _, kept) = run_and_keep(&mut fake, &[]);
        assert_eq!(done.unwrap_err().exit_code(), 4);
        let kept = kept.unwrap();
        assert_eq!(kept.position.steps, 4);
        assert!(!kept.position.state_due && !kept.position.measures_due);
        assert_eq!(kept.written.states.len(), 2);
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
