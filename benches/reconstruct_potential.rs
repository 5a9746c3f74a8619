//! Benchmark of surface reconstruction by a level set in the potential of samples.
//!
//! `cargo bench --bench reconstruct_potential -- MESH [--samples N] [--depth D] [--exponent P]
//! [--noise PERCENT] [--outliers K] [--sixteen]` draws samples uniformly from the surface of a mesh
//! (default: a million samples, depth 9). The noise is a percentage of the diagonal of the mesh.
//! `--sixteen` stores phi in 16 bits. The benchmark prints a Markdown table of the levels, and
//! statistics of the exact distances from the samples, before noise is added, to the surface and
//! from the vertices of the surface to the mesh.

#[path = "support/meter.rs"]
#[allow(dead_code)]
mod meter;

use std::time::Instant;

use rayon::prelude::*;
use zeroset::mesh::{Mesh, statistics};
use zeroset::reconstruct::potential::{Options, Storage, reconstruct};
use zeroset::surface::Locator;
use zeroset_testing::samples;

/// The largest number of points whose distances to a surface are measured.
const MEASURED: usize = 200_000;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let value = |name: &str| {
        let at = words.iter().position(|w| w == name)?;
        words.get(at + 1)?.parse::<f64>().ok()
    };
    let Some(path) = words.first().filter(|w| !w.starts_with("--")) else {
        println!("no mesh given: nothing to do");
        return;
    };
    let mesh = zeroset::io::read_mesh(path.as_ref()).expect("a mesh").mesh;
    let n = value("--samples").unwrap_or(1e6) as usize;
    let mut options = Options::of_depth(value("--depth").unwrap_or(9.0) as u32);
    options.exponent = value("--exponent").map_or(options.exponent, |p| p as u32);
    if words.iter().any(|w| w == "--sixteen") {
        options.storage = Storage::Sixteen;
    }
    let diagonal = samples::diagonal(mesh.bounds());
    let clean = samples::of_mesh(&mesh, n, 1);
    let mut points = clean.clone();
    let noise = value("--noise").unwrap_or(0.0) / 100.0 * diagonal;
    samples::spoil(&mut points, noise, value("--outliers").unwrap_or(0.0) as usize, 2);

    let (start, cpu) = (Instant::now(), meter::cpu_seconds());
    let (surface, levels) = reconstruct(&points, &options).expect("a surface");
    let (seconds, cpu_after) = (start.elapsed().as_secs_f64(), meter::cpu_seconds());

    println!("{path}, {} samples, {} merged, {options:?}\n", points.len(), levels.merged);
    println!("| level | steps | tiles | s | mean abs(phi), % | outside | MiB |");
    println!("|---|---|---|---|---|---|---|");
    for l in &levels.levels {
        let mib = l.bytes as f64 / 1_048_576.0;
        println!(
            "| {} | {} | {} | {:.2} | {:.4} | {} | {mib:.0} |",
            l.level, l.iterations, l.tiles, l.seconds, l.error, l.outside
        );
    }
    println!(
        "\noctree {:.2} s, mesh {:.2} s, all {seconds:.2} s, {:.2} s of CPU time; {} MiB were expected",
        levels.octree_seconds,
        levels.mesh_seconds,
        cpu_after - cpu,
        levels.expected_bytes >> 20
    );
    let found = statistics::inspect(&surface);
    println!(
        "{} vertices, {} triangles, {} parts, Euler number {}, {} open and {} branched edges",
        surface.n_vertices(),
        surface.n_cells(),
        found.components,
        found.euler,
        found.boundary,
        found.nonmanifold
    );
    distances("samples to surface", &clean, &surface, diagonal, levels.voxel);
    distances("surface to mesh", &surface.vertices, &mesh, diagonal, levels.voxel);
}

/// Prints the mean, the 99th percentile and the maximum of the exact distances from points to a
/// surface, as percentages of `diagonal`.
fn distances(what: &str, places: &[[f64; 3]], surface: &Mesh, diagonal: f64, voxel: f64) {
    let locator = Locator::new(surface);
    let gap = |x: &[f64; 3]| locator.closest((*x).into()).expect("triangles").gap;
    let step = places.len().div_ceil(MEASURED);
    let mut all: Vec<f64> = places.par_iter().step_by(step).map(gap).collect();
    all.sort_by(f64::total_cmp);
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    println!(
        "{what}: mean {:.5} % ({:.3} voxels), 99 of 100 below {:.4} %, most {:.4} %",
        100.0 * mean / diagonal,
        mean / voxel,
        100.0 * all[all.len() * 99 / 100] / diagonal,
        100.0 * all[all.len() - 1] / diagonal
    );
}
