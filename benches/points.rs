//! Benchmark of point lists on the CPU: direct compaction, the pyramid, scan and sort.
//!
//! `cargo bench --bench points -- [MODE] [LOG2] [THREADS]` prints Markdown tables. The modes are
//! `flags` (2^LOG2 byte flags, default 28, at four densities, compared with a plain loop over words
//! of 8 bytes), `pyramid` (building and querying a HistoPyramid of as many flags, arranged as a
//! volume), `paper` (the sizes of Ziegler et al. 2006, Tables 1 to 4), `primitives` (scan, sort,
//! unique of 2^(LOG2 - 4) numbers), and `all` (default). Times are the smallest of several, in
//! milliseconds unless the title of a column names a different unit.

use std::hint::black_box;
use std::time::Instant;

use zeroset::Cpu;
use zeroset::mesh::generate::{Generate, Torus, generate};
use zeroset::primitives::{
    Bits, Flags, HistoPyramid, Order, Stored, compact, exclusive_scan, sort, unique,
};
use zeroset::surface::Voxels;

/// Number of timed calls. The fastest one counts.
const TIMES: usize = 7;
const DENSITIES: [f64; 4] = [0.002, 0.01, 0.05, 0.5];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let mode = args.first().map_or("all", String::as_str);
    let log2: u32 = args.get(1).and_then(|a| a.parse().ok()).unwrap_or(28);
    let threads = args.get(2).and_then(|a| a.parse().ok()).unwrap_or(0);
    let cpu = Cpu::new(threads).expect("threads");
    println!("2^{log2} flags, {} threads, zeroset {}\n", cpu.threads(), zeroset::output::build(),);
    cpu.run(|| {
        let modes: [(&str, &dyn Fn()); 4] = [
            ("flags", &|| of_flags(log2)),
            ("pyramid", &|| of_pyramids(log2)),
            ("paper", &of_the_paper),
            ("primitives", &|| of_primitives(log2 - 4)),
        ];
        for (name, work) in modes {
            if mode == name || mode == "all" {
                work();
                println!();
            }
        }
    });
}

/// Returns the smallest time of several calls, in milliseconds.
fn least<T>(mut work: impl FnMut() -> T) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..TIMES {
        let start = Instant::now();
        black_box(work());
        least = least.min(start.elapsed().as_secs_f64() * 1e3);
    }
    least
}

/// Returns `n` flags. A fraction of about `part` is set, at random positions.
fn flags(n: usize, part: f64) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut flag = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u8::from(((state >> 40) as f64) < part * f64::from(1 << 24))
    };
    (0..n).map(|_| flag()).collect()
}

/// Lists the indices of the set flags with a simple loop as in a C program: it reads words of 8
/// bytes, uses one thread, and needs a list that is large enough. Returns the number of set flags.
fn plain_loop(flags: &[u8], list: &mut [u32]) -> usize {
    let mut n = 0;
    for (k, word) in flags.as_chunks::<8>().0.iter().enumerate() {
        let mut left = u64::from_le_bytes(*word);
        while left != 0 {
            let byte = left.trailing_zeros() / 8;
            list[n] = 8 * k as u32 + byte;
            n += 1;
            left &= !(0xff << (8 * byte));
        }
    }
    n
}

fn of_flags(log2: u32) {
    println!("| set | active | plain loop | the same, list kept | compact | bits | list of bits |");
    println!("|---|---|---|---|---|---|---|");
    for part in DENSITIES {
        let flags = flags(1 << log2, part);
        let n = flags.iter().filter(|f| **f != 0).count();
        let mut kept = vec![0; n];
        let fresh = least(|| {
            let mut list = vec![0; n];
            plain_loop(&flags, &mut list);
            list
        });
        let warm = least(|| plain_loop(&flags, &mut kept));
        let ours = least(|| compact(&flags).expect("memory"));
        let picture = Flags::new([1 << (log2 / 2), 1 << log2.div_ceil(2), 1], &flags);
        let pack = least(|| Bits::new(&picture).expect("memory"));
        let bits = Bits::new(&picture).expect("memory");
        let unpack = least(|| bits.list().expect("memory"));
        println!(
            "| {} % | {n} | {fresh:.1} | {warm:.1} | {ours:.1} | {pack:.1} | {unpack:.1} |",
            part * 100.0
        );
    }
}

