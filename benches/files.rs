//! Benchmark of the work around the CPU solvers: reading each format, writing states, partition and
//! setup, whole runs of `zeroset distance`, and memory per vertex.
//!
//! `cargo bench --bench files -- [read|write|setup|distance|memory] [N]` prints the Markdown tables
//! of one mode, or of all modes if none is given. N is the number of vertices. In the mode
//! `distance`, it is the number before one subdivision, which about quadruples it. Each time is the
//! smallest of three, given as wall-clock seconds and as CPU seconds summed over all threads. Other
//! work on the machine hardly changes the CPU seconds. Results are kept under `benches/results/`.

#[path = "support/formats.rs"]
mod formats;
#[path = "support/meter.rs"]
mod meter;

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use meter::{cpu_seconds, peak_of};
use zeroset::Cpu;
use zeroset::geometry::Vec3;
use zeroset::io::read_mesh;
use zeroset::io::vtk::{self, Compression, Geometry, VtkOutput};
use zeroset::levelset::eikonal::{EikonalState, Slowness, solve};
use zeroset::levelset::evolution::{Coefficient, Evolution, Options, Terms};
use zeroset::mesh::generate::{Generate, Sphere, generate};
use zeroset::mesh::{Mesh, clean};
use zeroset::patches::{Coordinates, PATCH_SIZE, Partition, Patches};
use zeroset::surface::Measurer;
use zeroset_testing::heap::Meter;

#[global_allocator]
static METER: Meter = Meter::new();

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let what = args.iter().find(|a| a.parse::<u32>().is_err()).map_or("all", String::as_str);
    let n = args.iter().find_map(|a| a.parse().ok());
    let cpu = Cpu::new(0).expect("threads");
    println!("{} threads, f64, zeroset {}\n", cpu.threads(), zeroset::output::build());
    let all = what == "all";
    if all || what == "read" {
        cpu.run(|| read(n.unwrap_or(500_002)));
    }
    if all || what == "write" {
        cpu.run(|| write(n.unwrap_or(1_000_002)));
    }
    if all || what == "setup" {
        setup(&cpu, n.unwrap_or(1_180_002));
    }
    if all || what == "distance" {
        distance(n);
    }
    if all || what == "memory" {
        memory(n.unwrap_or(500_002));
    }
}

/// Returns the Delaunay triangulation of `n` random points on a sphere, with each triangle split
/// into four `subdivisions` times. The order of the points is random.
fn sphere(n: u32, subdivisions: u32) -> Mesh {
    let mut spec = Sphere::default();
    (spec.irregular, spec.vertices, spec.radius) = (true, Some(n), 256.0);
    spec.subdivisions = Some(subdivisions);
    generate(&Generate::Sphere(spec)).expect("mesh")
}

/// Returns the smallest wall-clock and CPU seconds of three calls.
fn best<T>(mut work: impl FnMut() -> T) -> (f64, f64) {
    (0..3).fold((f64::INFINITY, f64::INFINITY), |(wall, cpu), _| {
        let (start, before) = (Instant::now(), cpu_seconds());
        let made = work();
        let seconds = (start.elapsed().as_secs_f64(), cpu_seconds() - before);
        drop(made);
        (wall.min(seconds.0), cpu.min(seconds.1))
    })
}

fn read(n: u32) {
    let mesh = sphere(n, 0);
    let folder = tempfile::tempdir().expect("folder");
    println!("Reading {} vertices, {} triangles:\n", mesh.n_vertices(), mesh.n_cells());
    println!(
        "| file | MB | s | CPU s | peak beside the file, bytes per vertex |\n|---|---|---|---|---|"
    );
    for (name, path) in formats::write_all(&mesh, folder.path()) {
        let size = std::fs::metadata(&path).expect("file").len();
        let (wall, cpu) = best(|| read_mesh(&path).expect("mesh"));
        let (_, peak) = METER.peak_during(|| read_mesh(&path).expect("mesh"));
        let beside = (peak as f64 - size as f64) / mesh.n_vertices() as f64;
        println!("| {name} | {:.1} | {wall:.2} | {cpu:.2} | {beside:.0} |", size as f64 / 1e6);
    }
    println!();
}

/// Times writing states with each compression: distances everywhere, and clamped to a band.
fn write(n: u32) {
    let mesh = sphere(n, 0);
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("state.vtp");
    println!("Writing states of {} vertices:\n", mesh.n_vertices());
    println!("| values | compression | MB | s | CPU s | encoding the mesh once, s |");
    println!("|---|---|---|---|---|---|");
    let center = Vec3::new(0.0, 0.0, 256.0);
    let all: Vec<f64> =
        mesh.vertices.iter().map(|&x| (Vec3::from(x) - center).norm() - 200.0).collect();
    let band: Vec<f64> = all.iter().map(|phi| phi.clamp(-15.0, 15.0)).collect();
    for (name, phi) in [("everywhere", &all), ("in a band", &band)] {
        for compression in [Compression::None, Compression::Lz4, Compression::Zlib] {
            let (once, _) = best(|| Geometry::mesh(&mesh, compression));
            let geometry = Geometry::mesh(&mesh, compression);
            let output = VtkOutput::new(&geometry).time(1.0).point_data("phi", 1, phi);
            let (wall, cpu) = best(|| vtk::write(&path, &output).expect("file"));
            let size = std::fs::metadata(&path).expect("file").len() as f64 / 1e6;
            let word = compression.word();
            println!("| {name} | {word} | {size:.1} | {wall:.3} | {cpu:.3} | {once:.3} |");
        }
    }
    println!();
}

