//! Benchmark of the time per step as a function of the number of active tiles, as in Figures 6 and
//! 7 of Jalba et al. (2013).
//!
//! The radius of the ball is chosen to give about the desired number of tiles. The ball moves with
//! the normal speed F and by curvature. Times are measured as in the mode `tiles`.

use std::sync::Arc;

use zeroset::gpu::Cuda;
use zeroset::levelset::tiled::Options;
use zeroset::levelset::tiled::cuda::{DeviceCoefficient, DeviceTerms};

use crate::Failed;
use crate::tiles::measure;

/// The desired numbers of tiles of 4^3 voxels.
const TILES: [f64; 8] = [1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6];

/// Prints the times per step for each scheme and number of tiles.
pub fn table(cuda: &Arc<Cuda>) -> Result<(), Failed> {
    println!("\n| scheme | edge | tiles | voxels | us per step | ns per voxel |");
    println!("|---|---|---|---|---|---|");
    let first = Options::new(1.5).first_order().with_nu(0.3);
    let weno = Options::new(3.0).with_nu(0.3);
    curve::<4>(cuda, "first order", 2.39, first)?;
    curve::<8>(cuda, "first order", 2.39, first)?;
    curve::<4>(cuda, "WENO5, RK3", 4.06, weno)?;
    curve::<8>(cuda, "WENO5, RK3", 4.06, weno)
}

/// Prints the rows of one scheme. The number of tiles of 4^3 voxels is about `factor` times the
/// square of the radius.
fn curve<const E: usize>(
    cuda: &Arc<Cuda>,
    name: &str,
    factor: f64,
    options: Options,
) -> Result<(), Failed> {
    let uniform = |v: f64| DeviceCoefficient::Uniform([v]);
    let terms = DeviceTerms::new([0.0; 3], 1.0)
        .with_normal_speed(uniform(-0.1))
        .with_curvature(uniform(1.0));
    for tiles in TILES {
        let radius = (tiles / factor).sqrt();
        let found = measure::<f32, E, f32>(cuda, radius, &terms, options)?;
        let (voxels, us) = (found.tiles as f64 * (E * E * E) as f64, found.step * 1e6);
        let per_voxel = us * 1e3 / voxels;
        println!("| {name} | {E} | {} | {voxels} | {us:.1} | {per_voxel:.4} |", found.tiles);
    }
    Ok(())
}
