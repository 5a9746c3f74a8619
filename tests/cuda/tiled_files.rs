//! Compares the files of whole tiled runs on the CPU and on a GPU. The files are identical in f64,
//! and agree within the tolerance of V43 (docs/verification-cuda.md) in f32. Two runs on the GPU
//! write identical files.

use std::collections::BTreeMap;
use std::path::Path;

use zeroset::config::Config;
use zeroset::io::{VolumeOptions, read_volume};
use zeroset::run::Outcome;

use crate::support;
use crate::tiled_runs::{Stop, go};

/// Distance between voxels.
const DX: f64 = 0.08;
const BALL: &str = "version = 1\nprecision = \"f64\"\n[domain.tiled]\ndx = 0.08\n[initial]\n\
    ball = { center = [0.1, 0, 0], radius = 0.45 }\n[evolve]\nend_time = 0.12\nnormal_speed = 0.3\n\
    velocity = [\"-y\", \"x\", \"0.5 - t\"]\n[output]\ninterval = 0.04\n\
    volume = { min = [-1.5, -1.5, -1.5], max = [1.5, 1.5, 1.5] }\ninterface_files = [\"stl\", \"ply\"]\n";

/// Sets the velocity to zero, so that only the normal speed remains.
const STILL: &str = "evolve.velocity=[0, 0, 0]";
/// Two overlapping balls.
const TWO: &str = "initial={ expression = \
    \"min(sqrt((x - 0.4)*(x - 0.4) + y*y + z*z), sqrt((x + 0.4)*(x + 0.4) + y*y + z*z)) - 0.5\" }";
const BOUNDS: &str = "domain.tiled.bounds={ min = [-1.2, -1, -1], max = [1.2, 1, 1] }";

/// The name of each case, its settings, and the number of components of the last interface.
const CASES: [(&str, &[&str], u64); 9] = [
    ("WENO5, RK3", &[], 1),
    (
        "first order",
        &["evolve.scheme=first-order", "domain.tiled.tile_edge=4", "evolve.curvature=0.05"],
        1,
    ),
    (
        "larger tiles, every step",
        &["domain.tiled.tile_edge=8", "reinitialize.rule={ every = 1 }"],
        1,
    ),
    ("direct", &["reinitialize.method=direct", "reinitialize.rule={ every = 3 }"], 1),
    ("rescaling", &["evolve.scheme=first-order", "reinitialize.rescaling=0.5"], 1),
    (
        "coarser lattices",
        &[
            STILL,
            "domain.tiled.levels=2",
            "evolve.normal_speed=\"0.8 - sqrt(x*x + y*y + z*z)\"",
            "evolve.scheme=first-order",
        ],
        1,
    ),
    ("splits", &[STILL, TWO, BOUNDS, "evolve.normal_speed=-1", "evolve.end_time=0.34"], 2),
    ("leaves", &["evolve.velocity=[9, 0, 0]", "evolve.end_time=0.25"], 1),
    ("vanishes", &[STILL, "evolve.normal_speed=-4", "evolve.end_time=0.3"], 0),
];

fn case(device: &str, sets: &[&str]) -> Config {
    let device = format!("device.use={device}");
    let set: Vec<String> = sets.iter().chain([&device.as_str()]).map(|s| s.to_string()).collect();
    Config::parse(BALL, "case.toml".as_ref(), &set).unwrap()
}

fn run(folder: &Path, device: &str, sets: &[&str]) -> Outcome {
    go(&case(device, sets), &Stop::after(u64::MAX), folder, false)
}

/// Returns all files by name, except the reports, which contain timings.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let named = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_string();
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all = paths.map(|path| (named(&path), std::fs::read(&path).unwrap()));
    all.filter(|(name, _)| !name.starts_with("report.")).collect()
}

#[track_caller]
fn assert_same(found: &Path, expected: &Path, what: &str) {
    let (found, expected) = (files(found), files(expected));
    let names = |of: &BTreeMap<String, Vec<u8>>| of.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&found), names(&expected), "{what}");
    assert!(expected.len() >= 10, "{what}: only {:?}", names(&expected));
    for (name, bytes) in &expected {
        assert!(found[name] == *bytes, "{what}: {name} differs");
    }
}

