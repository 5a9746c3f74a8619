//! The point-wise distance transform on the CPU: comparing all, the index, and from how many queries
//! on the index pays.
//!
//! `cargo bench --bench point_distance -- [SITES...]` prints Markdown tables; without numbers for
//! those of the paper's Table II (Khan and Zahran): 16,384, 65,536, 262,144 and 16,777,216 sites, with
//! 1,024 queries. Sites and queries are random points of a lattice of 512^3. Seconds are CPU seconds
//! of one thread, where the system tells them.

use std::f64::consts::PI;
use std::time::Instant;

use zeroset::backend::Cpu;
use zeroset::point_distance::{
    Cone, Coordinate, Directions, Index, Method, Norm, Options, Sites, nearest,
};

const QUERIES: usize = 1024;

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![16_384, 65_536, 262_144, 16_777_216] } else { sizes };
    // One for all: the seconds of threads that have ended are not told any more.
    let cpu = Cpu::new(1).expect("a thread");
    println!(
        "{QUERIES} queries, one thread, zeroset {} {}\n",
        env!("CARGO_PKG_VERSION"),
        env!("ZEROSET_COMMIT")
    );
    println!(
        "| sites | what | compare all ms | ns per pair | build ms | ask the index ms | index pays from |"
    );
    println!("|---|---|---|---|---|---|---|");
    for n in sizes {
        let points = points(n, 512.0);
        table(&cpu, "lattice, f32", &points, |x| x as i32);
        table(&cpu, "lattice, u32", &points, |x| 8 * x as i32);
        table(&cpu, "real f32", &points, |x| x as f32);
        table(&cpu, "real f64", &points, |x| x);
        if n <= 1 << 20 {
            perforated(n, &points);
        }
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
    let cases = [(Norm::L2, None), (Norm::L1, None), (Norm::LInf, None), (Norm::L2, Some(cone))];
    for (norm, cone) in cases {
        let what = cone.as_ref().map_or("", |_| ", cone of 36 degrees");
        let mut options = Options::default();
        (options.norm, options.method, options.cone) = (norm, Method::Brute, cone);
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

/// Figure 7: error against what is saved, for sites in the order of a volume and shuffled.
fn perforated(n: usize, shuffled: &[[f64; 3]]) {
    let side = (n as f64).cbrt() as i32;
    let line = |n: i32| [n % side, n / side % side, n / side / side];
    let ordered: Vec<[i32; 3]> =
        (0..side.pow(3)).map(line).filter(|x| (x[0] + x[1] + x[2]) % 2 == 0).collect();
    let shuffled: Vec<[i32; 3]> = shuffled.iter().map(|x| x.map(|x| x as i32)).collect();
    let queries: Vec<[i32; 3]> =
        (0..256).map(|n| [-1 - n % 7, n * 7919 % side, n * 104_729 % side]).collect();
    for (name, sites) in [("in the order of a volume", ordered), ("random", shuffled)] {
        let sites = Sites::new(&sites).expect("finite");
        let errors = [2, 4, 8, 16].map(|k| {
            let mut options = Options::default();
            options.every = k;
            let found = nearest(&Cpu::current(), &sites, &queries, &options).expect("distances");
            found.perforation.and_then(|p| p.percent).unwrap_or(0.0)
        });
        println!(
            "| {} | perforation 2, 4, 8, 16: error %, {name} | {errors:.1?} | | | | |",
            sites.len()
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

fn points(n: usize, side: f64) -> Vec<[f64; 3]> {
    let mut state = 12_345_u64;
    let mut number = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (side * (state >> 33) as f64 / (1_u64 << 31) as f64).floor()
    };
    (0..n + QUERIES).map(|_| [number(), number(), number()]).collect()
}
