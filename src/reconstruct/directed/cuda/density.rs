//! The density of a cloud, measured on a GPU.

use super::kernel_arguments::LatticeArgument;
use super::seeds::{Points, Seeds};
use crate::error::Result;
use crate::gpu::{Arguments, Cuda, Launch, Unit};
use crate::reconstruct::directed::Density;
use crate::reconstruct::directed::density::{coarse, every};

/// Threads per block, and samples per block: one for each warp.
const THREADS: u32 = 128;
const SAMPLES: u32 = THREADS / 32;

/// Measures the density of a cloud on the GPU. The counterpart of [`Density::of`].
pub(super) fn of(cuda: &Cuda, bounds: ([f64; 3], [f64; 3]), points: &Points) -> Result<Density> {
    let lattice = coarse(bounds, points.len())?;
    let seeds = Seeds::new(cuda, points, &lattice)?;
    let every = every(points.len());
    let n = points.len().div_ceil(every);
    let found = cuda.zeros::<f64>(2 * n)?;
    let arguments = Arguments::default()
        .with(LatticeArgument::from(&lattice))
        .with(seeds.samples(points))
        .with(seeds.cubes.argument())
        .with(every as u32)
        .with(n as u32)
        .with_array(&found);
    let kernel = cuda.kernel(&Unit::new("reconstruct/directed/density", &[])?, "density_about")?;
    let grid = (n as u32).div_ceil(SAMPLES);
    let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
    // SAFETY: these are the arguments of `density_about`. It writes two numbers for each examined
    // sample.
    unsafe { cuda.launch(&kernel, launch, &arguments) }?;
    let found = cuda.download(&found)?;
    let told = found.as_chunks::<2>().0.iter().filter(|[rho, _]| *rho >= 0.0);
    let told: Vec<(f64, f64)> = told.map(|&[rho, off]| (rho, off)).collect();
    Ok(Density::from_found(&told, lattice.cube()))
}
