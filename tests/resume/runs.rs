//! Tests that a run that is resumed after an interrupt or a disk failure leaves the same files as
//! an uninterrupted run.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use zeroset::Error;
use zeroset::config::Config;
use zeroset::output::Status;
use zeroset::run::{self, Observer, Options, Outcome, Progress};

use crate::folder::assert_same;

const PLANAR: &str = "\
version = 1
[domain.mesh]
generate.square = { cells = [16, 16], min = [-1, -1], max = [1, 1], jitter = 0.2 }
patch_size = 16
[initial]
ball = { center = [0.1, 0, 0], radius = 0.5 }
[evolve]
end_time = 0.05
cfl = 0.25
curvature = 0.3
normal_speed = 0.8
velocity = { rotation = { axis = [0, 0, 1], period = 2 } }
[reinitialize]
half_width = 3
[output]
interval = 0.012
measures_every = 3
fields = [\"band\", \"patch\"]
gifti = true
freesurfer = true
";

const SURFACE: &str = "\
version = 1
precision = \"f32\"
domain.mesh = { generate.sphere = { subdivisions = 3 }, patch_size = 16 }
[initial]
ball = { center = [0, 0, 1], radius = 0.8 }
[evolve]
max_steps = 40
normal_speed = 0.3
[output]
every = 7
measures_every = 2
";

const SOLID: &str = "\
version = 1
domain.mesh = { generate.cube = { cells = [6, 6, 6], jitter = 0.1 }, patch_size = 32 }
[initial]
ball = { center = [0.5, 0.5, 0.5], radius = 0.3 }
[evolve]
max_steps = 30
curvature = 0.1
cfl = 0.1
[reinitialize]
half_width = \"whole\"
rule = { every = 4 }
[output]
every = 8
interface = true
[expect]
steps = 30
";

pub fn config(text: &str, set: &[&str]) -> Config {
    let set: Vec<String> = set.iter().map(|s| s.to_string()).collect();
    Config::parse(text, Path::new("case.toml"), &set).unwrap()
}

/// An observer that interrupts the run after a given step.
struct After<'a> {
    step: u64,
    flag: &'a AtomicBool,
}

