//! Tests tiled cases with `device.use = "cuda"`: results match those computed on the CPU, resumed
//! runs are bitwise identical, and breakdowns are reported.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use zeroset::config::Config;
use zeroset::run::{Observer, Options, Outcome, Progress, run};
use zeroset::volume::{Placement, Volume};

use crate::support;

const BALL: &str = "version = 1\nprecision = \"f64\"\n[domain.tiled]\ndx = 0.05\n[initial]\n\
    ball = { center = [0.1, 0, 0], radius = 0.5 }\n[evolve]\nend_time = 0.2\nnormal_speed = 1\n\
    velocity = [\"-y\", \"x\", \"0.5 - t\"]\n[reinitialize]\nrule = { every = 3 }\n\
    [output]\ninterval = 0.05\nvolume = {}\n";

/// An observer that ends a run after a number of steps.
pub struct Stop {
    after: u64,
    flag: AtomicBool,
}

impl Stop {
    pub fn after(after: u64) -> Self {
        Stop { after, flag: AtomicBool::new(false) }
    }
}

impl Observer for Stop {
    fn stage(&self, _: &str) {}
    fn step(&self, progress: &Progress) {
        if progress.step >= self.after {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

fn case(device: &str, set: &[&str]) -> Config {
    let device = format!("device.use={device}");
    let set: Vec<String> = set.iter().chain([&device.as_str()]).map(|s| s.to_string()).collect();
    Config::parse(BALL, "case.toml".as_ref(), &set).unwrap()
}

pub fn go(config: &Config, stop: &Stop, folder: &Path, resume: bool) -> Outcome {
    let options = Options::new(&stop.flag, stop).into_folder(Some(folder.to_path_buf()), false);
    run(config, &options.resuming(resume)).unwrap()
}

#[test]
fn a_run_on_a_gpu_is_that_of_the_cpu() {
    if support::cuda().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    for (name, set) in [
        ("weno", &[][..]),
        ("direct", &["reinitialize.method=direct", "domain.tiled.tile_edge=4"]),
        ("first", &["evolve.scheme=first-order", "precision=f32", "domain.tiled.storage=16-bit"]),
        (
            "formula",
            &[
                "initial={ expression = \"x^2 + y^2 + z^2 - 0.25\" }",
                "domain.tiled.bounds={ min = [-1, -1, -1], max = [1, 1, 1] }",
            ],
        ),
    ] {
        let report = |device: &str| {
            let folder = place.path().join(format!("{name}_{device}"));
            go(&case(device, set), &Stop::after(u64::MAX), &folder, false).report
        };
        let (cpu, gpu) = (report("cpu"), report("cuda"));
        assert_eq!((cpu.backend, gpu.backend), ("cpu", "cuda"), "{}", gpu.backend_reason);
        assert_eq!((cpu.steps, cpu.states, cpu.time), (gpu.steps, gpu.states, gpu.time), "{name}");
        assert_eq!(cpu.reinitializations, gpu.reinitializations, "{name}");
        let (a, b) = (cpu.last.unwrap(), gpu.last.unwrap());
        let gate = if name == "first" { 1e-4 } else { 1e-9 };
        assert!((a.enclosed / b.enclosed - 1.0).abs() < gate, "{name}: {a:?} {b:?}");
        assert!((a.interface / b.interface - 1.0).abs() < gate, "{name}: {a:?} {b:?}");
        assert_eq!(a.components, b.components, "{name}");
        let (a, b) = (cpu.tiles.unwrap(), gpu.tiles.unwrap());
        // On the GPU, the largest number of tiles is updated only at events. On the CPU, it is
        // updated after each step.
        assert!(a.most.abs_diff(b.most) * 10 <= a.most && b.bytes > 0, "{a:?} {b:?}");
        let apart = cpu.cell_updates.abs_diff(gpu.cell_updates);
        assert!(apart * 1000 < cpu.cell_updates, "{name}: {apart} of {}", cpu.cell_updates);
    }
}

#[test]
fn an_interrupted_run_goes_on_to_the_same_bits() {
    if support::cuda().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let (whole, parted) = (place.path().join("whole"), place.path().join("parted"));
    let config = case("cuda", &["precision=f32", "output.measures_every=2"]);
    go(&config, &Stop::after(u64::MAX), &whole, false);
    assert!(go(&config, &Stop::after(3), &parted, false).resumable);
    let done = go(&config, &Stop::after(u64::MAX), &parted, true);
    assert_eq!(done.report.ended_by, "end_time reached");
    let mut names: Vec<_> =
        std::fs::read_dir(&whole).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.retain(|name| name != "report.json" && name != "report.html");
    assert!(names.len() >= 12, "{names:?}");
    for name in names {
        let of = |folder: &Path| std::fs::read(folder.join(&name)).unwrap();
        assert!(of(&whole) == of(&parted), "{name:?} differs");
    }
}

#[test]
fn coarser_lattices_come_to_rest_on_a_gpu() {
    if support::cuda().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let set = [
        "domain.tiled.levels=3",
        "evolve.velocity=[0, 0, 0]",
        "evolve.normal_speed=\"1 - sqrt(x^2 + y^2 + z^2)\"",
    ];
    let last = |device: &str| {
        let folder = place.path().join(device);
        go(&case(device, &set), &Stop::after(u64::MAX), &folder, false).report.last.unwrap()
    };
    let (cpu, gpu) = (last("cpu"), last("cuda"));
    let volume = 4.0 / 3.0 * std::f64::consts::PI;
    assert!((cpu.enclosed / volume - 1.0).abs() < 0.02, "{cpu:?}");
    assert!((gpu.enclosed / cpu.enclosed - 1.0).abs() < 1e-9, "{gpu:?} {cpu:?}");
}

#[test]
fn a_breakdown_names_place_and_expression() {
    if support::cuda().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let config = case("cuda", &["evolve.normal_speed=\"1 + if(t > 0.05, sqrt(0.32 - x), 0)\""]);
    let stop = Stop::after(u64::MAX);
    let out = place.path().join("out");
    let options = Options::new(&stop.flag, &stop).into_folder(Some(out.clone()), false);
    let error = run(&config, &options).unwrap_err();
    assert_eq!(error.exit_code(), 4, "{error}");
    let said = error.to_string();
    assert!(said.contains("evolve.normal_speed is NaN at voxel ("), "{said}");
    assert!(said.contains("sqrt(0.32 - x)") && said.contains("^^^^^^"), "{said}");
    let lines = std::fs::read_to_string(out.join("measures.csv")).unwrap();
    let last: f64 = lines.lines().last().unwrap().split(',').nth(1).unwrap().parse().unwrap();
    assert!(last > 0.0 && last < 0.1, "{lines}");
    assert!(out.join("checkpoint.zeroset").exists());
}

/// Writes the values of a function on 9^3 voxels at `-1 + 0.25 (i, j, k)` to a file. Returns the
/// coefficient of a case that reads this file.
fn sampled(path: &Path, f: impl Fn([f64; 3]) -> f64) -> String {
    let place = |n: usize| [n % 9, n / 9 % 9, n / 81].map(|c| 0.25 * c as f64 - 1.0);
    let values: Vec<f32> = (0..729).map(|n| f(place(n)) as f32).collect();
    let volume = Volume::new([9; 3], values.into(), Placement::identity()).unwrap();
    let steps = [[0.25, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0, 0.0, 0.25]];
    let volume = volume.placed([-1.0; 3], steps).unwrap();
    zeroset::io::write_volume(path, &volume, &Default::default()).unwrap();
    format!("{{ volume = {:?} }}", path.display().to_string())
}

/// Tests coefficients given by volumes. Measures match those computed on the CPU, a run that is
/// interrupted and resumed is bitwise identical to an uninterrupted run, and coarser levels use the
/// same volumes.
#[test]
fn short_volumes_are_coefficients() {
    if support::cuda().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let speed = sampled(&place.path().join("f.nrrd"), |[x, y, z]| 1.0 + 0.5 * x - 0.25 * y * z);
    let flow = sampled(&place.path().join("u.nrrd"), |[x, _, z]| 0.5 * x + 0.5 * x * z);
    let towards =
        sampled(&place.path().join("g.nii"), |x| 0.6 - x.iter().map(|x| x * x).sum::<f64>().sqrt());
    let speed = format!("evolve.normal_speed={speed}");
    let kept = format!("evolve.velocity=[{flow}, 0.5, 0]");
    let both = format!("evolve.velocity=[{flow}, 0.5, \"z - t\"]");
    let rest = format!("evolve.normal_speed={towards}");
    let (short, often) = ("evolve.end_time=0.03", "output.measures_every=2");
    for (name, set) in [
        ("kept", &[&*speed, &kept, short, often][..]),
        ("both", &[&speed, &both, short, "domain.tiled.tile_edge=4", "precision=f32"]),
        (
            "levels",
            &[&rest, "domain.tiled.levels=2", "domain.tiled.dx=0.1", "evolve.velocity=[0, 0, 0]"],
        ),
    ] {
        let done = |device: &str| {
            let folder = place.path().join(format!("{name}_{device}"));
            go(&case(device, set), &Stop::after(u64::MAX), &folder, false).report
        };
        let (cpu, gpu) = (done("cpu"), done("cuda"));
        assert_eq!((cpu.backend, gpu.backend), ("cpu", "cuda"), "{}", gpu.backend_reason);
        assert_eq!(cpu.time, gpu.time, "{name}");
        // In f32, the GPU uses fused multiply-adds, so the number of steps may differ.
        assert!(name == "both" || cpu.steps == gpu.steps, "{name}");
        let (a, b) = (cpu.last.unwrap(), gpu.last.unwrap());
        let gate = if name == "both" { 1e-4 } else { 1e-9 };
        assert!((a.enclosed / b.enclosed - 1.0).abs() < gate, "{name}: {a:?} {b:?}");
        assert!((a.interface / b.interface - 1.0).abs() < gate, "{name}: {a:?} {b:?}");
        // The volume of the ball must have changed since the start.
        assert!((a.enclosed / (std::f64::consts::PI / 6.0) - 1.0).abs() > 0.01, "{name}: {a:?}");
    }
    let (config, parted) =
        (case("cuda", &[&speed, &kept, short, often]), place.path().join("parted"));
    assert!(go(&config, &Stop::after(2), &parted, false).resumable);
    go(&config, &Stop::after(u64::MAX), &parted, true);
    let of = |folder: &str| std::fs::read(place.path().join(folder).join("measures.csv")).unwrap();
    assert!(of("parted") == of("kept_cuda"));
}
