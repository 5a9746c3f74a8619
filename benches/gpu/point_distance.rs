//! Benchmark of distances to points and voxels: queries with and without an index, and transforms
//! of whole volumes. T(q) is the distance from a query q to its nearest site. The titles of the
//! columns state which copies a time includes.

use std::time::Instant;

use zeroset::gpu::Cuda;
use zeroset::point_distance::cuda::{
    DeviceCoordinate, DeviceIndex, DeviceSites, nearest_in_streams,
};
use zeroset::point_distance::{
    Cone, DeviceEdt, Directions, Edt, Index, Method, Norm, Options, Sites,
};

use crate::Failed;
use crate::volumes::{balls, numbers, random};

const QUERIES: usize = 1024;

/// Returns the median GPU time of nine launches after a warm-up, in milliseconds.
pub fn median(cuda: &Cuda, mut launch: impl FnMut() -> Result<(), Failed>) -> Result<f64, Failed> {
    launch()?;
    let mut times = Vec::new();
    for _ in 0..9 {
        let start = cuda.mark()?;
        launch()?;
        let end = cuda.mark()?;
        end.wait()?;
        times.push(start.milliseconds_to(&end)?);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}

/// Prints the times of T(q) for 1,024 queries.
pub fn points(cuda: &Cuda) -> Result<(), Failed> {
    println!(
        "\n| sites | coordinates | norm | arithmetic | copy of sites ms | T(q) ms | T(q) and site ms |"
    );
    println!("|---|---|---|---|---|---|---|");
    for n in [16_384, 65_536, 262_144, 16_777_216] {
        let mut number = numbers();
        let all: Vec<[f64; 3]> =
            (0..n + QUERIES).map(|_| [(); 3].map(|()| 512.0 * number())).collect();
        let (queries, sites) = all.split_at(QUERIES);
        row(cuda, "lattice of 512", queries, sites, |x| x as i32)?;
        row(cuda, "lattice of 16,384", queries, sites, |x| (32.0 * x) as i32)?;
        row(cuda, "real", queries, sites, |x| x as f32)?;
        row(cuda, "real", queries, sites, |x| x)?;
    }
    Ok(())
}

/// Prints the times of whole calls with cones and other norms for sites on the GPU, and for sites
/// that are streamed in pieces.
pub fn selected(cuda: &Cuda) -> Result<(), Failed> {
    println!(
        "\n| sites | norm | cone | T(q) and site, with the copies of queries and results ms |"
    );
    println!("|---|---|---|---|");
    for n in [262_144, 16_777_216] {
        let mut number = numbers();
        let mut list = |n: usize| -> Vec<[f32; 3]> {
            (0..n).map(|_| [(); 3].map(|()| (512.0 * number()) as f32)).collect()
        };
        let (sites, queries) = (Sites::new(&list(n))?, list(QUERIES));
        let on_gpu = DeviceSites::new(cuda, &sites)?;
        let mut options = Options::default();
        options.method = Method::Brute;
        let time = |options: &Options| {
            median(cuda, || Ok(on_gpu.nearest(cuda, &queries, options).map(drop)?))
        };
        println!("| {n} | L2 | | {:.3} |", time(&options)?);
        for angle in [5.0_f64, 36.0] {
            let directions = Directions::One([0.3, 0.5, 0.8]);
            let cylinder = Some(0.87);
            options.cone = Some(Cone { directions, angle: angle.to_radians(), cylinder });
            println!("| {n} | L2 | {angle} degrees and cylinder | {:.3} |", time(&options)?);
        }
        options.cone = None;
        options.norm = Norm::Lp(3.0);
        println!("| {n} | L3 | | {:.3} |", time(&options)?);
        options.norm = Norm::L2;
        for (streams, mebibytes) in [(1, 256), (1, 64), (2, 64), (3, 64), (2, 16)] {
            let gpus = (0..streams).map(|_| Cuda::new(0)).collect::<Result<Vec<_>, _>>()?;
            options.memory = mebibytes << 20;
            let mut times = Vec::new();
            let mut pieces = 0;
            for _ in 0..3 {
                let start = Instant::now();
                let found = nearest_in_streams(&gpus, &sites, &queries, &options)?;
                times.push(1e3 * start.elapsed().as_secs_f64());
                pieces = n.div_ceil(found.plan.map_or(n, |plan| plan.tile));
            }
            times.sort_by(f64::total_cmp);
            println!(
                "| {n} | L2, {pieces} kernels in {streams} streams, {mebibytes} MiB, sites from the host | | {:.1} |",
                times[0]
            );
        }
    }
    Ok(())
}

/// Prints the times of T(q) with an index: the kernel alone for each number of threads per query,
/// and the whole call.
pub fn indexed(cuda: &Cuda) -> Result<(), Failed> {
    println!(
        "\n| sites | build s | copy s | queries | 1 lane ms | 8 lanes ms | 32 lanes ms | with the copies of queries and results ms |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for n in [262_144, 16_777_216] {
        let mut number = numbers();
        let mut list = |n: usize| -> Vec<[f32; 3]> {
            (0..n).map(|_| [(); 3].map(|()| (512.0 * number()) as f32)).collect()
        };
        let sites = Sites::new(&list(n))?;
        let start = Instant::now();
        let index = Index::new(&sites);
        let build = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let on_gpu = DeviceIndex::new(cuda, &index)?;
        cuda.synchronize()?;
        let copy = start.elapsed().as_secs_f64();
        for n_queries in [QUERIES, 32_768, 1 << 20] {
            let queries = list(n_queries);
            let of = |lanes: u32| {
                let search = on_gpu.search(cuda, &queries, Norm::L2, lanes)?;
                median(cuda, || Ok(search.launch(cuda)?))
            };
            let (one, eight, all) = (of(1)?, of(8)?, of(32)?);
            let options = Options::default();
            let ms = median(cuda, || Ok(on_gpu.nearest(cuda, &queries, &options).map(drop)?))?;
            println!(
                "| {n} | {build:.2} | {copy:.2} | {n_queries} | {one:.3} | {eight:.3} | {all:.3} | {ms:.3} |"
            );
        }
    }
    Ok(())
}

fn row<C: DeviceCoordinate>(
    cuda: &Cuda,
    name: &str,
    queries: &[[f64; 3]],
    sites: &[[f64; 3]],
    of: fn(f64) -> C,
) -> Result<(), Failed> {
    let list = |points: &[[f64; 3]]| points.iter().map(|x| x.map(of)).collect::<Vec<[C; 3]>>();
    let n = sites.len();
    let (queries, sites) = (list(queries), Sites::new(&list(sites))?);
    let start = Instant::now();
    let on_gpu = DeviceSites::new(cuda, &sites)?;
    cuda.synchronize()?;
    let copy = 1e3 * start.elapsed().as_secs_f64();
    for norm in [Norm::L2, Norm::L1, Norm::LInf] {
        let of = |numbered: bool| {
            let mut comparison = on_gpu.compare(cuda, &queries, norm, 1, numbered)?;
            let kernel = comparison.kernel();
            Ok::<_, Failed>((kernel, median(cuda, || Ok(comparison.launch(cuda)?))?))
        };
        let ((kernel, keys), (_, sites)) = (of(false)?, of(true)?);
        println!("| {n} | {name} | {norm} | {kernel} | {copy:.1} | {keys:.4} | {sites:.4} |");
    }
    Ok(())
}

/// Prints the times of transforms of 512^3 and 1,024^3 voxels.
pub fn edt(cuda: &Cuda) -> Result<(), Failed> {
    println!("\n| voxels | inside | transform | ms |");
    println!("|---|---|---|---|");
    for n in [512_usize, 1024] {
        for (name, inside) in [
            ("40 balls", balls(n)),
            ("0.1 %", random(n, 1)),
            ("5 %", random(n, 50)),
            ("30 %", random(n, 300)),
        ] {
            let bytes: Vec<u8> = inside.into_iter().map(u8::from).collect();
            let on_gpu = cuda.upload(&bytes)?;
            for (kind, edt) in [
                ("cubes", Edt::default()),
                ("0.7 x 0.8 x 2.5", Edt::default().spacing([0.7, 0.8, 2.5])),
                ("cubes, signed", Edt::default().signed(true)),
            ] {
                let transform = DeviceEdt::new(cuda, edt, [n; 3])?;
                let ms = median(cuda, || Ok(transform.transform(cuda, &on_gpu).map(drop)?))?;
                println!("| {n}^3 | {name} | {kind} | {ms:.2} |");
            }
        }
    }
    Ok(())
}
