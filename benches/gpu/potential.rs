//! Benchmark of surface reconstruction by a level set in the potential of samples: the rows of
//! Tables 3 to 6 of Jalba et al. (2013), and the exact distances from the samples to the surface.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;
use zeroset::gpu::Cuda;
use zeroset::mesh::{Mesh, statistics};
use zeroset::reconstruct::potential::cuda::{DeviceOctree, reconstruct};
use zeroset::reconstruct::potential::{Frame, Options, Storage};
use zeroset::surface::{Locator, gaps_on};
use zeroset_testing::samples;

use crate::Failed;

/// The largest number of samples for which the distance to the surface is measured.
const MEASURED: usize = 100_000;

/// Prints all levels for `scans/lucy_50k.ply`, or for the mesh whose path in ZEROSET_DATA is the
/// value of ZEROSET_SCAN.
pub fn table(cuda: &Arc<Cuda>, args: &[String]) -> Result<(), Failed> {
    let number = |word: &str| args.iter().find_map(|a| a.strip_prefix(word)?.parse::<usize>().ok());
    let scan = std::env::var("ZEROSET_SCAN").unwrap_or_else(|_| "scans/lucy_50k.ply".into());
    let path = PathBuf::from(std::env::var("ZEROSET_DATA")?).join(scan);
    let mesh = zeroset::io::read_mesh(&path)?.mesh;
    let points = samples::of_mesh(&mesh, number("samples=").unwrap_or(1_000_000), 1);
    let depth = number("depth=").unwrap_or(9) as u32;
    let mut options = Options::of_depth(depth);
    if args.iter().any(|a| a == "16-bit") {
        options.storage = Storage::Sixteen;
    }
    let frame = Frame::new(&points, depth)?;
    println!("\n{}, {} samples, {options:?}\n", path.display(), points.len());
    let mut octree = Vec::new();
    for _ in 0..3 {
        cuda.synchronize()?;
        let start = Instant::now();
        let tree = DeviceOctree::new(cuda, &points, frame)?;
        cuda.synchronize()?;
        octree.push(format!("{:.4}", start.elapsed().as_secs_f64()));
        drop(tree);
    }
    println!("octree, with the copy of the samples: {} s", octree.join(", "));
    // The first call compiles the kernels.
    reconstruct(cuda, &points[..points.len().min(20_000)], &Options::of_depth(6))?;
    let start = Instant::now();
    let (surface, levels) = reconstruct(cuda, &points, &options)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("| level | steps | tiles | s | s in steps | mean abs(phi), % | outside | MiB |");
    println!("|---|---|---|---|---|---|---|---|");
    for l in &levels.levels {
        println!(
            "| {} | {} | {} | {:.4} | {:.4} | {:.4} | {} | {} |",
            l.level,
            l.iterations,
            l.tiles,
            l.seconds,
            l.step_seconds,
            l.error,
            l.outside,
            l.bytes >> 20
        );
    }
    println!(
        "\noctree {:.4} s, mesh {:.4} s, all {seconds:.4} s; {} MiB were expected, {} droplets",
        levels.octree_seconds,
        levels.mesh_seconds,
        levels.expected_bytes >> 20,
        levels.droplets
    );
    if args.iter().any(|a| a == "check") {
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
        let diagonal = samples::diagonal(mesh.bounds());
        distances(&points, &surface, diagonal);
        for _ in 0..2 {
            let start = Instant::now();
            let found =
                gaps_on(cuda, &surface, &points)?.ok_or("not enough memory for the distances")?;
            println!(
                "all samples, on the GPU: mean {:.5} %, most {:.4} %; {:.3} s with the copies",
                100.0 * found.mean / diagonal,
                100.0 * found.max / diagonal,
                start.elapsed().as_secs_f64()
            );
        }
    }
    Ok(())
}

/// Prints the mean, the 99th percentile and the maximum of the exact distances from samples to a
/// surface, as percentages of `diagonal`.
fn distances(places: &[[f64; 3]], surface: &Mesh, diagonal: f64) {
    let locator = Locator::new(surface);
    let gap = |x: &[f64; 3]| locator.closest((*x).into()).map_or(f64::NAN, |found| found.gap);
    let step = places.len().div_ceil(MEASURED);
    let mut all: Vec<f64> = places.par_iter().step_by(step).map(gap).collect();
    all.sort_by(f64::total_cmp);
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let percent = |x: f64| 100.0 * x / diagonal;
    println!(
        "samples to surface: mean {:.5} %, 99 of 100 below {:.4} %, most {:.4} %",
        percent(mean),
        percent(all[all.len() * 99 / 100]),
        percent(all[all.len() - 1])
    );
}
