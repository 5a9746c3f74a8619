//! Tests the memory use of a triangle mesh at run time, as counted by the allocator
//! (docs/patches.md).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use zeroset::Cpu;
use zeroset::config::Config;
use zeroset::levelset::eikonal::{EikonalState, Slowness, solve};
use zeroset::levelset::evolution::{Coefficient, CurvatureStep, Evolution, Options, Terms};
use zeroset::mesh::clean;
use zeroset::mesh::generate::{Generate, Sphere, generate};
use zeroset::patches::{Coordinates, PATCH_SIZE, Partition, Patches};
use zeroset::run::{self, Observer, Progress};
use zeroset_testing::heap::Meter;

/// The largest allowed number of bytes per vertex for a triangle mesh in f64, in any stage. It
/// includes the mesh.
const MOST: usize = 350;
/// The largest allowed number of bytes per vertex of a run that writes states and checkpoints.
const OF_A_RUN: usize = 400;

#[global_allocator]
static METER: Meter = Meter::new();

/// Returns the result of `work`, and the peak memory above `start` in bytes per vertex.
fn peak<T>(start: u64, n: usize, work: impl FnOnce() -> T) -> (T, usize) {
    let (result, most) = METER.peak_during(work);
    (result, most.saturating_sub(start) as usize / n)
}

/// This file has only one test, because the memory of other tests would also be counted.
#[test]
fn a_triangle_mesh_takes_no_more_memory_than_stated() {
    let cpu = Arc::new(Cpu::new(2).unwrap());
    cpu.run(|| rayon::join(|| (), || ()));
    let start = METER.held();
    let run = run_that_writes(start);
    let mut spec = Sphere::default();
    (spec.irregular, spec.vertices, spec.radius) = (true, Some(60_000), 100.0);
    let stored = generate(&Generate::Sphere(spec)).unwrap();
    let n = stored.n_vertices();

    let (mesh, cleaning) = peak(start, n, || cpu.run(|| clean(stored).unwrap().0));
    let partition = || Patches::new(&mesh, Partition::Bisection, PATCH_SIZE).unwrap();
    let (patches, cutting) = peak(start, n, || Arc::new(cpu.run(partition)));
    let (_, distance) = peak(start, n, || {
        let coordinates = Arc::new(Coordinates::<f64>::new(&mesh, &patches));
        let mut state = EikonalState::new(patches.clone(), coordinates, Slowness::Uniform(1.0));
        state.seed(&[(0, 0.0)]);
        solve(&cpu, &mut state, None).unwrap();
        state.u_in_mesh_order()
    });
    let phi: Vec<f64> = mesh.vertices.iter().map(|x| x[2] - 10.0).collect();
    let terms = Terms::default()
        .with_velocity(Coefficient::Uniform([1.0, 0.0, 0.0]))
        .with_normal_speed(Coefficient::Uniform([1e-3]))
        .with_curvature(Coefficient::Uniform([1e-3]));
    let evolve = |options: Options| {
        let (cpu, patches) = (cpu.clone(), patches.clone());
        let mut evolution =
            Evolution::<f64>::new(cpu, &mesh, patches, &phi, &terms, options).unwrap();
        (0..3).for_each(|_| {
            evolution.step(1e-9).unwrap();
        });
        evolution.reinitialize();
    };
    let (_, whole) = peak(start, n, || evolve(Options::new(None)));
    let (_, band) = peak(start, n, || evolve(Options::new(Some(5.0))));
    let implicit = Options::new(None).with_curvature_step(CurvatureStep::Implicit);
    let (_, implicit) = peak(start, n, || evolve(implicit));

    let all = [cleaning, cutting, distance, whole, band, implicit];
    println!("cleaning, partition, distance, whole, band, implicit: {all:?} bytes per vertex");
    assert!(all.iter().all(|&bytes| bytes <= MOST), "bytes per vertex: {all:?}");
    println!("a run: {run} bytes per vertex");
    assert!((48..=OF_A_RUN).contains(&run), "a run: {run} bytes per vertex");
    // Without this check, the test would also pass with a memory counter that does not work. The
    // mesh alone needs 48 bytes per vertex.
    assert!(all.iter().all(|&bytes| bytes > 48), "bytes per vertex: {all:?}");
}

/// Returns the peak memory above `start`, in bytes per vertex, of a run with checkpoints that
/// writes its states while the following steps run.
fn run_that_writes(start: u64) -> usize {
    let case = "version = 1\n[domain.mesh]\n\
                generate.sphere = { irregular = true, vertices = 500000, radius = 100 }\n\
                [initial]\nball = { center = [0, 0, 100], radius = 50 }\n\
                [evolve]\nmax_steps = 4\ncurvature = 1\n\
                [output]\nevery = 1\ncheckpoint = { every = 2 }\n";
    let config = Config::parse(case, Path::new("case.toml"), &[]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (flag, results) = (AtomicBool::new(false), Some(folder.path().join("results")));
    let options = run::Options::new(&flag, &Quiet).into_folder(results, false);
    let (done, most) = METER.peak_during(|| run::run(&config, &options));
    let report = done.unwrap().report;
    assert_eq!(report.states, 5);
    most.saturating_sub(start) as usize / report.mesh.unwrap().vertices
}

struct Quiet;

impl Observer for Quiet {
    fn stage(&self, _: &str) {}
    fn step(&self, _: &Progress) {}
}
