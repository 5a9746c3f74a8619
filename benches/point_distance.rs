//! Benchmark of the point-wise distance transform on the CPU: brute force, the index, and the
//! number of queries above which the index pays off.
//!
//! `cargo bench --bench point_distance -- [SITES...]` prints Markdown tables for the given numbers
//! of sites. The default is Table II of Khan and Zahran: 16,384, 65,536, 262,144 and 16,777,216
//! sites with 1,024 queries. Sites and queries are random points of a 512^3 lattice. With
//! `perforation` instead of numbers, it prints Figure 7b of the paper. Times are CPU times of one
//! thread if the system provides them.

use std::f64::consts::PI;
use std::time::Instant;

use zeroset::Cpu;
use zeroset::point_distance::{
    Cone, Coordinate, Directions, Index, Method, Norm, Options, Sites, nearest,
};

const QUERIES: usize = 1024;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![16_384, 65_536, 262_144, 16_777_216] } else { sizes };
    // All tables share one thread because the CPU time of threads that have ended is lost.
    let cpu = Cpu::new(1).expect("a thread");
    println!("{QUERIES} queries, one thread, zeroset {}\n", zeroset::output::build());
    if std::env::args().any(|a| a == "perforation") {
        return perforated(&cpu);
    }
    println!(
        "| sites | what | compare all ms | ns per pair | build ms | ask the index ms | index pays from |"
    );
    println!("|---|---|---|---|---|---|---|");
    for n in sizes {
        let points = points(n);
        table(&cpu, "lattice, f32", &points, |x| x as i32);
        table(&cpu, "lattice, u32", &points, |x| 8 * x as i32);
        table(&cpu, "real f32", &points, |x| x as f32);
        table(&cpu, "real f64", &points, |x| x);
    }
}

/// Prints a row for each norm, and one for a cone.
fn table<C: Coordinate>(cpu: &Cpu, name: &str, points: &[[f64; 3]], of: fn(f64) -> C) {
    let list = |points: &[[f64; 3]]| points.iter().map(|x| x.map(of)).collect::<Vec<[C; 3]>>();
    let (queries, sites) = points.split_at(QUERIES);
    let (queries, sites) = (list(queries), Sites::new(&list(sites)).expect("finite"));
    let (build, index) = time(|| cpu.run(|| Index::new(&sites)));
    let cone =
        Cone { directions: Directions::One([0.3, 0.5, 0.8]), angle: PI / 5.0, cylinder: None };
    let norms = [Norm::L2, Norm::L1, Norm::LInf, Norm::Lp(3.0)].map(|norm| (norm, None));
    for (norm, cone) in norms.into_iter().chain([(Norm::L2, Some(cone))]) {
        // On a lattice, keys are integers, so norms of other orders are rejected.
        if matches!(norm, Norm::Lp(_)) && nearest(cpu, &sites, &queries[..1], &with(norm)).is_err()
        {
            continue;
        }
        let what = cone.as_ref().map_or("", |_| ", cone of 36 degrees");
        let mut options = with(norm);
        (options.method, options.cone) = (Method::Brute, cone);
        let (brute, all) = time(|| nearest(cpu, &sites, &queries, &options).expect("distances"));
        let (ask, some) = time(|| index.nearest(cpu, &queries, &options).expect("distances"));
        assert_eq!(all.found, some.found, "both are exact");
        let each = brute / QUERIES as f64;
        println!(
            "| {} | {name}, {norm}{what} | {brute:.2} | {:.3} | {build:.2} | {ask:.2} | {:.0} |",
            sites.len(),
            1e6 * each / sites.len() as f64,
            build / (each - ask / QUERIES as f64).max(1e-9),
        );
    }
}

fn with(norm: Norm) -> Options {
    let mut options = Options::default();
    options.norm = norm;
    options
}

/// Returns the mean of T'/T - 1 in percent for evenly spread points of which every k-th is kept. T
/// is the distance to the nearest point, and T' is the distance to the nearest kept point.
///
/// The nearest kept point is the j-th nearest of all points with probability (1 - 1/k)^(j-1) / k.
/// Then (T/T')^3 is the smallest of j - 1 uniform numbers from 0 to 1, so that T'/T has the mean
/// gamma(2/3) gamma(j) / gamma(j - 1/3).
fn expected(k: usize) -> f64 {
    let kept = 1.0 / k as f64;
    let next = |(j, term): &(f64, f64)| Some((j + 1.0, term * (1.0 - kept) * j / (j - 1.0 / 3.0)));
    let terms = std::iter::successors(Some((1.0, kept)), next).map(|(_, term)| term);
    100.0 * (terms.take_while(|term| *term > 1e-12).sum::<f64>() - 1.0)
}

/// Prints Figure 7b: the error against the saved time, for evenly spread random points.
fn perforated(cpu: &Cpu) {
    println!(
        "| sites without order | every | compare all ms | times all sites | mean error % | expected % |"
    );
    println!("|---|---|---|---|---|---|");
    let points: Vec<[f32; 3]> = random(65_536 + QUERIES).map(|x| x.map(|x| x as f32)).collect();
    let (queries, list) = points.split_at(QUERIES);
    let sites = Sites::new(list).expect("finite");
    let mut all = f64::NAN;
    for every in [1, 2, 3, 4, 6, 8, 12, 16, 24, 32] {
        let kept: Vec<[f32; 3]> = list.iter().step_by(every).copied().collect();
        let kept = Sites::new(&kept).expect("finite");
        let mut options = Options::default();
        options.method = Method::Brute;
        let (ms, _) = time(|| nearest(cpu, &kept, queries, &options).expect("distances"));
        all = if every == 1 { ms } else { all };
        options.every = every;
        let found = nearest(cpu, &sites, queries, &options).expect("distances");
        let error = found.perforation.and_then(|p| p.percent).unwrap_or(0.0);
        println!(
            "| {} | {every} | {ms:.2} | {:.2} | {error:.1} | {:.1} |",
            sites.len(),
            all / ms,
            expected(every),
        );
    }
}

/// Returns the smallest time of three calls in milliseconds, and the result of that call. The time
/// is the CPU time if the system provides it, and the wall-clock time otherwise.
fn time<T>(work: impl Fn() -> T) -> (f64, T) {
    let once = || {
        let (start, before) = (Instant::now(), cpu_ms());
        let result = work();
        let used = before.zip(cpu_ms()).map(|(before, after)| after - before);
        (used.unwrap_or(1e3 * start.elapsed().as_secs_f64()), result)
    };
    let first = once();
    // A call that takes a second or longer is not repeated.
    let again = if first.0 < 1e3 { 2 } else { 0 };
    (0..again).fold(first, |best, _| {
        let next = once();
        if next.0 < best.0 { next } else { best }
    })
}

/// Returns the CPU time of all running threads of this process, in milliseconds, or `None` if the
/// system does not provide it.
fn cpu_ms() -> Option<f64> {
    let mut sum = 0.0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        sum += text.split(' ').next()?.parse::<f64>().ok()?;
    }
    Some(sum / 1e6)
}

/// Returns [`QUERIES`] random queries followed by `n` random sites, all on a 512^3 lattice.
fn points(n: usize) -> Vec<[f64; 3]> {
    random(n + QUERIES).map(|x| x.map(f64::floor)).collect()
}

/// Returns random points of a cube with edges of length 512.
fn random(n: usize) -> impl Iterator<Item = [f64; 3]> {
    let mut state = 12_345_u64;
    let mut number = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        512.0 * (state >> 33) as f64 / f64::from(1 << 31)
    };
    (0..n).map(move |_| [number(), number(), number()])
}
