//! Figures 5 to 7 of Khan and Zahran ("Space-efficient pointwise computation of the distance
//! transform on GPUs") as tables: speedup over a serial program, working sets, and the error of
//! perforation. The benchmark `plots` draws them.

use std::time::Instant;

use zeroset::Cpu;
use zeroset::gpu::Cuda;
use zeroset::point_distance::cuda::{DeviceSites, nearest_in_streams};
use zeroset::point_distance::{Method, Norm, Options, Sites, nearest};

use crate::Failed;
use crate::volumes::numbers;

const QUERIES: usize = 1024;
/// The largest number of sites for which the serial program is timed. Times for more sites are
/// extrapolated in proportion to their number.
const SERIAL: usize = 1 << 20;
/// Number of voxels along an edge of the volume of Figure 7.
const EDGE: i32 = 160;

/// Prints the tables of all figures.
pub fn figures(cuda: &Cuda, gpus: u32) -> Result<(), Failed> {
    speed(cuda, gpus)?;
    perforation(cuda)
}

/// Returns the smallest host time of `times` calls after a warm-up call, in milliseconds.
fn least(times: usize, mut call: impl FnMut() -> zeroset::Result<()>) -> Result<f64, Failed> {
    call()?;
    let mut least = f64::INFINITY;
    for _ in 0..times {
        let start = Instant::now();
        call()?;
        least = least.min(1e3 * start.elapsed().as_secs_f64());
    }
    Ok(least)
}

/// Prints the table of Figures 5 and 6.
fn speed(cuda: &Cuda, gpus: u32) -> Result<(), Failed> {
    println!(
        "\n| sites | serial ms | kernel ms | with the copies of queries and results ms | 2 streams in 8 MiB, sites from the host ms | kernels | {gpus} GPUs, sites from the host ms | working set MiB | in 2 streams MiB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let one = Cpu::new(1)?;
    let streams = [Cuda::new(0)?, Cuda::new(0)?];
    let many = (0..2 * gpus).map(|k| Cuda::new(k % gpus)).collect::<Result<Vec<_>, _>>()?;
    let mut options = Options::default();
    options.method = Method::Brute;
    let mut per_site = 0.0;
    for n in [10, 12, 14, 16, 18, 20, 22, 24].map(|k| 1_usize << k) {
        let mut number = numbers();
        let mut list = |n: usize| -> Vec<[i32; 3]> {
            (0..n).map(|_| [(); 3].map(|()| (512.0 * number()) as i32)).collect()
        };
        let (queries, sites) = (list(QUERIES), Sites::new(&list(n))?);
        let on_gpu = DeviceSites::new(cuda, &sites)?;
        let mut comparison = on_gpu.compare(cuda, &queries, Norm::L2, 1, false)?;
        let kernel = crate::point_distance::median(cuda, || Ok(comparison.launch(cuda)?))?;
        options.memory = 256 << 20;
        let call = least(5, || on_gpu.nearest(cuda, &queries, &options).map(drop))?;
        options.memory = 8 << 20;
        let mut plan = None;
        let pieces = least(2, || {
            plan = nearest_in_streams(&streams, &sites, &queries, &options)?.plan;
            Ok(())
        })?;
        let (tile, working_set) = plan.map_or((n, 0), |plan| (plan.tile, plan.working_set));
        options.memory = 1 << 30;
        let shared = match gpus {
            1 => f64::NAN,
            _ => least(2, || nearest_in_streams(&many, &sites, &queries, &options).map(drop))?,
        };
        if n <= SERIAL {
            let start = Instant::now();
            options.memory = 256 << 20;
            nearest(&one, &sites, &queries, &options)?;
            per_site = 1e3 * start.elapsed().as_secs_f64() / n as f64;
        }
        let (serial, mebi) = (per_site * n as f64, f64::from(1 << 20));
        let held = (12 * n + 8 * QUERIES) as f64 / mebi;
        let in_streams = working_set as f64 / mebi;
        println!(
            "| {n} | {serial:.2}{} | {kernel:.4} | {call:.3} | {pieces:.2} | {} | {shared:.2} | {held:.2} | {in_streams:.2} |",
            if n <= SERIAL { "" } else { " (in proportion)" },
            n.div_ceil(tile),
        );
    }
    Ok(())
}

/// Prints the table of Figure 7. The sites are the voxels of a thick shell, in volume order and
/// shuffled. The queries are random voxels of the whole volume.
fn perforation(cuda: &Cuda) -> Result<(), Failed> {
    println!("\n| order of the sites | every | kernel ms | times all sites | mean error % |");
    println!("|---|---|---|---|---|");
    let middle = EDGE / 2;
    let place = |n: i32| [n % EDGE, n / EDGE % EDGE, n / EDGE / EDGE];
    let is_shell = |x: &[i32; 3]| {
        let square: i32 = x.iter().map(|x| (x - middle).pow(2)).sum();
        (40 * 40..60 * 60).contains(&square)
    };
    let ordered: Vec<[i32; 3]> = (0..EDGE.pow(3)).map(place).filter(is_shell).collect();
    let mut number = numbers();
    let mut shuffled = ordered.clone();
    for k in (1..shuffled.len()).rev() {
        shuffled.swap(k, (number() * (k + 1) as f64) as usize);
    }
    let queries: Vec<[i32; 3]> =
        (0..QUERIES).map(|_| [(); 3].map(|()| (f64::from(EDGE) * number()) as i32)).collect();
    for (name, list) in [("order of the volume", ordered), ("random order", shuffled)] {
        let sites = Sites::new(&list)?;
        let on_gpu = DeviceSites::new(cuda, &sites)?;
        let mut all = f64::NAN;
        for every in [1, 2, 3, 4, 6, 8, 12, 16, 24, 32] {
            let mut options = Options::default();
            (options.method, options.every) = (Method::Brute, every);
            let found = on_gpu.nearest(cuda, &queries, &options)?;
            let error = found.perforation.and_then(|p| p.percent).unwrap_or(0.0);
            let mut comparison = on_gpu.compare(cuda, &queries, Norm::L2, every, false)?;
            let ms = crate::point_distance::median(cuda, || Ok(comparison.launch(cuda)?))?;
            all = if every == 1 { ms } else { all };
            println!("| {name} | {every} | {ms:.4} | {:.2} | {error:.2} |", all / ms);
        }
    }
    Ok(())
}
