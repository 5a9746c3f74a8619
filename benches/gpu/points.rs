//! Benchmark of lists of flags, pyramids and their queries, scan, sort and sums. Each number is the
//! smallest GPU time of several calls. Only the last table, for whole calls, shows wall-clock
//! times.
//!
//! Flags and lists are already on the GPU. The list for a picture is computed by a CUDA graph of
//! two nodes, which is launched many times. Its time is the mean time per launch.

use std::time::Instant;

use zeroset::Cpu;
use zeroset::expression::Expression;
use zeroset::gpu::points::find_on;
use zeroset::gpu::primitives::{
    Compactor, DeviceBits, DeviceDiscriminator, DeviceGrid, DeviceHistoPyramid, Reduction, Set,
    compact, exclusive_scan, reduce, sort, unique,
};
use zeroset::gpu::{Array, Cuda};
use zeroset::points::{Criterion, find};
use zeroset::primitives::{Edge, Grid, Order, Stored, Template, Threshold, Within};
use zeroset::volume::{Condition, Placement, Volume};

use crate::Failed;

const FLAGS: usize = 1 << 28;
const NUMBERS: usize = 1 << 26;
const TIMES: usize = 15;

pub fn table(cuda: &Cuda) -> Result<(), Failed> {
    println!(
        "\n| 2^28 flags, % set | bytes, ms | bits, ms | pyramid 1024 x 512 x 512, ms | its list, ms |"
    );
    println!("|---|---|---|---|---|");
    for part in [0.002, 0.01, 0.05, 0.5] {
        flags_row(cuda, part)?;
    }
    println!(
        "\n| picture | active | threshold and list as a graph, us | pyramid, us | its list, us |"
    );
    println!("|---|---|---|---|---|");
    for (edge, active) in [(4096, 33_989), (2048, 8_595), (1024, 2_130)] {
        picture_row(cuda, edge, active)?;
    }
    println!("\n| 2^26 numbers | ms |\n|---|---|");
    let numbers: Vec<u32> =
        (0..NUMBERS as u32).map(|k| k.wrapping_mul(2_654_435_761) ^ k >> 3).collect();
    let numbers = cuda.upload(&numbers)?;
    println!(
        "| exclusive scan of u32, its memory taken | {:.3} |",
        least(cuda, || drop_ok(exclusive_scan(cuda, &numbers)))?
    );
    let values = cuda.zeros::<u32>(NUMBERS)?;
    let sorting = || drop_ok(sort(cuda, &numbers, Some(&values), 32));
    println!("| stable sort of u32 pairs, its memory taken | {:.3} |", least(cuda, sorting)?);
    let summing = || drop_ok(reduce(cuda, &numbers, Reduction::Sum));
    println!("| sum of u32, fetched | {:.3} |", least(cuda, summing)?);
    let runs = sort(cuda, &numbers, None, 32)?.keys;
    let telling = || drop_ok(unique(cuda, &runs));
    println!("| runs of equal numbers in a sorted list | {:.3} |", least(cuda, telling)?);
    drop((numbers, values, runs));
    questions(cuda)?;
    straight(cuda)?;
    volumes(cuda)
}

/// Prints the times of pyramids and bits built directly from values, including memory allocation.
fn straight(cuda: &Cuda) -> Result<(), Failed> {
    println!(
        "\n| of 1024 x 512 x 512 values of f32 | active | pyramid block by block, ms | by lines, ms | bits, ms | bits and their list, ms |"
    );
    println!("|---|---|---|---|---|---|");
    let shape = [1024, 512, 512];
    let values: Vec<f32> = (0..FLAGS as u32)
        .map(|k| (k.wrapping_mul(2_654_435_761) >> 12) as f32 / 1048.576)
        .collect();
    let on_gpu = cuda.upload(&values)?;
    drop(values);
    let values = DeviceGrid::new(shape, &on_gpu);
    straight_row(cuda, "`Threshold`", &Threshold { values, low: 990.0 })?;
    straight_row(cuda, "`Within`", &Within { values, low: 500.0, high: 510.0 })?;
    straight_row(cuda, "`Edge`", &Edge { values, low: 700.0, spacing: [1.0; 3] })?;
    let template = Grid::new([3; 3], &[500.0; 27]);
    straight_row(cuda, "`Template` of 3^3", &Template { values, template, most: 4_500.0 })
}

