//! Benchmark of the mesh solvers on the CPU for several patch sizes: partition, setup, one distance
//! over the whole mesh, reinitialization in a band, and steps of an evolution.
//!
//! `cargo bench --bench mesh -- [SHAPE] [PATCH_SIZE...]` prints a Markdown table. SHAPE is `square`
//! (524,288 triangles), `sphere` (about 2 million triangles) or `cube` (1.5 million tetrahedra).
//! Results that the documentation quotes are kept under `benches/results/`.

use std::sync::Arc;
use std::time::Instant;

use zeroset::Cpu;
use zeroset::geometry::Vec3;
use zeroset::levelset::eikonal::{EikonalState, Slowness, solve};
use zeroset::levelset::evolution::{Coefficient, Evolution, Options, Terms};
use zeroset::mesh::generate::{Cube, Generate, Sphere, Square, generate};
use zeroset::mesh::{Mesh, clean, statistics};
use zeroset::patches::{Coordinates, Partition, Patches};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let shape = args.first().map_or("square", String::as_str);
    let sizes: Vec<usize> = args.iter().skip(1).filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![32, 48, 64, 96, 128, 256] } else { sizes };
    let (mesh, inside) = mesh(shape);
    let cpu = Arc::new(Cpu::new(0).expect("threads"));
    println!(
        "{shape}: {} vertices, {} cells, {} threads, f64, zeroset {}\n",
        mesh.n_vertices(),
        mesh.n_cells(),
        cpu.threads(),
        zeroset::output::build(),
    );
    println!(
        "| patch size | partition and patches s | distance ms | rounds | updates per patch | reinitialize ms | step in band ms | step of whole domain ms | M cell updates/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for size in sizes {
        row(&mesh, &inside, &cpu, size);
    }
}

/// Returns the mesh, and the signed distance to a ball whose surface intersects the mesh.
fn mesh(shape: &str) -> (Mesh, Vec<f64>) {
    let spec = match shape {
        "sphere" => {
            let mut spec = Sphere::default();
            (spec.irregular, spec.vertices, spec.radius) = (true, Some(255_817), 256.0);
            spec.subdivisions = Some(1);
            Generate::Sphere(spec)
        }
        "cube" => {
            let mut spec = Cube::default();
            (spec.cells, spec.max) = ([63; 3], [63.0; 3]);
            Generate::Cube(spec)
        }
        _ => {
            let mut spec = Square::default();
            (spec.cells, spec.max) = ([512; 2], [512.0; 2]);
            Generate::Square(spec)
        }
    };
    let mesh = clean(generate(&spec).expect("mesh")).expect("mesh").0;
    let (center, radius) = match shape {
        "sphere" => (Vec3::new(0.0, 0.0, 256.0), 200.0),
        "cube" => (Vec3::repeat(31.5), 12.0),
        _ => (Vec3::new(256.0, 256.0, 0.0), 100.0),
    };
    let phi = mesh.vertices.iter().map(|&x| (Vec3::from(x) - center).norm() - radius).collect();
    (mesh, phi)
}

/// Returns the median of three calls, in milliseconds.
fn median_ms(mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..3)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[1]
}

fn row(mesh: &Mesh, phi: &[f64], cpu: &Arc<Cpu>, size: usize) {
    let start = Instant::now();
    let patches = cpu.run(|| Patches::new(mesh, Partition::Bisection, size));
    let patches = Arc::new(patches.expect("patches"));
    let setup = start.elapsed().as_secs_f64();

    let coordinates = Arc::new(Coordinates::new(mesh, &patches));
    let mut state = EikonalState::<f64>::new(patches.clone(), coordinates, Slowness::Uniform(1.0));
    let mut stats = Default::default();
    let distance = median_ms(|| {
        state.clear();
        state.seed(&[(0, 0.0)]);
        stats = solve(cpu, &mut state, None).expect("a solve");
    });

    let h = statistics::inspect(mesh).edge_mean.expect("edges");
    let all_terms = Terms::default()
        .with_velocity(Coefficient::Uniform([1.0, 0.0, 0.0]))
        .with_normal_speed(Coefficient::Uniform([1e-3]))
        .with_curvature(Coefficient::Uniform([1e-3]));
    let run = |options: Options, terms: &Terms| {
        let new = Evolution::<f64>::new(cpu.clone(), mesh, patches.clone(), phi, terms, options);
        new.expect("evolution")
    };
    let mut band = run(Options::new(Some(5.0 * h)), &all_terms);
    let step = median_ms(|| {
        for _ in 0..20 {
            band.step(1e-9).expect("step");
        }
    }) / 20.0;
    let reinitialize = median_ms(|| band.reinitialize());
    let curvature = Terms::default().with_curvature(Coefficient::Uniform([1.0]));
    let mut whole = run(Options::new(None), &curvature);
    let whole_step = median_ms(|| {
        whole.step(1e-9).expect("step");
    });
    println!(
        "| {size} | {setup:.2} | {distance:.0} | {} | {:.1} | {reinitialize:.1} | {step:.2} | {whole_step:.1} | {:.1} |",
        stats.rounds,
        stats.patch_updates as f64 / patches.len() as f64,
        mesh.n_cells() as f64 / whole_step / 1e3,
    );
}
