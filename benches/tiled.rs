//! Benchmark of the level-set solvers on tiles on the CPU.
//!
//! `cargo bench --bench tiled -- MODE [NUMBER...]` prints Markdown tables. The modes, which use
//! `f32` unless stated otherwise, are:
//!
//! - `block`: nanoseconds per voxel of a block in which all voxels move, by term and scheme, with
//!   one thread, in `f32` and `f64`
//! - `enright [N...]`: Enright's sphere on N^3 voxels (default 128), WENO5 with RK3 and one step of
//!   the reinitialization equation per step: seconds, nanoseconds per step and voxel of the band,
//!   and change in volume
//! - `collapse [RADIUS]`: curvature motion of a lumpy ball (default 215: 3.5 million voxels in the
//!   band): milliseconds per step of WENO5 with one reinitialization step, and of the first-order
//!   scheme
//! - `distance [RADIUS]`: reinitialization of a band (default 76: 437,000 voxels), directly and by
//!   the reinitialization equation: milliseconds and error
//!
//! Times are wall-clock times. `collapse` and `distance` also print CPU milliseconds summed over
//! the threads. If other work runs on the machine, only CPU times are meaningful.
//!
//! Results that the documentation quotes are kept under `benches/results/`.

#[path = "support/meter.rs"]
#[allow(dead_code)]
mod meter;

use std::f64::consts::{PI, TAU};
use std::sync::Arc;
use std::time::Instant;

use meter::cpu_seconds;
use zeroset::Cpu;
use zeroset::grid::{Band, Pool, TiledGrid};
use zeroset::levelset::tiled::block::{Block, BlockTerms, Phi0, Stage, advance};
use zeroset::levelset::tiled::{
    Coefficient, Options, Reinitialize, Scheme, Terms, TiledEvolution, Wide,
};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let numbers: Vec<usize> = args.iter().skip(1).filter_map(|a| a.parse().ok()).collect();
    let or = |default: usize| if numbers.is_empty() { vec![default] } else { numbers.clone() };
    let cpu = Arc::new(Cpu::new(0).expect("threads"));
    println!("{} threads, zeroset {}\n", cpu.threads(), zeroset::output::build());
    match args.first().map(String::as_str) {
        Some("enright") => enright_table(&or(128), &cpu),
        Some("collapse") => collapse_table(&or(215), &cpu),
        Some("distance") => distance_table(&or(76), &cpu),
        _ => block_table(),
    }
}

fn block_table() {
    println!("| scalar | E | scheme | U | F | alpha | rescaling | all |");
    println!("|---|---|---|---|---|---|---|---|");
    block_rows::<f32, 8>();
    block_rows::<f64, 8>();
    block_rows::<f32, 4>();
    block_rows::<f64, 4>();
}

fn block_rows<R: Wide, const E: usize>() {
    for scheme in [Scheme::FirstOrder, Scheme::Weno5] {
        let (reach, n) = (scheme.reach(), E * E * E);
        let side = E + 2 * reach;
        let ball = |n: usize| {
            let x = [n % side, n / side % side, n / (side * side)].map(|c| c as f64 + 5.3);
            R::of(x.iter().map(|x| x * x).sum::<f64>().sqrt() - 15.0)
        };
        let padded: Vec<R> = (0..side * side * side).map(ball).collect();
        let wind: Vec<R> = (0..3 * n).map(|n| R::of((n as f64).sin())).collect();
        let one = vec![R::one(); n];
        let far = R::of(100.0);
        let block = Block { padded: &padded, extent: [E; 3], gamma: far, core: far };
        let stage = Stage { dt: R::of(0.1), mix: None, clamped: true };
        let none = BlockTerms::NONE;
        let (velocity, speed, curvature) = (Some(&wind[..]), Some(&one[..]), Some(&one[..]));
        let rescaling = Some((R::one(), Phi0::Itself));
        let cases = [
            BlockTerms { velocity, ..none },
            BlockTerms { normal_speed: speed, ..none },
            BlockTerms { curvature, ..none },
            BlockTerms { rescaling, ..none },
            BlockTerms { normal_speed: speed, velocity, curvature, rescaling },
        ];
        let mut out = vec![R::zero(); n];
        print!("| {} | {E} | {scheme:?} |", R::NAME);
        for terms in &cases {
            let repeats = 1_000_000 / n;
            let best = (0..5).map(|_| {
                let start = Instant::now();
                for _ in 0..repeats {
                    advance::<R, E>(scheme, &block, terms, &stage, &mut out);
                    std::hint::black_box(&mut out);
                }
                start.elapsed().as_secs_f64() / (repeats * n) as f64
            });
            print!(" {:.2} |", best.fold(f64::INFINITY, f64::min) * 1e9);
        }
        println!();
    }
}