fn straight_row(cuda: &Cuda, name: &str, asked: &impl DeviceDiscriminator) -> Result<(), Failed> {
    let pyramid = |order| DeviceHistoPyramid::new(cuda, asked, order, Stored::PartialSums);
    let n = pyramid(Order::Lines)?.len(cuda)?;
    let times = [
        least(cuda, || drop_ok(pyramid(Order::Blocks)))?,
        least(cuda, || drop_ok(pyramid(Order::Lines)))?,
        least(cuda, || drop_ok(DeviceBits::new(cuda, asked)))?,
        least(cuda, || drop_ok(compact(cuda, DeviceBits::new(cuda, asked)?.set())))?,
    ];
    let times: Vec<String> = times.iter().map(|ms| format!("{ms:.3}")).collect();
    println!("| {name} | {n} | {} |", times.join(" | "));
    Ok(())
}

/// Prints the times of pyramid queries that need no list, including the allocation of the results.
fn questions(cuda: &Cuda) -> Result<(), Failed> {
    const ASKED: u32 = 1 << 20;
    println!(
        "\n| pyramid 1024 x 512 x 512, 1 % set | 2^20 cells of keys, us | 2^20 keys of cells, us | 4096 boxes of 60^3, us | one of 1000 x 500 x 500, us |"
    );
    println!("|---|---|---|---|---|");
    let cells = cuda.upload(&flags(FLAGS, 0.01))?;
    for order in [Order::Blocks, Order::Lines] {
        for stored in [Stored::Sums, Stored::PartialSums] {
            let set = Threshold { values: DeviceGrid::new([1024, 512, 512], &cells), low: 1.0 };
            let pyramid = DeviceHistoPyramid::new(cuda, &set, order, stored)?;
            let total = pyramid.len(cuda)? as u32;
            let scattered = (0..ASKED).map(|k| k.wrapping_mul(2_654_435_761) % total);
            let keys = cuda.upload(&scattered.collect::<Vec<u32>>())?;
            let found = pyramid.cell(cuda, &keys)?;
            let corner = |k: u32| [k * 7919 % 960, k * 31 % 450, k * 257 % 450];
            let boxes: Vec<[[u32; 3]; 2]> =
                (0..4096).map(|k| [corner(k), corner(k).map(|c| c + 60)]).collect();
            let boxes = cuda.upload(&boxes)?;
            let whole = cuda.upload(&[[[5, 6, 7], [1005, 506, 507]]])?;
            let times = [
                least(cuda, || drop_ok(pyramid.cell(cuda, &keys)))?,
                least(cuda, || drop_ok(pyramid.key(cuda, &found)))?,
                least(cuda, || drop_ok(pyramid.count(cuda, &boxes)))?,
                least(cuda, || drop_ok(pyramid.count(cuda, &whole)))?,
            ];
            let [cell, key, many, one] = times.map(|ms| 1e3 * ms);
            println!("| {order:?}, {stored:?} | {cell:.1} | {key:.1} | {many:.1} | {one:.1} |");
        }
    }
    Ok(())
}

/// Prints the times of whole calls from a volume in host memory to a list in host memory, on the
/// CPU and on the GPU.
fn volumes(cuda: &Cuda) -> Result<(), Failed> {
    println!(
        "\n| voxels of int16 | condition | points | {} threads ms | GPU ms, first | GPU ms |",
        Cpu::current().threads()
    );
    println!("|---|---|---|---|---|---|");
    for edge in [128, 256, 512] {
        let numbers: Vec<i16> =
            (0..edge * edge * edge).map(|k: usize| (k.wrapping_mul(7919) % 1000) as i16).collect();
        let volume = Volume::new([edge; 3], numbers.into(), Placement::identity())?;
        for text in ["v > 980", "v > 980 && x > 40 && z < 90", "sqrt(x^2 + y^2 + z^2) < 60"] {
            let expression: Expression = text.parse()?;
            let condition = Condition::new(&volume, &expression)?;
            let mut cpu = f64::INFINITY;
            for _ in 0..3 {
                let start = Instant::now();
                find(&volume, &condition, Order::Lines)?;
                cpu = cpu.min(1e3 * start.elapsed().as_secs_f64());
            }
            let mut times = Vec::new();
            let mut n = 0;
            for _ in 0..3 {
                let start = Instant::now();
                n = find_on(cuda, &volume, &[Criterion::Holds(&expression)], Order::Lines)?.len();
                times.push(1e3 * start.elapsed().as_secs_f64());
            }
            let least = times[1].min(times[2]);
            println!("| {edge}^3 | `{text}` | {n} | {cpu:.1} | {:.1} | {least:.1} |", times[0]);
        }
    }
    Ok(())
}

