//! Benchmark of surface extraction from whole volumes: a gyroid with 20.3 million triangles in
//! 512^3 voxels, and the same gyroid in 1,024^3 voxels. Copies are listed separately.

use std::sync::Arc;
use std::time::Instant;

use zeroset::gpu::Cuda;
use zeroset::surface::{DeviceIsosurface, IsosurfaceOptions, isosurface_on};
use zeroset::volume::{Placement, Scaling, Volume};

use crate::Failed;
use crate::gyroid::{LEVEL, gyroid};

/// Prints the table for volumes of n^3 voxels, for each n in `sizes`.
pub fn table(cuda: &Arc<Cuda>, sizes: &[usize]) -> Result<(), Failed> {
    println!(
        "\n| voxels | type | normals | vertices | triangles | on the GPU ms | the same of 9, least to most | bytes beside the values | upload ms | with the first memory ms | mesh to the host ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for &n in sizes {
        let values = gyroid(n);
        for normals in [false, true] {
            row(cuda, n, &values, normals)?;
        }
        let narrow: Vec<i16> = values.iter().map(|v| (v * 1e4).round() as i16).collect();
        let start = Instant::now();
        let volume = Volume::new([n; 3], narrow.into(), Placement::identity())?;
        let mesh = isosurface_on(cuda, &volume, LEVEL * 1e4, &IsosurfaceOptions::default())?;
        let ms = 1e3 * start.elapsed().as_secs_f64();
        println!(
            "\n{n}^3 of 16 bits from array to mesh: {ms:.0} ms, {} triangles\n",
            mesh.n_cells()
        );
    }
    Ok(())
}

fn row(cuda: &Arc<Cuda>, n: usize, values: &[f32], normals: bool) -> Result<(), Failed> {
    let start = Instant::now();
    let on_gpu = cuda.upload(values)?;
    cuda.synchronize()?;
    let upload = 1e3 * start.elapsed().as_secs_f64();
    let options = IsosurfaceOptions::default().normals(normals);
    let place = Placement::identity();
    let mut isosurface = DeviceIsosurface::new(cuda, [n; 3], &place, Scaling::NONE, &options)?;
    let mut times = Vec::new();
    let mut first = 0.0;
    for run in 0..11 {
        let start = cuda.mark()?;
        isosurface.extract(&on_gpu, LEVEL)?;
        let end = cuda.mark()?;
        end.wait()?;
        let ms = start.milliseconds_to(&end)?;
        match run {
            0 => first = ms,
            1 => {}
            _ => times.push(ms),
        }
    }
    times.sort_by(f64::total_cmp);
    let held = isosurface.held();
    let surface = isosurface.extract(&on_gpu, LEVEL)?;
    let start = Instant::now();
    let mesh = surface.mesh(cuda)?;
    let down = 1e3 * start.elapsed().as_secs_f64();
    println!(
        "| {n}^3 | f32 | {normals} | {} | {} | {:.3} | {:.3} to {:.3} | {held} | {upload:.0} | {first:.2} | {down:.0} |",
        mesh.n_vertices(),
        mesh.n_cells(),
        times[4],
        times[0],
        times[8]
    );
    Ok(())
}
