//! Benchmark of the steps of reconstruction by directed distances. The clouds are files named on
//! the command line, or the dragon that Gao, Tang and Wu ("Parallel surface reconstruction on GPU",
//! 2015) use, and samples of the mesh of a horse. The times exclude reading, and copies are listed
//! separately.

use std::path::Path;

use zeroset::cloud::{PointCloud, Sampler, Sampling};
use zeroset::gpu::Cuda;
use zeroset::io::{read_cloud, read_mesh};
use zeroset::reconstruct::directed::{self, Cubes, Directed, Fit};

use crate::Failed;

/// Number of triangles of the dragon in the paper.
const TRIANGLES: f64 = 244_000.0;
/// Number of samples of the horse, which replaces the paper's Buddha.
const SAMPLES: u64 = 543_625;

/// Prints two rows for each file, or for the dragon and the horse: one with cubes that give about
/// as many triangles as the dragon has in the paper, and one with [`Cubes::Safe`]. If there are no
/// files, `samples` adds two rows with that number of samples of the horse.
pub fn table(cuda: &Cuda, files: &[&str], samples: Option<u64>) -> Result<(), Failed> {
    println!(
        "\n| cloud | samples | cube | seed cubes | triangles | density ms | sort ms | distances ms | signs ms | surface ms | all ms | copies ms | MiB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    if !files.is_empty() {
        for file in files {
            row(cuda, file, &read_cloud(Path::new(file))?.0)?;
        }
        return Ok(());
    }
    let scan = |name: &str| {
        let folder = std::env::var("ZEROSET_DATA").unwrap_or_else(|_| "../shared/data".into());
        Path::new(&folder).join("scans").join(name)
    };
    row(cuda, "dragon", &read_cloud(&scan("dragon_vrip.ply.gz"))?.0)?;
    let horse = read_mesh(&scan("horse.ply"))?.mesh;
    for n in [SAMPLES].into_iter().chain(samples) {
        let mut options = Sampling::default();
        (options.n, options.normals) = (n, true);
        row(cuda, "horse", &Sampler::new(&horse, options)?.cloud())?;
    }
    Ok(())
}

fn row(cuda: &Cuda, name: &str, cloud: &PointCloud) -> Result<(), Failed> {
    // The number of triangles grows with the inverse square of the cube size.
    let mut cube = {
        let (_, report) = directed::cuda::reconstruct(cuda, cloud, Cubes::Depth(8), Fit::Planes)?;
        report.cube
    };
    for _ in 0..3 {
        let (mesh, _) = directed::cuda::reconstruct(cuda, cloud, Cubes::Edge(cube), Fit::Planes)?;
        cube *= (mesh.n_cells() as f64 / TRIANGLES).sqrt();
    }
    for cubes in [Cubes::Edge(cube), Cubes::Safe] {
        let mut found = Vec::new();
        for _ in 0..7 {
            let (mesh, report) = directed::cuda::reconstruct(cuda, cloud, cubes, Fit::Planes)?;
            found.push((all(&report), mesh.n_cells(), report));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (ms, triangles, report) = &found[found.len() / 2];
        let s = &report.seconds;
        let [density, sort, field, signs, surface, copies] =
            [s.density, s.sort, s.field, s.signs, s.surface, s.copies].map(|s| 1e3 * s);
        println!(
            "| {name} | {} | {:.4e} | {} | {triangles} | {density:.2} | {sort:.2} | {field:.2} | {signs:.2} | {surface:.2} | {ms:.2} | {copies:.1} | {} |",
            cloud.len(),
            report.cube,
            report.seed_cubes,
            report.device_bytes.unwrap_or(0) >> 20,
        );
    }
    Ok(())
}

/// Returns the time of all steps except the copies, in milliseconds.
fn all(report: &Directed) -> f64 {
    let s = &report.seconds;
    1e3 * (s.density + s.sort + s.field + s.signs + s.surface)
}
