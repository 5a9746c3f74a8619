//! Benchmark of steps on sparse tiles: time per step as a function of the number of tiles,
//! bandwidth with the normal speed F alone, and the rotating flow of Enright et al.
//!
//! Times per step are GPU times over whole sections of steps. They include tile management, the
//! choice of the time step and gaps between kernels. For balls, they are medians of five sections
//! after a warm-up.

use std::sync::Arc;
use std::time::Instant;

use zeroset::expression::{Expression, Field};
use zeroset::geometry::Real;
use zeroset::gpu::{Cuda, Element};
use zeroset::grid::{Band, Fixed16, Pool, Stored, TiledGrid};
use zeroset::levelset::evolution::StepTarget;
use zeroset::levelset::tiled::cuda::{DeviceCoefficient, DeviceTerms, DeviceTiledEvolution};
use zeroset::levelset::tiled::{Options, Reinitialize};

use crate::Failed;

/// The number of steps per timed run.
const STEPS: u64 = 32;

/// Radii of the spheres in voxels: from 10,000 tiles of 4^3 voxels to several million.
const RADII: [f64; 7] = [60.0, 100.0, 160.0, 190.0, 400.0, 800.0, 1600.0];

pub type Tiles<S, const E: usize> = (TiledGrid<E>, Pool<S, E>);

/// Returns a ball on tiles.
pub fn ball<R: Real, const E: usize, S: Stored<R>>(
    center: [f64; 3],
    radius: f64,
    options: &Options,
) -> Result<Tiles<S, E>, Failed> {
    let band = Band { gamma: R::of(options.gamma), reach: options.reach() };
    let top = [center[0] + radius, center[1], center[2]].map(|c| (c / E as f64).floor() as i32);
    Ok(TiledGrid::from_seeds([top], band, |first: [i32; 3], out: &mut [R]| {
        for (n, value) in out.iter_mut().enumerate() {
            let place = [n % E, n / E % E, n / (E * E)];
            let of = |k: usize| f64::from(first[k] + place[k] as i32) - center[k];
            *value = R::of((0..3).map(|k| of(k) * of(k)).sum::<f64>().sqrt() - radius);
        }
        Ok(())
    })?)
}

