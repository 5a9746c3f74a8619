//! The point-wise distance transform on the CPU: comparing all, the index, and from how many queries
//! on the index pays.
//!
//! `cargo bench --bench point_distance -- [SITES...]` prints Markdown tables; without numbers for
//! those of the paper's Table II (Khan and Zahran): 16,384, 65,536, 262,144 and 16,777,216 sites, with
//! 1,024 queries. Sites and queries are random points of a lattice of 512^3. `perforation` instead of
//! numbers prints the paper's Figure 7b. Seconds are CPU seconds of one thread, where the system tells
//! them.

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
    // One for all: the seconds of threads that have ended are not told any more.
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

/// A row for each norm, and for a cone.
fn table<C: Coordinate>(cpu: &Cpu, name: &str, points: &[[f64; 3]], of: fn(f64) -> C) {
    let list = |points: &[[f64; 3]]| points.iter().map(|x| x.map(of)).collect::<Vec<[C; 3]>>();
    let (queries, sites) = points.split_at(QUERIES);
    let (queries, sites) = (list(queries), Sites::new(&list(sites)).expect("finite"));
    let (build, index) = time(|| cpu.run(|| Index::new(&sites)));
    let cone =
        Cone { directions: Directions::One([0.3, 0.5, 0.8]), angle: PI / 5.0, cylinder: None };
    let norms = [Norm::L2, Norm::L1, Norm::LInf, Norm::Lp(3.0)].map(|norm| (norm, None));
    for (norm, cone) in norms.into_iter().chain([(Norm::L2, Some(cone))]) {
        // Other orders are no whole numbers.
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

/// The mean of T'/T - 1 in percent for points spread evenly, of which each k-th is kept: the nearest kept
/// one is the j-th nearest of all with probability (1 - 1/k)^(j-1) / k, and (T/T')^3 then the smallest of
/// j - 1 even numbers from 0 to 1, so that T'/T has the mean gamma(2/3) gamma(j) / gamma(j - 1/3).
fn expected(k: usize) -> f64 {
    let kept = 1.0 / k as f64;
    let next = |(j, term): &(f64, f64)| Some((j + 1.0, term * (1.0 - kept) * j / (j - 1.0 / 3.0)));
    let terms = std::iter::successors(Some((1.0, kept)), next).map(|(_, term)| term);
    100.0 * (terms.take_while(|term| *term > 1e-12).sum::<f64>() - 1.0)
}

/// Figure 7b: error against what is saved, of points without any order, spread evenly.
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

/// Milliseconds of the CPU, or of the clock where the system does not tell them: the least of three.
fn time<T>(work: impl Fn() -> T) -> (f64, T) {
    let once = || {
        let (start, before) = (Instant::now(), cpu_ms());
        let result = work();
        let used = before.zip(cpu_ms()).map(|(before, after)| after - before);
        (used.unwrap_or(1e3 * start.elapsed().as_secs_f64()), result)
    };
    let first = once();
    // What takes seconds is not repeated.
    let again = if first.0 < 1e3 { 2 } else { 0 };
    (0..again).fold(first, |best, _| {
        let next = once();
        if next.0 < best.0 { next } else { best }
    })
}

/// Milliseconds that the threads of this process have run.
fn cpu_ms() -> Option<f64> {
    let mut sum = 0.0;
    for task in std::fs::read_dir("/proc/self/task").ok()? {
        let text = std::fs::read_to_string(task.ok()?.path().join("schedstat")).ok()?;
        sum += text.split(' ').next()?.parse::<f64>().ok()?;
    }
    Some(sum / 1e6)
}

/// Points of a lattice of 512^3 without order.
fn points(n: usize) -> Vec<[f64; 3]> {
    random(n + QUERIES).map(|x| x.map(f64::floor)).collect()
}

/// Points of a cube with edges of 512, without order.
fn random(n: usize) -> impl Iterator<Item = [f64; 3]> {
    let mut state = 12_345_u64;
    let mut number = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        512.0 * (state >> 33) as f64 / f64::from(1 << 31)
    };
    (0..n).map(move |_| [number(), number(), number()])
}