fn of_pyramids(log2: u32) {
    println!("| set | order | stored | build | list | one key, ns | count of a box, us |");
    println!("|---|---|---|---|---|---|---|");
    let edge = 1 << (log2 / 3);
    let shape = [edge, edge, 1 << (log2 - 2 * (log2 / 3))];
    for part in DENSITIES {
        let flags = flags(1 << log2, part);
        let volume = Flags::new(shape, &flags);
        for order in [Order::Blocks, Order::Lines] {
            for stored in [Stored::Sums, Stored::PartialSums] {
                let make = || HistoPyramid::new(&volume, order, stored).expect("memory");
                let build = least(make);
                let pyramid = make();
                let list = least(|| pyramid.list().expect("memory"));
                let keys = 100_000;
                let step = pyramid.len() / keys + 1;
                let key = least(|| {
                    let cells = (0..pyramid.len()).step_by(step).filter_map(|k| pyramid.cell(k));
                    cells.map(|c| u64::from(c[0])).sum::<u64>()
                });
                let n = pyramid.len().div_ceil(step) as f64;
                let low = [edge as u32 / 3; 3];
                let high = shape.map(|n| n as u32 - n as u32 / 5);
                let box_of = least(|| pyramid.count(low, high));
                println!(
                    "| {} % | {order:?} | {stored:?} | {build:.1} | {list:.1} | {:.0} | {:.1} |",
                    part * 100.0,
                    key / n * 1e6,
                    box_of * 1e3,
                );
            }
        }
    }
}

/// Prints Table 1: a model converted to slices. The paper's teapot is replaced by a torus in a box
/// of the same size, once with about as many voxels on its surface, and once as large as the box
/// allows.
fn of_slices() {
    println!("| torus, triangles | box | on the surface | slicing | its list | inside, filled |");
    println!("|---|---|---|---|---|---|");
    let torus = generate(&Generate::Torus(Torus::default())).expect("torus");
    let (low, high) = torus.bounds();
    for (size, margin) in [(88, 84), (256, 0)] {
        let spacing = (high[0] - low[0]) / f64::from(size);
        let slice = || Voxels::passed(&torus, spacing, margin).expect("voxels");
        let voxels = slice();
        let [nx, ny, nz] = voxels.shape;
        println!(
            "| {} | {nx} x {ny} x {nz} | {} | {:.2} | {:.2} | {:.2} |",
            torus.n_cells(),
            voxels.count(),
            least(slice),
            least(|| compact(&voxels.marks).expect("memory")),
            least(|| Voxels::inside(&torus, spacing, margin).expect("voxels")),
        );
    }
    println!();
}

/// Prints the times for pictures with the same sizes and numbers of active cells as in the paper.
/// Here, the positions of the active cells are random.
fn of_the_paper() {
    of_slices();
    println!("| picture | active | loop over bytes | build | list | compact |");
    println!("|---|---|---|---|---|---|");
    for (edge, active) in [(4096, 33_989), (2048, 8_595), (1024, 2_130)] {
        let n = edge * edge;
        let mut flags = vec![0_u8; n];
        for k in 0..active {
            flags[((k as u64 * 0x9e37_79b9_7f4a_7c15) >> 20) as usize % n] = 1;
        }
        let picture = Flags::new([edge, edge, 1], &flags);
        let make =
            || HistoPyramid::new(&picture, Order::Blocks, Stored::PartialSums).expect("memory");
        let pyramid = make();
        let bytes = least(|| {
            let set = flags.iter().enumerate().filter(|(_, f)| **f != 0);
            set.map(|(k, _)| [(k % edge) as u32, (k / edge) as u32]).collect::<Vec<_>>()
        });
        println!(
            "| {edge}^2 | {} | {bytes:.2} | {:.2} | {:.2} | {:.2} |",
            pyramid.len(),
            least(make),
            least(|| pyramid.list().expect("memory")),
            least(|| compact(&flags).expect("memory")),
        );
    }
}

fn of_primitives(log2: u32) {
    let n = 1_usize << log2;
    let keys: Vec<u32> =
        (0..n as u32).map(|k| k.wrapping_mul(2_654_435_761).rotate_left(7) ^ k).collect();
    let wide: Vec<u64> = keys.iter().map(|&k| u64::from(k) << 32 | u64::from(!k)).collect();
    let few: Vec<u32> = keys.iter().map(|k| k >> 12).collect();
    let sorted = sort(&few, None, 20);
    println!("| 2^{log2} numbers | ms |\n|---|---|");
    println!("| exclusive scan of u32 | {:.1} |", least(|| exclusive_scan(&keys)));
    println!("| stable sort of u32 with values | {:.1} |", least(|| sort(&keys, None, 32)));
    println!("| stable sort of u64 with values | {:.1} |", least(|| sort(&wide, None, 64)));
    println!(
        "| unique of sorted u32, {} runs | {:.1} |",
        unique(&sorted.keys).items.len(),
        least(|| unique(&sorted.keys))
    );
}
