//! The Euclidean distance transform on the CPU.
//!
//! `cargo bench --bench edt -- [SIZE]` prints a Markdown table for volumes of SIZE^3 voxels, 512 if
//! it is not given. CPU seconds (user and system, all threads) are the measure on a machine that
//! does something else as well; they are read from /proc and missing elsewhere.

use std::time::Instant;

use zeroset::backend::Cpu;
use zeroset::point_distance::Edt;

fn main() {
    let mut args = std::env::args().skip(1).filter(|a| !a.starts_with("--"));
    let n: usize = args.next().and_then(|a| a.parse().ok()).unwrap_or(512);
    println!("{n}^3 voxels, zeroset {} {}\n", env!("CARGO_PKG_VERSION"), env!("ZEROSET_COMMIT"));
    println!("| voxels inside | transform | threads | s | CPU s | ns per voxel (CPU) |");
    println!("|---|---|---|---|---|---|");
    let cubes = Edt::default();
    let transforms = [
        ("cubes", cubes),
        ("0.7 x 0.8 x 2.5", cubes.spacing([0.7, 0.8, 2.5])),
        ("cubes, signed", cubes.signed(true)),
    ];
    for (name, inside) in
        [("40 balls", balls(n)), ("0.1 %", random(n, 1)), ("30 %", random(n, 300))]
    {
        for (kind, edt) in transforms {
            for threads in [1, 2] {
                let cpu = Cpu::new(threads).expect("threads");
                let (start, before) = (Instant::now(), cpu_seconds());
                let distances = edt.transform(&cpu, &inside, [n; 3]).expect("a volume");
                let (s, after) = (start.elapsed().as_secs_f64(), cpu_seconds());
                assert_eq!(distances.len(), n * n * n);
                let used = before.zip(after).map(|(before, after)| after - before);
                let shown = used.map_or("".into(), |s| format!("{s:.2}"));
                let each =
                    used.map_or("".into(), |s| format!("{:.1}", 1e9 * s / (n * n * n) as f64));
                println!("| {name} | {kind} | {threads} | {s:.2} | {shown} | {each} |");
            }
        }
    }
}

/// CPU seconds of this process, in hundredths as Linux counts them.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let words: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |k: usize| words.get(k)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}

/// Numbers from 0 to 1.
fn numbers() -> impl FnMut() -> f64 {
    let mut state = 12_345_u64;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    }
}

fn random(n: usize, thousandths: u32) -> Vec<bool> {
    let mut number = numbers();
    (0..n * n * n).map(|_| number() < f64::from(thousandths) / 1000.0).collect()
}

/// Forty balls with radii of 2 to 8 % of the side.
fn balls(n: usize) -> Vec<bool> {
    let mut number = numbers();
    let mut inside = vec![false; n * n * n];
    for _ in 0..40 {
        let center = [(); 3].map(|()| number() * n as f64);
        let radius = (0.02 + 0.06 * number()) * n as f64;
        let range = |k: usize| {
            (center[k] - radius).max(0.0) as usize..((center[k] + radius) as usize + 1).min(n)
        };
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let at = [x, y, z];
                    let square: f64 = (0..3).map(|k| (at[k] as f64 - center[k]).powi(2)).sum();
                    inside[x + n * (y + n * z)] |= square < radius * radius;
                }
            }
        }
    }
    inside
}
