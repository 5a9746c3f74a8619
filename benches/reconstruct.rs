//! Benchmark of surfaces from points and from a volume on the CPU.
//!
//! `cargo bench --bench reconstruct -- [MESH [SAMPLES [DEPTH]]]` samples a mesh with the normals of
//! its triangles and prints the times and the errors of directed distances (default: a generated
//! torus, 1,000,000 samples, depth 9). `-- --volume [SIZE]` extracts the surface of a gyroid with
//! SIZE^3 values (default 512). Compare the CPU seconds of all threads if other work runs on the
//! machine. They are read from /proc and are therefore available only on Linux.

#[path = "support/gyroid.rs"]
mod gyroid;

use std::time::Instant;

use gyroid::{LEVEL, gyroid};
use zeroset::Cpu;
use zeroset::cloud::{Sampler, Sampling};
use zeroset::io::read_mesh;
use zeroset::mesh::generate::{Generate, Torus, generate};
use zeroset::reconstruct::directed::{Cubes, Fit, reconstruct};
use zeroset::surface::{Gaps, IsosurfaceOptions, Topology, isosurface};
use zeroset::volume::{Placement, Volume};

fn main() {
    let given: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let number =
        |k: usize, default: u64| given.get(k).and_then(|a| a.parse().ok()).unwrap_or(default);
    println!("zeroset {}\n", zeroset::output::build());
    if given.first().is_some_and(|first| first == "--volume") {
        return volume(number(1, 512) as usize);
    }
    let mesh = match given.first() {
        Some(path) => read_mesh(path.as_ref()).expect("a mesh").mesh,
        None => generate(&Generate::Torus(Torus::default())).expect("a torus"),
    };
    let options = Sampling { n: number(1, 1_000_000), normals: true, ..Sampling::default() };
    let cloud = Sampler::new(&mesh, options).expect("a surface").cloud();
    let (low, high) = cloud.bounds();
    let diagonal = (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>().sqrt();
    println!(
        "| threads | s | CPU s | density | sort | field | signs | surface | triangles | closed | mean error % | max % |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for threads in [1, 2] {
        let cpu = Cpu::new(threads).expect("threads");
        let depth = Cubes::Depth(number(2, 9) as u32);
        let (start, before) = (Instant::now(), cpu_seconds());
        let (surface, report) =
            cpu.run(|| reconstruct(&cloud, depth, Fit::Planes)).expect("a surface");
        let (s, after) = (start.elapsed().as_secs_f64(), cpu_seconds());
        let gaps = Gaps::new(&surface, &cloud.points).expect("samples");
        let closed = Topology::of(&surface).closed;
        let t = report.seconds;
        println!(
            "| {threads} | {s:.2} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {} | {closed} | {:.5} | {:.4} |",
            spent(before, after),
            t.density,
            t.sort,
            t.field,
            t.signs,
            t.surface,
            surface.n_cells(),
            100.0 * gaps.mean / diagonal,
            100.0 * gaps.max / diagonal
        );
    }
}

/// Prints the times of extracting the surface of a gyroid from n^3 values.
fn volume(n: usize) {
    let volume = Volume::new([n; 3], gyroid(n).into(), Placement::identity()).expect("a volume");
    println!("| threads | normals | triangles | s | CPU s |\n|---|---|---|---|---|");
    for (threads, normals) in [(1, false), (2, false), (2, true)] {
        let cpu = Cpu::new(threads).expect("threads");
        let options = IsosurfaceOptions::default().normals(normals);
        let (start, before) = (Instant::now(), cpu_seconds());
        let mesh = cpu.run(|| isosurface(&volume, LEVEL, &options)).expect("a surface");
        let (s, after) = (start.elapsed().as_secs_f64(), cpu_seconds());
        let spent = spent(before, after);
        println!("| {threads} | {normals} | {} | {s:.2} | {spent} |", mesh.n_cells());
    }
}

fn spent(before: Option<f64>, after: Option<f64>) -> String {
    before.zip(after).map_or(String::new(), |(before, after)| format!("{:.2}", after - before))
}

/// Returns the CPU time of this process in seconds, which Linux counts in hundredths of a second.
/// Returns `None` on other systems.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let words: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |k: usize| words.get(k)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