fn drop_ok<T>(done: zeroset::Result<T>) -> zeroset::Result<()> {
    done.map(drop)
}

/// Returns the smallest GPU time of several calls, in milliseconds.
fn least(cuda: &Cuda, mut work: impl FnMut() -> zeroset::Result<()>) -> Result<f64, Failed> {
    let mut least = f64::INFINITY;
    for _ in 0..TIMES {
        let begin = cuda.mark()?;
        work()?;
        let end = cuda.mark()?;
        end.wait()?;
        least = least.min(begin.milliseconds_to(&end)?);
    }
    Ok(least)
}

/// Returns `n` flags. A fraction of about `part` is set, at random positions.
fn flags(n: usize, part: f64) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let flag = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        u8::from(((state >> 40) as f64) < part * f64::from(1 << 24))
    };
    (0..n).map(flag).collect()
}

fn flags_row(cuda: &Cuda, part: f64) -> Result<(), Failed> {
    let flags = flags(FLAGS, part);
    let n = flags.iter().filter(|f| **f != 0).count();
    let word = |flags: &[u8]| flags.iter().enumerate().fold(0, |w, (k, &f)| w | u32::from(f) << k);
    let words = cuda.upload(&flags.chunks(32).map(word).collect::<Vec<_>>())?;
    let bytes = cuda.upload(&flags)?;
    drop(flags);
    let mut list = cuda.zeros::<u32>(n)?;
    let mut of = |set: Set| -> Result<f64, Failed> {
        let compactor = Compactor::new(cuda, set)?;
        let time = least(cuda, || compactor.list(cuda, set, &mut list))?;
        assert_eq!(compactor.total(cuda)?, n);
        Ok(time)
    };
    let (by_bytes, by_bits) = (of(Set::Bytes(&bytes, 1))?, of(Set::Bits(&words, FLAGS))?);
    drop(list);
    let (pyramid, listing) = pyramid_times(cuda, [1024, 512, 512], &bytes)?;
    println!("| {} | {by_bytes:.4} | {by_bits:.4} | {pyramid:.3} | {listing:.3} |", part * 100.0);
    Ok(())
}

/// Returns the times of building a pyramid and of listing its cells, in milliseconds. Both include
/// memory allocation.
fn pyramid_times(cuda: &Cuda, shape: [u32; 3], cells: &Array<u8>) -> Result<(f64, f64), Failed> {
    let (order, stored) = (Order::Blocks, Stored::PartialSums);
    let set = Threshold { values: DeviceGrid::new(shape, cells), low: 1.0 };
    let make = || DeviceHistoPyramid::new(cuda, &set, order, stored);
    let build = least(cuda, || drop_ok(make()))?;
    let pyramid = make()?;
    let n = pyramid.len(cuda)?;
    let list = least(cuda, || drop_ok(pyramid.cells(cuda, 0..n)))?;
    Ok((build, list))
}

fn picture_row(cuda: &Cuda, edge: usize, active: usize) -> Result<(), Failed> {
    const LAUNCHES: usize = 100;
    let n = edge * edge;
    let mut cells = vec![0_u8; n];
    for k in 0..active {
        cells[((k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize % n] = 200;
    }
    let cells = cuda.upload(&cells)?;
    let mut list = cuda.zeros::<u32>(active)?;
    let compactor = Compactor::new(cuda, Set::Bytes(&cells, 100))?;
    let graph = cuda.record(|| compactor.list(cuda, Set::Bytes(&cells, 100), &mut list))?;
    let launches = || (0..LAUNCHES).try_for_each(|_| graph.launch());
    let time = least(cuda, launches)? / LAUNCHES as f64 * 1e3;
    let (pyramid, listing) = pyramid_times(cuda, [edge as u32, edge as u32, 1], &cells)?;
    println!("| {edge}^2 | {active} | {time:.1} | {:.1} | {:.1} |", pyramid * 1e3, listing * 1e3);
    Ok(())
}
