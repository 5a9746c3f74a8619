//! Benchmark of the Euclidean distance transform on the CPU.
//!
//! `cargo bench --bench edt -- [SIZE]` prints a Markdown table for volumes of SIZE^3 voxels
//! (default 512). Compare the CPU seconds (user and system, all threads) if other work runs on the
//! machine. They are read from /proc and are therefore available only on Linux.

use std::time::Instant;

use zeroset::Cpu;
use zeroset::point_distance::Edt;

#[path = "support/volumes.rs"]
mod volumes;

use volumes::{balls, random};

fn main() {
    let mut args = std::env::args().skip(1).filter(|a| !a.starts_with("--"));
    let n: usize = args.next().and_then(|a| a.parse().ok()).unwrap_or(512);
    println!("{n}^3 voxels, zeroset {}\n", zeroset::output::build());
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

/// Returns the CPU time of this process in seconds, which Linux counts in hundredths of a second.
/// Returns `None` on other systems.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let words: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |k: usize| words.get(k)?.parse::<f64>().ok();
    Some((ticks(11)? + ticks(12)?) / 100.0)
}