fn setup(cpu: &Cpu, n: u32) {
    let stored = sphere(n, 0);
    println!("Setup of {} vertices, {} triangles:\n", stored.n_vertices(), stored.n_cells());
    println!("| stage | s | CPU s |\n|---|---|---|");
    let row = |name: &str, (wall, cpu): (f64, f64)| println!("| {name} | {wall:.2} | {cpu:.2} |");
    cpu.run(|| {
        row("checks and cleaning", best(|| clean(stored.clone()).expect("mesh")));
        let mesh = clean(stored).expect("mesh").0;
        for (name, method) in [
            ("patches, \"bisection\"", Partition::Bisection),
            ("patches, \"metis\"", Partition::Metis),
            ("patches, \"hilbert\"", Partition::Hilbert),
        ] {
            let times = best(|| Patches::new(&mesh, method, PATCH_SIZE).expect("patches"));
            row(name, times);
            let patches = Patches::new(&mesh, method, PATCH_SIZE).expect("patches");
            let halo = patches.n_local() - patches.n_vertices();
            println!(
                "| - {} patches, mean halo {:.1}, cells {:.3} times | | |",
                patches.len(),
                halo as f64 / patches.len() as f64,
                patches.n_patch_cells() as f64 / mesh.n_cells() as f64
            );
        }
        let patches = Patches::new(&mesh, Partition::Bisection, PATCH_SIZE).expect("patches");
        let patches = Arc::new(patches);
        let state = || {
            let coordinates = Arc::new(Coordinates::new(&mesh, &patches));
            coordinates.check(&patches).expect("cells");
            EikonalState::<f64>::new(patches.clone(), coordinates, Slowness::Uniform(1.0))
        };
        row("coordinates and state of the distance", best(state));
        row("measures", best(|| Measurer::new(&mesh)));
    });
    println!();
}

/// Times the program as users start it, on the sphere of the acceptance tests.
fn distance(n: Option<u32>) {
    let mesh = sphere(n.unwrap_or(255_817), 1);
    let folder = tempfile::tempdir().expect("folder");
    println!(
        "`zeroset distance FILE --from vertex:0 -o out.vtp`, {} vertices:\n",
        mesh.n_vertices()
    );
    println!("| file | s | CPU s | peak MB |\n|---|---|---|---|");
    for (name, path) in formats::write_all(&mesh, folder.path()) {
        let out = folder.path().join("out.vtp");
        let mut peak = 0;
        let (wall, cpu) = best(|| peak = peak.max(run(&path, &out)));
        println!("| {name} | {wall:.2} | {cpu:.2} | {:.0} |", peak as f64 / 1e6);
    }
    println!();
}

/// Runs the program on a file. Returns the program's peak memory in bytes.
fn run(path: &Path, out: &Path) -> u64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeroset"));
    command.args(["-q", "distance", "--from", "vertex:0"]).arg(path).arg("-o").arg(out);
    let mut child = command.spawn().expect("zeroset");
    let peak = peak_of(&mut child);
    assert!(child.wait().expect("zeroset").success());
    peak
}

fn memory(n: u32) {
    let stored = sphere(n, 0);
    let (vertices, cells) = (stored.n_vertices(), stored.n_cells());
    println!("Memory on {vertices} vertices, {cells} triangles, bytes per vertex:\n");
    println!("| what | held after | peak on the way |\n|---|---|---|");
    let cpu = Arc::new(Cpu::new(0).expect("threads"));
    let row = |name: &str, held: u64, peak: u64| {
        let per = |bytes: u64| bytes as f64 / vertices as f64;
        println!("| {name} | {:.0} | {:.0} |", per(held), per(peak));
    };
    // The memory held now, apart from the mesh, is not counted. It belongs to the thread pool and
    // to everything that is initialized on first use.
    let start = METER.held() - (vertices * 24 + cells * 12) as u64;
    let measured = |name: &str, peak: u64| row(name, METER.held() - start, peak - start);
    let (mesh, peak) = METER.peak_during(|| cpu.run(|| clean(stored).expect("mesh").0));
    measured("mesh, checked and cleaned", peak);
    let patches = || Patches::new(&mesh, Partition::Bisection, PATCH_SIZE).expect("patches");
    let (patches, peak) = METER.peak_during(|| Arc::new(cpu.run(patches)));
    measured("and patches", peak);
    let (mut state, peak) = METER.peak_during(|| {
        let coordinates = Arc::new(Coordinates::new(&mesh, &patches));
        EikonalState::<f64>::new(patches.clone(), coordinates, Slowness::Uniform(1.0))
    });
    measured("and state of the distance", peak);
    state.seed(&[(0, 0.0)]);
    let (_, peak) = METER.peak_during(|| solve(&cpu, &mut state, None).expect("a solve"));
    measured("and its solve", peak);
    drop(state);
    let center = Vec3::new(0.0, 0.0, 256.0);
    let phi = mesh.vertices.iter().map(|&x| (Vec3::from(x) - center).norm() - 200.0);
    let phi: Vec<f64> = phi.collect();
    let all = Terms::default()
        .with_velocity(Coefficient::Uniform([1.0, 0.0, 0.0]))
        .with_normal_speed(Coefficient::Uniform([1e-3]))
        .with_curvature(Coefficient::Uniform([1e-3]));
    for (name, options) in [
        ("evolution of the whole domain", Options::new(None)),
        ("evolution in a band", Options::new(Some(5.0))),
    ] {
        let (mut evolution, peak) = METER.peak_during(|| {
            let patches = patches.clone();
            Evolution::<f64>::new(cpu.clone(), &mesh, patches, &phi, &all, options)
                .expect("evolution")
        });
        measured(&format!("mesh, patches, phi and {name}"), peak);
        let (_, peak) = METER.peak_during(|| {
            for _ in 0..20 {
                evolution.step(1e-9).expect("step");
            }
            evolution.reinitialize();
        });
        measured("and 20 steps", peak);
    }
    println!();
}