/// Returns the tiles near the zero set of `f` in the box of the voxels from 0 to `most` along each
/// axis. `f` computes the value of a voxel from its position.
fn tiles<const E: usize>(
    most: usize,
    f: impl Fn([f64; 3]) -> f64 + Sync,
    options: Options,
) -> (TiledGrid<E>, Pool<f32, E>) {
    let band = Band { gamma: options.gamma as f32, reach: options.reach() };
    let last = (most / E) as i32;
    TiledGrid::from_box::<f32, f32>([0; 3], [last; 3], band, |first, out| {
        for (n, value) in out.iter_mut().enumerate() {
            let place = [n % E, n / E % E, n / (E * E)];
            let x = [0, 1, 2].map(|k| f64::from(first[k] + place[k] as i32));
            *value = band.clamp(f(x) as f32);
        }
        Ok(())
    })
    .expect("tiles")
}

fn norm(x: [f64; 3]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Returns the volume of the inside, in voxels, with a linear transition two voxels wide.
fn volume<const E: usize>(run: &TiledEvolution<f32, E>, gamma: f32) -> f64 {
    // Tiles that are completely inside are not stored. A gap between stored tiles in a row along x
    // consists of such tiles if the voxel before the gap is inside. Each row starts outside.
    let inside = |v: f32| f64::from((0.5 - 0.5 * v).clamp(0.0, 1.0));
    let (keys, ids) = (run.grid().keys(), run.grid().ids());
    let mut total = 0.0;
    let mut before: Option<[i32; 3]> = None;
    for (n, (key, id)) in keys.iter().zip(ids).enumerate() {
        let at = key.tile();
        if let Some(from) = before.filter(|from| from[1..] == at[1..]) {
            let gap = (at[0] - from[0] - 1) as usize;
            let end = run.phi().tile(ids[n - 1])[E - 1];
            if gap > 0 && end <= -gamma {
                total += (gap * E * E * E) as f64;
            }
        }
        total += run.phi().tile(*id).iter().map(|v| inside(*v)).sum::<f64>();
        before = Some(at);
    }
    total
}

/// Returns Enright's velocity on blocks of a grid with n voxels per unit length.
fn enright(n: usize) -> Coefficient<f32, 3> {
    // Values at the voxels of one unit length and of a block beyond it: sin^2 of half the angle,
    // and sin of the angle.
    let angle = |k: usize| TAU * k as f64 / n as f64;
    let squares: Vec<f32> = (0..n + 9).map(|k| (0.5 * angle(k)).sin().powi(2) as f32).collect();
    let doubles: Vec<f32> = (0..n + 9).map(|k| angle(k).sin() as f32).collect();
    Coefficient::Varying(Arc::new(move |first: [i32; 3], t, out: &mut [f32]| {
        let size = out.len() / 3;
        let edge = if size == 512 { 8 } else { 4 };
        let scale = (n as f64 * (PI * t / 3.0).cos()) as f32;
        let on = |axis: usize| {
            let first = (first[axis].max(0) as usize).min(n + 1);
            (&squares[first..first + edge], &doubles[first..first + edge])
        };
        let ((sx, dx), (sy, dy), (sz, dz)) = (on(0), on(1), on(2));
        let (u, vw) = out.split_at_mut(size);
        let (v, w) = vw.split_at_mut(size);
        let rows = u.chunks_exact_mut(edge).zip(v.chunks_exact_mut(edge));
        for (row, ((u, v), w)) in rows.zip(w.chunks_exact_mut(edge)).enumerate() {
            let (y, z) = (row % edge, row / edge);
            let factor = [2.0 * dy[y] * dz[z], -sy[y] * dz[z], -dy[y] * sz[z]].map(|f| scale * f);
            u.iter_mut().zip(sx).for_each(|(u, s)| *u = factor[0] * s);
            v.iter_mut().zip(dx).for_each(|(v, d)| *v = factor[1] * d);
            w.iter_mut().zip(dx).for_each(|(w, d)| *w = factor[2] * d);
        }
    }))
}

fn enright_table(sizes: &[usize], cpu: &Arc<Cpu>) {
    println!(
        "| n | E | steps | tiles | s | tiles % | speed % | stages % | reinitialization % | ns per step and voxel | volume at 3 % |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    for &n in sizes {
        enright_row::<8>(n, cpu);
        enright_row::<4>(n, cpu);
    }
}

fn enright_row<const E: usize>(n: usize, cpu: &Arc<Cpu>) {
    let once = Reinitialize::Equation { iterations: 1, every: 1 };
    let options = Options::new(3.0).with_nu(0.7).with_reinitialize(once);
    let (center, radius) = (0.35 * n as f64, 0.15 * n as f64);
    let ball = |x: [f64; 3]| norm(x.map(|x| x - center)) - radius;
    let (grid, phi) = tiles::<E>(n, ball, options);
    let terms = Terms::default().with_velocity(enright(n));
    let mut run =
        TiledEvolution::<f32, E>::new(grid, phi, &terms, options, cpu.clone()).expect("run");
    let before = volume(&run, 3.0);
    let (start, mut voxels) = (Instant::now(), 0);
    while run.time() < 3.0 * (1.0 - 1e-12) {
        voxels += run.step(3.0 - run.time()).expect("step").active_voxels;
    }
    let total = start.elapsed().as_secs_f64();
    let seconds = run.seconds();
    let percent = |part: f64| 100.0 * part / total;
    println!(
        "| {n} | {E} | {} | {} | {total:.2} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} |",
        run.steps(),
        run.grid().n_tiles(),
        percent(seconds.blocks),
        percent(seconds.speed),
        percent(seconds.stages),
        percent(seconds.reinitialize),
        total * 1e9 / voxels as f64,
        100.0 * (volume(&run, 3.0) / before - 1.0)
    );
}

/// Returns a ball with waves on its surface. Its values are not exact distances.
fn lumpy(radius: f64) -> impl Fn([f64; 3]) -> f64 + Sync {
    let center = radius * 1.3 + 8.0;
    move |x| {
        let x = x.map(|x| x - center);
        let r = norm(x).max(1.0);
        let [a, b, c] = x.map(|x| 7.0 * x / r);
        (r - radius * (1.0 + 0.06 * (a.sin() * b.cos() + c.sin()))) * 0.9
    }
}

fn collapse_table(radii: &[usize], cpu: &Arc<Cpu>) {
    println!("| E | scheme | voxels in the band | tiles | ms per step | of it tiles | CPU ms |");
    println!("|---|---|---|---|---|---|---|");
    for &radius in radii {
        collapse_row::<8>(radius, cpu);
        collapse_row::<4>(radius, cpu);
    }
}

fn collapse_row<const E: usize>(radius: usize, cpu: &Arc<Cpu>) {
    let once = Reinitialize::Equation { iterations: 1, every: 1 };
    let weno = Options::new(3.0).with_reinitialize(once);
    for (name, options) in [("WENO5, RK3", weno), ("first order, Euler", weno.first_order())] {
        let (grid, phi) =
            tiles::<E>((2.6 * radius as f64) as usize + 16, lumpy(radius as f64), options);
        let terms = Terms::default().with_curvature(Coefficient::Uniform([1.0]));
        let mut run =
            TiledEvolution::<f32, E>::new(grid, phi, &terms, options, cpu.clone()).expect("run");
        run.reinitialize().expect("distance");
        run.step(1.0).expect("step");
        let (before, start, steps) = (run.seconds().blocks, Instant::now(), 10);
        let busy = cpu_seconds();
        let mut voxels = 0;
        for _ in 0..steps {
            voxels = run.step(1.0).expect("step").active_voxels;
        }
        let per_step = |seconds: f64| 1e3 * seconds / f64::from(steps);
        println!(
            "| {E} | {name} | {voxels} | {} | {:.1} | {:.1} | {:.1} |",
            run.grid().n_tiles(),
            per_step(start.elapsed().as_secs_f64()),
            per_step(run.seconds().blocks - before),
            per_step(cpu_seconds() - busy)
        );
    }
}

fn distance_table(radii: &[usize], cpu: &Arc<Cpu>) {
    println!("| E | by | voxels in the band | ms | CPU ms | mean error | largest |");
    println!("|---|---|---|---|---|---|---|");
    for &radius in radii {
        distance_row::<8>(radius, cpu);
        distance_row::<4>(radius, cpu);
    }
}

fn distance_row<const E: usize>(radius: usize, cpu: &Arc<Cpu>) {
    let options = Options::new(3.0);
    let (radius, center) = (radius as f64, radius as f64 + 8.3);
    let exact = |x: [f64; 3]| norm(x.map(|x| x - center)) - radius;
    let warped = |x: [f64; 3]| exact(x) * (1.0 + 0.3 * (0.1 * x[0]).sin() * (0.13 * x[1]).cos());
    for iterations in [0, 5, 15] {
        let (grid, phi) = tiles::<E>(2 * radius as usize + 17, warped, options);
        let mut run =
            TiledEvolution::<f32, E>::new(grid, phi, &Terms::default(), options, cpu.clone())
                .expect("run");
        run.step(0.0).expect("room");
        let (start, busy) = (Instant::now(), cpu_seconds());
        let by = match iterations {
            0 => run.reinitialize().map(|()| "directly".to_string()),
            n => run.relax(n).map(|()| format!("{n} steps of the equation")),
        };
        let (by, ms) = (by.expect("distance"), start.elapsed().as_secs_f64() * 1e3);
        let busy = (cpu_seconds() - busy) * 1e3;
        let (mut sum, mut largest, mut count) = (0.0, 0f64, 0);
        for (key, id) in run.grid().keys().iter().zip(run.grid().ids()) {
            let first = key.first_voxel(E);
            for (n, value) in run.phi().tile(*id).iter().enumerate() {
                let place = [n % E, n / E % E, n / (E * E)];
                let d = exact([0, 1, 2].map(|k| f64::from(first[k] + place[k] as i32)));
                if value.abs() < 3.0 && d.abs() < 3.0 {
                    let error = (f64::from(*value) - d).abs();
                    (sum, largest, count) = (sum + error, largest.max(error), count + 1);
                }
            }
        }
        let mean = sum / f64::from(count);
        println!("| {E} | {by} | {count} | {ms:.1} | {busy:.0} | {mean:.1e} | {largest:.1e} |");
    }
}
