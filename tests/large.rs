//! Tests a planar mesh of 100 million triangles against the bytes per vertex stated in
//! docs/patches.md.
//!
//! The test takes about 15 GB and several minutes, and is therefore run by name:
//! `cargo test --release --test large -- --ignored --nocapture`.

use std::f64::consts::PI;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use zeroset::config::Config;
use zeroset::run::{self, Observer, Options, Progress};
use zeroset_testing::heap::Meter;

/// The largest allowed number of bytes per vertex of a run, as in tests/memory.rs.
const MOST: u64 = 400;

const CELLS: u64 = 7072;

#[global_allocator]
static METER: Meter = Meter::new();

/// Prints the duration of every stage of a run, and the peak memory in bytes per vertex.
struct Stages(Mutex<Stage>);

struct Stage {
    name: String,
    start: Instant,
    /// The largest number of bytes per vertex in all stages so far.
    worst: u64,
}

impl Stages {
    fn next(&self, name: &str) -> u64 {
        let mut stage = self.0.lock().unwrap();
        let bytes = METER.take_peak() / ((CELLS + 1) * (CELLS + 1));
        println!("{:<32} {:>7.1} s  {bytes} bytes per vertex", stage.name, seconds(&stage));
        (stage.name, stage.start) = (name.into(), Instant::now());
        stage.worst = stage.worst.max(bytes);
        stage.worst
    }
}

fn seconds(stage: &Stage) -> f64 {
    stage.start.elapsed().as_secs_f64()
}

impl Observer for Stages {
    fn stage(&self, name: &str) {
        self.next(name);
    }

    fn step(&self, _: &Progress) {}
}

#[test]
#[ignore = "takes 15 GB and some minutes"]
fn a_hundred_million_triangles_run_within_the_memory_stated() {
    let folder = tempfile::tempdir().unwrap();
    let case = format!(
        "version = 1\n[domain.mesh]\ngenerate.square = {{ cells = [{CELLS}, {CELLS}] }}\n\
         [initial]\nball = {{ center = [0.5, 0.5, 0], radius = 0.25 }}\n\
         [evolve]\nmax_steps = 10\ncurvature = 1\n"
    );
    let path = folder.path().join("large.toml");
    std::fs::write(&path, case).unwrap();
    let config = Config::load(&path, &[]).unwrap();
    let begin = Stage { name: "beginning".into(), start: Instant::now(), worst: 0 };
    let (flag, stages) = (AtomicBool::new(false), Stages(Mutex::new(begin)));
    let results = Some(folder.path().join("results"));
    let outcome = run::run(&config, &Options::new(&flag, &stages).into_folder(results, false));
    let worst = stages.next("");
    let report = outcome.unwrap().report;
    assert!(worst <= MOST, "{worst} bytes per vertex");
    assert!(report.mesh.unwrap().cells > 100_000_000);
    assert_eq!((report.steps, report.states), (10, 2));
    // A circle that shrinks by curvature loses an area of 2 pi t.
    let [first, last] = [report.first, report.last].map(Option::unwrap);
    let lost = (first.enclosed - last.enclosed) / (2.0 * PI * last.time);
    assert!((lost - 1.0).abs() < 0.02, "the circle has lost {lost} times the exact area");
}
