//! Benchmark of steps on tile sets of several sizes on the CPU and on the GPU. It finds the number
//! of steps after which it pays off to start a GPU. `device.use = "auto"` relies on this number.
//!
//! A ball shrinks with the normal speed F and by curvature. Times are wall-clock times over all
//! steps, the best of three runs with loaded kernels.

use std::sync::Arc;
use std::time::Instant;

use zeroset::Cpu;
use zeroset::gpu::Cuda;
use zeroset::levelset::evolution::StepTarget;
use zeroset::levelset::tiled::cuda::{DeviceCoefficient, DeviceTerms, DeviceTiledEvolution};
use zeroset::levelset::tiled::{Coefficient, Options, Terms, TiledEvolution};

use crate::Failed;
use crate::tiles::ball;

/// Radii in voxels.
const RADII: [f64; 8] = [6.0, 9.0, 13.0, 20.0, 30.0, 45.0, 70.0, 100.0];

const STEPS: u64 = 40;

/// Additional seconds that it takes to start a run on a GPU, as measured by `gpu start`. They cover
/// the creation of the driver context and the loading of kernels from the cache.
const START: f64 = 0.25;

const SPEED: f64 = -0.02;
const BENDING: f64 = 0.1;

/// Prints the times on the CPU and on the GPU, with one row per tile set.
pub fn table(cuda: &Arc<Cuda>, cpu: &Arc<Cpu>) -> Result<(), Failed> {
    println!("\nA ball on tiles of 8^3, f32, {STEPS} steps, {} threads\n", cpu.threads());
    println!(
        "| scheme | tiles | voxels | CPU us per step | GPU us per step | steps that pay for a start |"
    );
    println!("|---|---|---|---|---|---|");
    let first = Options::new(1.5).first_order().with_nu(0.3);
    rows(cuda, cpu, "first order", first)?;
    rows(cuda, cpu, "WENO5, RK3", Options::new(3.0).with_nu(0.3))
}

fn rows(cuda: &Arc<Cuda>, cpu: &Arc<Cpu>, name: &str, options: Options) -> Result<(), Failed> {
    for radius in RADII {
        let (grid, phi) = ball::<f32, 8, f32>([0.3, 0.1, -0.2], radius, &options)?;
        let on_cpu = || -> Result<f64, Failed> {
            let terms = Terms::default()
                .with_normal_speed(Coefficient::Uniform([SPEED]))
                .with_curvature(Coefficient::Uniform([BENDING]));
            let (grid, phi, cpu) = (grid.clone(), phi.clone(), cpu.clone());
            let mut run = TiledEvolution::<f32, 8>::new(grid, phi, &terms, options, cpu)?;
            let start = Instant::now();
            for _ in 0..STEPS {
                run.step(f64::INFINITY)?;
            }
            Ok(start.elapsed().as_secs_f64() / STEPS as f64)
        };
        let on_gpu = || -> Result<f64, Failed> {
            let terms = DeviceTerms::new([0.0; 3], 1.0)
                .with_normal_speed(DeviceCoefficient::Uniform([SPEED]))
                .with_curvature(DeviceCoefficient::Uniform([BENDING]));
            let mut run =
                DeviceTiledEvolution::<f32, 8>::new(cuda, &grid, &phi, &terms, options, None)?;
            let start = Instant::now();
            while run.n_steps() < STEPS {
                let steps = STEPS - run.n_steps();
                let until = StepTarget { clock: 0.0, target: f64::INFINITY, steady: -1.0, steps };
                run.advance(&until)?;
            }
            Ok(start.elapsed().as_secs_f64() / STEPS as f64)
        };
        let (host, gpu) = (best(on_cpu)?, best(on_gpu)?);
        let pays = match host > gpu {
            true => format!("{:.0}", START / (host - gpu)),
            false => "never".into(),
        };
        let (tiles, voxels) = (grid.n_tiles(), grid.n_voxels());
        let [host, gpu] = [host, gpu].map(|seconds| seconds * 1e6);
        println!("| {name} | {tiles} | {voxels} | {host:.1} | {gpu:.1} | {pays} |");
    }
    Ok(())
}

/// Returns the smallest of three times.
fn best(run: impl Fn() -> Result<f64, Failed>) -> Result<f64, Failed> {
    Ok(run()?.min(run()?).min(run()?))
}
