//! Tests of the time loop with a fake motion.

use std::sync::{Arc, Condvar};
use std::time::Duration;

use super::super::identity;
use super::super::mesh_setup::MeshSetup;
use super::super::motion::State;
use super::super::states::{MeshState, States, StoredMesh};
use super::super::task::Stages;
use super::super::writer::Times;
use super::*;
use crate::Cpu;
use crate::config::Config;
use crate::error::Error;
use crate::levelset::evolution::{Advance, Snapshot, StepTarget, Totals};
use crate::mesh::Mesh;
use crate::output::checkpoint::{CHECKPOINT, Checkpoint};
use crate::output::{RunFolder, RunNames};
use crate::surface::Measurer;

const CASE: &str = "version = 1\n[domain.mesh]\ngenerate.square = { cells = [4, 4] }\n\
    [initial]\nball = { center = [0.5, 0.5, 0], radius = 0.3 }\n[evolve]\nend_time = 1\n\
    [output]\ninterval = 0.25\nmeasures_every = 2\n";

/// The last step that has begun. Other threads can wait for a step to begin.
#[derive(Default)]
struct Begun {
    step: Mutex<u64>,
    more: Condvar,
}

impl Begun {
    fn set(&self, step: u64) {
        *self.step.lock().unwrap() = step;
        self.more.notify_all();
    }

    /// Waits until the given step has begun.
    fn wait_for(&self, step: u64) -> Result<()> {
        let (guard, long) = (self.step.lock().unwrap(), Duration::from_secs(30));
        let (guard, _) = self.more.wait_timeout_while(guard, long, |now| *now < step).unwrap();
        let what = format!("step {step} waits for the writer, after {}", *guard);
        if *guard < step { Err(disk(&what)) } else { Ok(()) }
    }
}

fn disk(what: &str) -> Error {
    Error::output("disk".as_ref(), what, "")
}

/// A writer of states that calls `before` before each state is written. The call may fail.
struct Hooked<'a> {
    states: States<'a>,
    before: &'a (dyn Fn(u64) -> Result<()> + Sync),
}

impl Files for Hooked<'_> {
    fn write(&mut self, state: &State) -> Result<()> {
        (self.before)(state.of_mesh()?.step)?;
        self.states.write(state)
    }
    fn written(&self) -> &[(u64, f64)] {
        self.states.written()
    }
    fn resume(&mut self, written: Times, step: u64, due: bool) -> Result<()> {
        self.states.resume(written, step, due)
    }
    fn has_pictures(&self) -> bool {
        self.states.has_pictures()
    }
    fn finish(&mut self, last: &State) -> Result<()> {
        self.states.finish(last)
    }
}

/// A motion with steps of at most 0.1. In a given step, it can fail, lose its interface or set a
/// flag.
struct Fake<'a> {
    n: usize,
    /// The measurer and its mesh. They are set before the loop runs.
    measured: Option<(Measurer, Mesh)>,
    steps: u64,
    fails_at: u64,
    gone_at: u64,
    interrupts_at: (u64, &'a AtomicBool),
    begun: Arc<Begun>,
}

impl<'a> Fake<'a> {
    fn new(flag: &'a AtomicBool) -> Self {
        let never = u64::MAX;
        let interrupts_at = (never, flag);
        let begun = Arc::default();
        Fake {
            n: 25,
            measured: None,
            steps: 0,
            fails_at: never,
            gone_at: never,
            interrupts_at,
            begun,
        }
    }

    fn phi(&self) -> Vec<f64> {
        (0..self.n).map(|v| v as f64 - 12.5).collect()
    }
}