/// Prints the tables of steps and of the flow of Enright et al., for all sizes or for the given
/// one.
pub fn table(cuda: &Arc<Cuda>, radius: Option<f64>, enrights: Option<u32>) -> Result<(), Failed> {
    let is_all = radius.is_none() && enrights.is_none();
    if is_all || radius.is_some() {
        println!(
            "\n| tiles | edge | precision | terms | us per step | ns per voxel | TB/s of 8 bytes | changes | setup s |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
    }
    let all = if is_all { RADII.to_vec() } else { radius.into_iter().collect() };
    for of in all {
        rows::<f32, 4, f32>(cuda, of)?;
        rows::<f32, 8, f32>(cuda, of)?;
    }
    if is_all {
        rows::<f32, 4, Fixed16>(cuda, 190.0)?;
        rows::<f64, 4, f64>(cuda, 190.0)?;
    }
    if is_all || enrights.is_some() {
        println!("\n| Enright | edge | precision | steps | s | us per step | tiles at most |");
        println!("|---|---|---|---|---|---|---|");
    }
    for n in [128, 256, 512].into_iter().filter(|n| is_all || enrights == Some(*n)) {
        enright::<4>(cuda, n)?;
        enright::<8>(cuda, n)?;
    }
    Ok(())
}

fn rows<R: Real, const E: usize, S: Stored<R> + Element>(
    cuda: &Arc<Cuda>,
    radius: f64,
) -> Result<(), Failed> {
    let uniform = |v: f64| DeviceCoefficient::Uniform([v]);
    let none = DeviceTerms::new([0.0; 3], 1.0);
    let grows = none.clone().with_normal_speed(uniform(-0.1));
    let bends = grows.clone().with_curvature(uniform(1.0));
    let first = Options::new(1.5).first_order().with_nu(0.3);
    let rescaled = first.with_reinitialize(Reinitialize::Rescaling { factor: 0.25 });
    let weno = Options::new(3.0).with_nu(0.3);
    row::<R, E, S>(cuda, radius, "first order, F", &grows, first)?;
    row::<R, E, S>(cuda, radius, "first order, F + curvature", &bends, first)?;
    row::<R, E, S>(cuda, radius, "first order, F + curvature + rescaling", &bends, rescaled)?;
    row::<R, E, S>(cuda, radius, "WENO5 + RK3, F + curvature", &bends, weno)
}

/// The measurements of an evolution.
pub struct Measured {
    /// Mean number of tiles in the timed steps.
    pub tiles: u64,
    /// Seconds per step.
    pub step: f64,
    /// Number of steps in which the tile set changed, and total number of steps.
    pub changes: (u32, u64),
    /// Seconds until the first step.
    pub setup: f64,
}

/// Measures the steps of a ball that moves according to `terms`.
pub fn measure<R: Real, const E: usize, S: Stored<R> + Element>(
    cuda: &Arc<Cuda>,
    radius: f64,
    terms: &DeviceTerms,
    options: Options,
) -> Result<Measured, Failed> {
    let start = Instant::now();
    let (grid, phi) = ball::<R, E, S>([0.3, 0.1, -0.2], radius, &options)?;
    let mut run = DeviceTiledEvolution::<R, E, S>::new(cuda, &grid, &phi, terms, options, None)?;
    let setup = start.elapsed().as_secs_f64();
    let (mut times, mut warm) = (Vec::new(), 0);
    for _ in 0..6 {
        if times.len() == 1 {
            warm = run.control().tile_steps;
        }
        let before = run.seconds();
        let mut left = STEPS;
        while left > 0 {
            let until = StepTarget { clock: 0.0, target: f64::INFINITY, steady: -1.0, steps: left };
            let done = run.advance(&until)?.steps;
            if done == 0 {
                return Err("the interface has vanished".into());
            }
            left -= done;
        }
        times.push((run.seconds() - before) / STEPS as f64);
    }
    times.remove(0);
    times.sort_by(f64::total_cmp);
    let tiles = (run.control().tile_steps - warm) / (5 * STEPS);
    let changes = (run.control().changes, run.n_steps());
    Ok(Measured { tiles, step: times[2], changes, setup })
}

fn row<R: Real, const E: usize, S: Stored<R> + Element>(
    cuda: &Arc<Cuda>,
    radius: f64,
    name: &str,
    terms: &DeviceTerms,
    options: Options,
) -> Result<(), Failed> {
    let Measured { tiles, step, changes, setup } =
        measure::<R, E, S>(cuda, radius, terms, options)?;
    let voxels = tiles as f64 * (E * E * E) as f64;
    println!(
        "| {tiles} | {E} | {}{} | {name} | {:.1} | {:.3} | {:.2} | {} of {} | {setup:.1} |",
        R::NAME,
        if size_of::<S>() == 2 { ", 16 bits" } else { "" },
        step * 1e6,
        step * 1e9 / voxels,
        2.0 * size_of::<S>() as f64 * voxels / step * 1e-12,
        changes.0,
        changes.1,
    );
    Ok(())
}

/// Runs the flow of Enright et al. to t = 3 on n^3 voxels of the unit cube.
fn enright<const E: usize>(cuda: &Arc<Cuda>, n: u32) -> Result<(), Failed> {
    let options =
        Options::new(3.0).with_reinitialize(Reinitialize::Equation { iterations: 1, every: 5 });
    let scale = f64::from(n);
    let (grid, phi) = ball::<f32, E, f32>([0.35 * scale; 3], 0.15 * scale, &options)?;
    let texts = [
        "2*sin(pi*x)^2*sin(2*pi*y)*sin(2*pi*z)*cos(pi*t/3)",
        "-sin(2*pi*x)*sin(pi*y)^2*sin(2*pi*z)*cos(pi*t/3)",
        "-sin(2*pi*x)*sin(2*pi*y)*sin(pi*z)^2*cos(pi*t/3)",
    ];
    let mut fields = Vec::new();
    for text in texts {
        let expression: Expression = text.parse().map_err(|flaw| format!("{flaw}"))?;
        fields.push(Field::bind(&expression, |_| Ok(Vec::new().into()))?);
    }
    let fields: [Field; 3] = fields.try_into().map_err(|_| "three components")?;
    let terms = DeviceTerms::new([0.0; 3], 1.0 / scale)
        .with_velocity(DeviceCoefficient::Fields(Box::new(fields)));
    let mut run = DeviceTiledEvolution::<f32, E>::new(cuda, &grid, &phi, &terms, options, None)?;
    let start = Instant::now();
    let (mut clock, mut most) = (0.0, 0);
    while clock < 3.0 && !run.is_extinct() {
        let until = StepTarget { clock, target: 3.0, steady: -1.0, steps: u64::MAX >> 1 };
        clock = run.advance(&until)?.clock;
        most = most.max(run.control().n_tiles);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "| {n}^3 | {E} | f32 | {} | {seconds:.2} | {:.1} | {most} |",
        run.n_steps(),
        run.seconds() / run.n_steps() as f64 * 1e6,
    );
    Ok(())
}