impl Observer for After<'_> {
    fn stage(&self, _: &str) {}
    fn step(&self, progress: &Progress) {
        if progress.step == self.step {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

/// Runs a case into a folder, until the given step or to the end.
pub fn run(
    config: &Config,
    folder: &Path,
    resume: bool,
    until: Option<u64>,
) -> zeroset::Result<Outcome> {
    let flag = AtomicBool::new(false);
    // The run checks the flag after the following step.
    let observer = After { step: until.map_or(u64::MAX, |step| step - 1), flag: &flag };
    let options =
        Options::new(&flag, &observer).into_folder(Some(folder.into()), false).resuming(resume);
    run::run(config, &options)
}

pub struct Folders(tempfile::TempDir);

impl Folders {
    pub fn new() -> Self {
        Folders(tempfile::tempdir().unwrap())
    }
    pub fn named(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

/// Interrupts a run at each of the steps `stops` and resumes it each time. Compares its files with
/// those of an uninterrupted run.
fn interrupted_is_uninterrupted(text: &str, set: &[&str], stops: &[u64]) {
    let folders = Folders::new();
    let (whole, parts) = (folders.named("whole"), folders.named("parts"));
    let config = config(text, set);
    let outcome = run(&config, &whole, false, None).unwrap();
    let report = outcome.report;
    assert_eq!(report.status, Status::Finished);
    assert!(!outcome.resumable && !whole.join("checkpoint.zeroset").exists());
    assert!(report.steps > *stops.last().unwrap() && report.states > 3, "{}", report.steps);
    for (k, &stop) in stops.iter().enumerate() {
        let part = run(&config, &parts, k > 0, Some(stop)).unwrap();
        assert_eq!((part.report.status, part.report.steps), (Status::Interrupted, stop));
        assert!(part.resumable && parts.join("checkpoint.zeroset").exists());
        assert!(parts.join(format!("interface_{stop:06}.vtp")).exists());
    }
    let end = run(&config, &parts, true, None).unwrap().report;
    assert_eq!(end.cell_updates, report.cell_updates);
    assert_eq!(end.first, report.first);
    assert_eq!(end.drift.unwrap().relative.to_bits(), report.drift.unwrap().relative.to_bits());
    assert_same(&parts, &whole, &format!("{set:?} {stops:?}"));
}

#[test]
fn interrupts_leave_no_trace() {
    interrupted_is_uninterrupted(PLANAR, &[], &[2, 4, 11, 30, 130]);
    // These are steps after which a state is due, and their neighbors.
    interrupted_is_uninterrupted(SURFACE, &[], &[7, 20]);
    interrupted_is_uninterrupted(SURFACE, &[], &[6, 8, 21, 39]);
    interrupted_is_uninterrupted(SURFACE, &["precision=f64", "evolve.curvature=0.05"], &[9, 34]);
    // These are steps just before, at, and just after a reinitialization.
    interrupted_is_uninterrupted(SOLID, &[], &[3, 5, 16, 29]);
    interrupted_is_uninterrupted(SOLID, &["precision=f32", "output.interface=true"], &[4, 13]);
    // All states are in one file. The state from the time of the interrupt must be removed from it.
    let one = ["output.format=vtkhdf", "output.compression=zlib"];
    interrupted_is_uninterrupted(SURFACE, &one, &[6, 8, 21, 39]);
    interrupted_is_uninterrupted(SOLID, &one[..1], &[3, 8, 17, 29]);
}

#[test]
fn the_rhythm_of_checkpoints_changes_nothing() {
    let folders = Folders::new();
    let set = |checkpoint: &str| format!("output.checkpoint={checkpoint}");
    let report = |name: &str, checkpoint: &str| {
        let config = config(SURFACE, &[&set(checkpoint)]);
        let folder = folders.named(name);
        run(&config, &folder, false, None).unwrap();
        let mut files = crate::folder::files(&folder);
        // The report contains the checkpoint interval, which differs.
        files.remove("report.json");
        files
    };
    let never = report("a", "never");
    assert!(report("b", "{ every = 1 }") == never);
    assert!(report("c", "{ minutes = 1e-9 }") == never);
}

#[test]
fn without_checkpoints_an_interrupt_leaves_none() {
    let folders = Folders::new();
    let config = config(SURFACE, &["output.checkpoint=never"]);
    let outcome = run(&config, &folders.named("a"), false, Some(5)).unwrap();
    assert!(!outcome.resumable);
    let error = run(&config, &folders.named("a"), true, None).unwrap_err().to_string();
    assert!(error.contains("holds no checkpoint; begin again with --overwrite"), "{error}");
}

/// A folder has the name of an output file, so that writing the file fails.
#[test]
fn a_failed_output_is_written_when_the_run_is_resumed() {
    for (text, file, stop) in [
        (SURFACE, "interface_000014.vtp", None),
        (SURFACE, "interface_000014.vtp", Some(13)),
        (SOLID, "case_000030.vtu", None),
    ] {
        let folders = Folders::new();
        let (whole, parts) = (folders.named("whole"), folders.named("parts"));
        let config = config(text, &[]);
        run(&config, &whole, false, None).unwrap();
        if stop.is_some() {
            run(&config, &parts, false, stop).unwrap();
        }
        std::fs::create_dir_all(parts.join(file)).unwrap();
        let error = run(&config, &parts, stop.is_some(), None).unwrap_err();
        assert_eq!(error.exit_code(), 6);
        assert!(error.to_string().contains(file), "{error}");
        let report = std::fs::read_to_string(parts.join("report.json")).unwrap();
        assert!(report.contains("\"status\": \"failed\""));
        // Neither the other file of this state nor its entry in the list may exist.
        let other = file.replace("interface_", "case_");
        if other != file {
            assert!(!parts.join(&other).exists(), "{other} must not exist");
            let list = std::fs::read_to_string(parts.join("case.pvd")).unwrap();
            assert!(list.contains("case_000007.vtp") && !list.contains(&other), "{list}");
        }
        std::fs::remove_dir(parts.join(file)).unwrap();
        run(&config, &parts, true, None).unwrap();
        assert_same(&parts, &whole, &format!("{file} {stop:?}"));
    }
}

/// An observer that sets the flag when the named stage begins.
struct AtStage<'a>(&'a str, &'a AtomicBool);

impl Observer for AtStage<'_> {
    fn stage(&self, name: &str) {
        if name == self.0 {
            self.1.store(true, Ordering::Relaxed);
        }
    }
    fn step(&self, _: &Progress) {}
}

#[test]
fn the_stages_before_the_first_step_can_be_interrupted() {
    let folders = Folders::new();
    let distance = PLANAR.split("[evolve]").next().unwrap().to_string() + "[distance]\n";
    for (text, stage) in [
        (PLANAR, "reading the mesh"),
        (PLANAR, "partitioning the mesh"),
        (PLANAR, "setting up"),
        (&distance, "setting up"),
        (&distance, "computing the distance"),
    ] {
        let flag = AtomicBool::new(false);
        let observer = AtStage(stage, &flag);
        let folder = folders.named("a");
        let options = Options::new(&flag, &observer).into_folder(Some(folder.clone()), false);
        let error = run::run(&config(text, &[]), &options).unwrap_err();
        assert!(matches!(error, Error::Interrupted), "{stage}: {error}");
        assert!(!folder.exists(), "{stage}: a run that has not started must not leave files");
    }
}