/// Asserts that the counts in two reports agree. They do not depend on the device.
#[track_caller]
fn assert_same_counts(a: &Outcome, b: &Outcome, what: &str) {
    let (a, b) = (&a.report, &b.report);
    assert_eq!((a.steps, a.states, &a.ended_by), (b.steps, b.states, &b.ended_by), "{what}");
    assert_eq!(a.reinitializations, b.reinitializations, "{what}");
    let ends = [a, b].map(|report| report.tiles.as_ref().unwrap().last);
    assert_eq!(ends[0], ends[1], "{what}");
}

#[test]
fn files_in_f64_are_those_of_the_cpu_byte_for_byte() {
    if support::cuda().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    for (name, sets, pieces) in CASES {
        let folder = |device: &str| place.path().join(name).join(device);
        let on_cpu = run(&folder("cpu"), "cpu", sets);
        let on_gpu = run(&folder("cuda"), "cuda", sets);
        assert_eq!((on_cpu.report.backend, on_gpu.report.backend), ("cpu", "cuda"), "{name}");
        assert_same(&folder("cuda"), &folder("cpu"), name);
        assert_same_counts(&on_gpu, &on_cpu, name);
        assert_eq!(on_gpu.report.time.to_bits(), on_cpu.report.time.to_bits(), "{name}");
        let last = on_gpu.report.last.unwrap();
        assert_eq!(last.components, pieces, "{name}: {last:?}");
    }
}

#[test]
fn files_of_two_runs_on_a_gpu_are_the_same_bytes() {
    if support::cuda().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    for (k, (name, sets, _)) in CASES.into_iter().enumerate() {
        let kept = ["precision=f64", "precision=f32", "domain.tiled.storage=16-bit"][k % 3];
        let sets = [sets, &["precision=f32", kept]].concat();
        let folder = |number: &str| place.path().join(name).join(number);
        let (first, second) =
            (run(&folder("first"), "cuda", &sets), run(&folder("second"), "cuda", &sets));
        assert_same(&folder("second"), &folder("first"), name);
        assert_same_counts(&second, &first, name);
        let ends = [&first, &second].map(|run| {
            let report = &run.report;
            (report.cell_updates, format!("{:?} {:?}", report.first, report.last))
        });
        assert_eq!(ends[0], ends[1], "{name}");
    }
}

/// Returns phi of a written volume, in voxels.
fn phi(folder: &Path, file: &str) -> Vec<f64> {
    let volume = read_volume(&folder.join(file), &VolumeOptions::default()).unwrap().volume;
    let [nx, ny, nz] = volume.shape();
    let at = |n: usize| volume.value(n % nx, n / nx % ny, n / (nx * ny));
    (0..nx * ny * nz).map(|n| at(n) / DX).collect()
}

#[test]
fn files_in_f32_agree_within_v43() {
    if support::cuda().is_none() {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let mut too_far = Vec::new();
    for (name, sets, pieces) in CASES {
        let sets = [sets, &["precision=f32"]].concat();
        let folder = |device: &str| place.path().join(name).join(device);
        let on_cpu = run(&folder("cpu"), "cpu", &sets);
        let on_gpu = run(&folder("cuda"), "cuda", &sets);
        let (cpu, gpu) = (&on_cpu.report, &on_gpu.report);
        assert_eq!((cpu.steps, cpu.states), (gpu.steps, gpu.states), "{name}");
        assert!((cpu.time - gpu.time).abs() <= 1e-6 * cpu.time, "{name}");
        assert_eq!(gpu.last.as_ref().unwrap().components, pieces, "{name}");
        let (found, expected) = (files(&folder("cuda")), files(&folder("cpu")));
        assert!(found.keys().eq(expected.keys()), "{name}");
        let volumes: Vec<&String> = expected.keys().filter(|file| file.ends_with(".vti")).collect();
        assert!(volumes.len() >= 3, "{name}: {volumes:?}");
        for file in volumes {
            let (a, b) = (phi(&folder("cpu"), file), phi(&folder("cuda"), file));
            assert_eq!(a.len(), b.len(), "{name}: {file}");
            // Only values within one voxel of the interface are compared.
            let near = a.iter().zip(&b).filter(|(a, _)| a.abs() < 1.0);
            let apart = near.fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
            if apart > 1e-3 {
                too_far.push(format!("{name}: {file} by {apart} voxels"));
            }
        }
    }
    assert!(too_far.is_empty(), "{too_far:#?}");
}