impl Motion for Fake<'_> {
    fn advance(&mut self, until: &StepTarget) -> Result<Advance> {
        self.steps += 1;
        self.begun.set(self.steps);
        if self.steps == self.fails_at {
            return Err(Error::Numerical { what: "as told".into(), remedy: String::new() });
        }
        if self.steps == self.interrupts_at.0 {
            self.interrupts_at.1.store(true, Ordering::Relaxed);
        }
        let dt = until.largest_step().min(0.1);
        Ok(until.after(dt, 1.0))
    }
    fn is_extinct(&self) -> bool {
        self.steps >= self.gone_at
    }
    fn measure(&mut self) -> Result<Measures> {
        let (measurer, mesh) = self.measured.as_ref().unwrap();
        let found = measurer.measure(mesh, &self.phi());
        Ok(Measures { interface: found.interface, enclosed: found.enclosed, ..Measures::default() })
    }
    fn state(&mut self, step: u64, time: f64) -> Result<LateState> {
        let (state, snapshot) = (self.view(step, time)?, self.snapshot()?);
        let snapshot: Late<checkpoint::State> = Box::new(move || Ok(snapshot));
        Ok(LateState { state: Box::new(move || Ok(state)), snapshot: Some(snapshot) })
    }
    fn view(&mut self, step: u64, time: f64) -> Result<State> {
        let (phi, band) = (self.phi(), vec![true; self.n]);
        Ok(State::Mesh(MeshState { step, time, phi, band, ..MeshState::default() }))
    }
    fn snapshot(&mut self) -> Result<checkpoint::State> {
        Ok(checkpoint::State::Mesh(Snapshot {
            precision_bits: 64,
            time: 0.0,
            step: self.steps,
            displacement: 0.0,
            steps_since: 0,
            gone: false,
            phi: self.phi(),
            in_band: vec![true; self.n],
            totals: self.totals(),
            volume: None,
            map: None,
        }))
    }
    fn interface(&mut self) -> Result<Vec<[f64; 3]>> {
        Ok(Vec::new())
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

/// Runs the loop and returns its result, the report and the times in `measures.csv`.
fn run(fake: &mut Fake<'_>, set: &[&str]) -> (Result<()>, Report, Vec<f64>) {
    let (done, report, times, _) = run_and_keep(fake, set, &|_| Ok(()));
    (done, report, times)
}

/// Runs the loop like [`run`] and also returns the checkpoint that is left afterwards. `before` is
/// called before each state is written.
fn run_and_keep(
    fake: &mut Fake<'_>,
    set: &[&str],
    before: &(dyn Fn(u64) -> Result<()> + Sync),
) -> (Result<()>, Report, Vec<f64>, Option<Checkpoint>) {
    let flag = fake.interrupts_at.1;
    let set: Vec<String> = set.iter().map(|s| s.to_string()).collect();
    let config = Config::parse(CASE, "case.toml".as_ref(), &set).unwrap();
    let never = AtomicBool::new(false);
    let mut stage = Stages::new(&Silent, &never);
    let setup = MeshSetup::new(&config, Arc::new(Cpu::new(1).unwrap()), &mut stage).unwrap();
    let mut report = Report::new(&config, 1);
    let parent = tempfile::tempdir().unwrap();
    let folder =
        RunFolder::open(&parent.path().join("out"), RunNames::default(), &[], false).unwrap();
    let stored = StoredMesh::new(&setup.cleaned, config.compression());
    let patch_of = setup.patches.patch_of_vertex();
    let states = States::new(&config, &stored, &patch_of, "phi", &folder, None).unwrap();
    let mut files = Hooked { states, before };
    let mesh = &setup.cleaned.mesh;
    let mut measures = MeasuresFile::create(&folder.file("measures.csv"), mesh.kind).unwrap();
    let identity = identity::of(&config, mesh, &setup.patches, &fake.phi()).unwrap();
    let rule = config.output.checkpoint;
    let keeper = Keeper::new(folder.file(CHECKPOINT), rule, identity, (Instant::now(), 1000.0));
    fake.measured = Some((Measurer::new(mesh), mesh.clone()));
    let inputs = LoopInputs {
        start_time: 0.0,
        evolve: config.evolve.as_ref().unwrap(),
        output: &config.output,
        measures: &mut measures,
        interrupt: flag,
        observer: &Silent,
        keeper: Some(keeper),
        threads: 1,
    };
    let done = inputs.run(fake, &mut files, None, &mut report);
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
    // There are three steps per output time, and a line of measures every second step.
    let rounded: Vec<i64> = times.iter().map(|t| (t * 100.0).round() as i64).collect();
    assert_eq!(rounded, [0, 20, 25, 35, 50, 70, 75, 85, 100]);
    assert!([0.25, 0.5, 0.75, 1.0].iter().all(|t| times.contains(t)), "{times:?}");
    assert_eq!((report.steps, report.time, report.states), (12, 1.0, 5));
    assert_eq!((report.status, report.ended_by.as_str()), (Status::Finished, "end_time reached"));
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
fn a_failed_step_leaves_the_state_before_it() {
    let flag = AtomicBool::new(false);
    let mut fake = Fake { fails_at: 5, ..Fake::new(&flag) };
    let (done, report, times) = run(&mut fake, &[]);
    assert_eq!(done.unwrap_err().exit_code(), 4);
    assert_eq!(report.status, Status::Failed);
    // Steps 0, 2 and 3 were measured as planned, and states 0 and 3 were written. Step 4 was
    // measured, too, because it became the last good state.
    assert_eq!((report.steps, report.states, times.len()), (4, 3, 4));
    assert_eq!(report.last.unwrap().step, 4);
}

#[test]
fn a_checkpoint_stands_between_a_step_and_its_outputs() {
    let flag = AtomicBool::new(false);
    // Every third step is an output time.
    let (done, _, times, kept) =
        run_and_keep(&mut Fake::new(&flag), &["output.checkpoint={ every = 6 }"], &|_| Ok(()));
    done.unwrap();
    let kept = kept.unwrap();
    assert_eq!((kept.position.steps, kept.position.time), (6, 0.5));
    assert_eq!(kept.position.next_output, 3);
    assert!(kept.position.state_due && kept.position.measures_due);
    // Steps 0, 2, 3 and 4 were measured before the checkpoint. The whole run has more lines.
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
    let (done, report, _, kept) = run_and_keep(&mut fake, &[], &|_| Ok(()));
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
    let (done, _, _, kept) = run_and_keep(&mut fake, &[], &|_| Ok(()));
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

#[test]
fn steps_go_on_while_a_state_is_written() {
    let flag = AtomicBool::new(false);
    let mut fake = Fake::new(&flag);
    let begun = fake.begun.clone();
    // Every state but the last one is written only after two more steps have begun.
    let slow = |step: u64| if step < 12 { begun.wait_for(step + 2) } else { Ok(()) };
    let (done, report, times, _) = run_and_keep(&mut fake, &[], &slow);
    done.unwrap();
    let (_, quick, expected) = run(&mut Fake::new(&flag), &[]);
    assert_eq!(times, expected);
    assert_eq!((report.steps, report.states), (quick.steps, quick.states));
    assert_eq!((report.first, report.last), (quick.first, quick.last));
}

#[test]
fn a_checkpoint_waits_for_the_state_that_is_being_written() {
    let flag = AtomicBool::new(false);
    let mut fake = Fake::new(&flag);
    let begun = fake.begun.clone();
    let slow = |step: u64| if step == 3 { begun.wait_for(4) } else { Ok(()) };
    let set = ["output.checkpoint={ every = 4 }", "evolve.max_steps=5"];
    let (done, _, _, kept) = run_and_keep(&mut fake, &set, &slow);
    done.unwrap();
    let kept = kept.unwrap();
    assert_eq!(kept.position.steps, 4);
    assert_eq!(kept.written.states, [(0, 0.0), (3, 0.25)]);
}

/// Runs a case in which writing state 3 fails. The failure becomes known only after step 5 has
/// begun.
fn fails_late(fake: &mut Fake<'_>) {
    let begun = fake.begun.clone();
    let late = |step: u64| match step {
        3 => begun.wait_for(5).and(Err(disk("full"))),
        _ => Ok(()),
    };
    let (done, report, times, kept) = run_and_keep(fake, &[], &late);
    let error = done.unwrap_err();
    assert_eq!((error.exit_code(), error.to_string().as_str()), (6, "disk: full"));
    // The result is as if no later step had been taken.
    assert_eq!(report.status, Status::Failed);
    assert_eq!((report.steps, report.time, report.states), (3, 0.25, 1));
    assert_eq!(report.last.unwrap().step, 3);
    assert_eq!((times.len(), times[2]), (3, 0.25));
    let kept = kept.unwrap();
    assert_eq!(
        (kept.position.steps, kept.position.time, kept.position.dt),
        (3, 0.25, report.last.unwrap().dt)
    );
    assert!(kept.position.state_due && kept.position.measures_due);
    assert_eq!(kept.position.next_output, 2);
    assert_eq!(kept.written.states, [(0, 0.0)]);
    assert_eq!(kept.last.unwrap().step, 3);
    let checkpoint::State::Mesh(snapshot) = kept.state else { panic!("of a mesh") };
    assert_eq!(snapshot.step, 3);
}

#[test]
fn a_state_that_cannot_be_written_leaves_the_checkpoint_of_its_step() {
    let flag = AtomicBool::new(false);
    fails_late(&mut Fake::new(&flag));
}

#[test]
fn a_state_that_cannot_be_written_comes_before_a_later_failure_and_an_interrupt() {
    let flag = AtomicBool::new(false);
    fails_late(&mut Fake { fails_at: 5, ..Fake::new(&flag) });
    fails_late(&mut Fake { interrupts_at: (5, &flag), ..Fake::new(&flag) });
}

#[test]
fn a_first_state_that_cannot_be_written_leaves_no_state_and_no_checkpoint() {
    let flag = AtomicBool::new(false);
    let mut fake = Fake::new(&flag);
    let begun = fake.begun.clone();
    let late = |_: u64| begun.wait_for(2).and(Err(disk("full")));
    let (done, report, times, kept) = run_and_keep(&mut fake, &[], &late);
    assert_eq!(done.unwrap_err().exit_code(), 6);
    assert_eq!((report.steps, report.states, times.len()), (0, 0, 1));
    assert!(kept.is_none());
}
