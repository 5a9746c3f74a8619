//! HistoPyramids by kernels, against those of the processor.

use zeroset::gpu::definitions::Code;
use zeroset::primitives::{Flags, HistoPyramid, Order, Stored};

use super::layouts::discriminator::{BytesArgument, Variant};
use super::layouts::histopyramid::{MOST_LEVELS, PyramidArgument, Split};
use super::library::{Arg, Launch, Library, arg};

const BLOCK: u32 = 256;
const NONE: u32 = u32::MAX;

/// Words and sums of all levels, as `DeviceHistoPyramid` has them.
pub struct Pyramid {
    shape: [u32; 3],
    records: Vec<[u32; 3]>,
    words: Vec<u64>,
    /// Aligned to 16 bytes.
    sums: Vec<Vec<Aligned>>,
}

fn launch(library: &Library, kernel: &str, grid: u32, args: &[Arg]) {
    let how = Launch { seed: u64::from(grid), ..Launch::new(grid, BLOCK) };
    // SAFETY: the tests below hand over arrays of the sizes that the kernels ask for.
    unsafe { library.launch(kernel, &how, args) }.unwrap();
}

#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub struct Aligned(pub [u8; 16]);

/// Launches as `DeviceHistoPyramid::new` does, `asked` being the discriminator.
pub fn build(
    [base, above]: [&Library; 2],
    split: Split,
    shape: [u32; 3],
    asked: &dyn Fn() -> Arg,
) -> Pyramid {
    let records = split.records(shape);
    let mut words = vec![77_u64; split.slots(records[0])];
    let mut sums: Vec<Vec<Aligned>> = Vec::new();
    for (level, &here) in records.iter().enumerate() {
        let mut own = vec![Aligned([77; 16]); split.slots(here) / 4];
        let grid = (split.slots(here) as u32).div_ceil(BLOCK);
        if level == 0 {
            let args = [asked(), arg(here), arg(words.as_mut_ptr()), arg(own.as_mut_ptr())];
            launch(base, "histopyramid_base", grid, &args);
        } else {
            let below = sums[level - 1].as_ptr();
            let args = [arg(below), arg(records[level - 1]), arg(here), arg(own.as_mut_ptr())];
            launch(above, "histopyramid_level", grid, &args);
        }
        sums.push(own);
    }
    Pyramid { shape, records, words, sums }
}

impl Pyramid {
    fn argument(&self) -> PyramidArgument {
        let mut argument = PyramidArgument {
            words: self.words.as_ptr() as u64,
            sums: [0; MOST_LEVELS],
            records: [[0; 3]; MOST_LEVELS],
            shape: self.shape,
            n_levels: self.records.len() as u32,
        };
        for (k, (records, sums)) in self.records.iter().zip(&self.sums).enumerate() {
            (argument.sums[k], argument.records[k]) = (sums.as_ptr() as u64, *records);
        }
        argument
    }
}

/// Boxes in and beyond a grid: all of it, some that begin or end inside of words, empty ones.
fn boxes([x, y, z]: [u32; 3]) -> Vec<[[u32; 3]; 2]> {
    let mut boxes = vec![
        [[0; 3], [x, y, z]],
        [[0; 3], [NONE; 3]],
        [[1, 0, 0], [x, y, z]],
        [[x / 2, y / 2, z / 2], [x, y, z]],
        [[x / 3, y / 3, 0], [x - x / 5, y - y / 4, z.div_ceil(2)]],
        [[5, 0, 0], [5, y, z]],
        [[x, 0, 0], [x + 9, y, z]],
        [[NONE; 3], [NONE; 3]],
    ];
    for k in 0..60 {
        let at = |n: u32, by: u32| k * by % (n + 2);
        let low = [at(x, 7), at(y, 5), at(z, 3)];
        boxes.push([low, [low[0] + at(x, 11), low[1] + at(y, 13), low[2] + at(z, 17)]]);
    }
    boxes
}

/// Asks everything.
pub fn ask(find: &Library, pyramid: &Pyramid, expected: &HistoPyramid) {
    let shape = pyramid.shape;
    let argument = pyramid.argument();
    let list = expected.list().unwrap();
    let total = list.len();
    let none = std::ptr::null::<u32>();

    // A range that ends behind the last key, and single keys from the last one on.
    let first = total / 3;
    let n = total - first + 2;
    let mut cells = vec![[7_u32; 3]; n];
    let given = [arg(argument), arg(none), arg(first as u64), arg(n as u64)];
    let args: Vec<Arg> = given.into_iter().chain([arg(cells.as_mut_ptr())]).collect();
    launch(find, "histopyramid_cells", 3, &args);
    assert_eq!(cells[..n - 2], list[first..], "{shape:?}");
    assert_eq!(cells[n - 2..], [[NONE; 3]; 2], "{shape:?}");
    let keys: Vec<u32> = (0..total as u32 + 2).rev().step_by(3).chain([NONE]).collect();
    let mut cells = vec![[7_u32; 3]; keys.len()];
    let given = [arg(argument), arg(keys.as_ptr()), arg(0_u64), arg(keys.len() as u64)];
    let args: Vec<Arg> = given.into_iter().chain([arg(cells.as_mut_ptr())]).collect();
    launch(find, "histopyramid_cells", 2, &args);
    let one = |&key: &u32| expected.cell(key as usize).unwrap_or([NONE; 3]);
    assert_eq!(cells, keys.iter().map(one).collect::<Vec<_>>(), "{shape:?}");

    for copies in [1_u32, 3] {
        let entry = |entry: u64| match expected.entry(entry as usize, copies as usize) {
            Some(([x, y, z], copy)) => [x, y, z, copy as u32],
            None => [NONE; 4],
        };
        let all = total as u64 * u64::from(copies);
        let entries: Vec<u64> =
            (0..all + 3).step_by(5).chain([all, u64::MAX, 1 << 32, all / 2]).collect();
        let ranges = [(entries.as_ptr(), 0, entries.len()), (std::ptr::null(), all / 2, 40)];
        for (pointer, first, n) in ranges {
            let mut found = vec![Aligned([7; 16]); n];
            let args = [
                arg(argument),
                arg(pointer),
                arg(first),
                arg(n as u64),
                arg(copies),
                arg(found.as_mut_ptr()),
            ];
            launch(find, "histopyramid_entries", 2, &args);
            for (k, found) in found.iter().enumerate() {
                let number = if pointer.is_null() { first + k as u64 } else { entries[k] };
                let found = std::array::from_fn(|c| {
                    u32::from_ne_bytes(std::array::from_fn(|b| found.0[4 * c + b]))
                });
                assert_eq!(entry(number), found, "{shape:?}: entry {number} of {copies}");
            }
        }
    }

    // Every cell, and some outside.
    let [x, y, z] = shape;
    let mut asked: Vec<[u32; 3]> = (0..x * y * z)
        .map(|n| [n % x.max(1), n / x.max(1) % y.max(1), n / (x * y).max(1)])
        .collect();
    asked.extend([[x, 0, 0], [0, y, 0], [0, 0, z], [NONE; 3]]);
    let mut keys = vec![7_u32; asked.len()];
    let given = [arg(argument), arg(asked.as_ptr()), arg(asked.len() as u64)];
    let args: Vec<Arg> = given.into_iter().chain([arg(keys.as_mut_ptr())]).collect();
    launch(find, "histopyramid_keys", 3, &args);
    let key = |&cell: &[u32; 3]| expected.key(cell).map_or(NONE, |key| key as u32);
    assert_eq!(keys, asked.iter().map(key).collect::<Vec<_>>(), "{shape:?}");

    let boxes = boxes(shape);
    for parts in [1_u32, 5] {
        let mut counts = vec![0_u32; boxes.len()];
        let args = [
            arg(argument),
            arg(boxes.as_ptr()),
            arg(boxes.len() as u64),
            arg(parts),
            arg(counts.as_mut_ptr()),
        ];
        launch(find, "histopyramid_counts", 2, &args);
        for (count, [low, high]) in counts.iter().zip(&boxes) {
            let wanted = expected.count(*low, *high);
            assert_eq!(*count as usize, wanted, "{shape:?}: {low:?} to {high:?}");
        }
    }
}

pub const BASE: &str = "kernels/primitives/histopyramid/base.cu";

/// Defines of pyramids, and more.
pub fn defines(split: Split, stored: Stored, more: &[String]) -> Vec<String> {
    let own = split.defines(stored == Stored::PartialSums);
    own.iter().map(|(name, n)| format!("{name}={n}")).chain(more.iter().cloned()).collect()
}

/// Levels above the lowest.
pub fn level_library(split: Split, stored: Stored) -> Library {
    let defines = defines(split, stored, &[]);
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    Library::compile("kernels/primitives/histopyramid/level.cu", &defines, &["histopyramid_level"])
}

/// What answers.
pub fn find_library(split: Split, stored: Stored) -> Library {
    let defines = defines(split, stored, &[]);
    let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
    let kernels =
        ["histopyramid_cells", "histopyramid_entries", "histopyramid_keys", "histopyramid_counts"];
    Library::compile("kernels/primitives/histopyramid/find.cu", &defines, &kernels)
}

/// Shapes round those of words and records, long ones, and none.
const PICTURES: [[u32; 3]; 8] = [
    [1, 1, 1],
    [8, 8, 1],
    [17, 15, 1],
    [64, 4, 1],
    [65, 33, 1],
    [1, 300, 1],
    [257, 1, 1],
    [0, 5, 1],
];
const VOLUMES: [[u32; 3]; 6] =
    [[4, 4, 4], [9, 8, 5], [1, 1, 70], [33, 17, 12], [8, 32, 16], [3, 0, 4]];

#[test]
fn pyramids_answer_as_those_of_the_processor() {
    for (order, shapes) in [
        (Order::Blocks, PICTURES.as_slice()),
        (Order::Blocks, VOLUMES.as_slice()),
        (Order::Lines, &[PICTURES.as_slice(), VOLUMES.as_slice()].concat()),
    ] {
        for stored in [Stored::Sums, Stored::PartialSums] {
            let split = Split::new(shapes[0], order == Order::Lines);
            let own = [format!("DISCRIMINATOR={}", Variant::Bytes.code())];
            let defines = defines(split, stored, &own);
            let defines: Vec<&str> = defines.iter().map(String::as_str).collect();
            let base = Library::compile(BASE, &defines, &["histopyramid_base"]);
            let above = level_library(split, stored);
            let find = find_library(split, stored);
            for &shape in shapes {
                let n = shape.iter().product::<u32>();
                for every in [1, 3, 97, u32::MAX] {
                    let cell = |k: u32| k.wrapping_mul(2_654_435_761).rotate_left(7) ^ k;
                    let cells: Vec<u8> = (0..n)
                        .map(|k| if cell(k) % every == 0 { 100 + (k % 90) as u8 } else { 99 })
                        .collect();
                    let flags: Vec<u8> = cells.iter().map(|&c| u8::from(c >= 100)).collect();
                    let flags = Flags::new(shape.map(|n| n as usize), &flags);
                    let expected = HistoPyramid::new(&flags, order, stored).unwrap();
                    let shape = if n == 0 { [0; 3] } else { shape };
                    // Aligned to 16 bytes.
                    let mut aligned = vec![Aligned([255; 16]); cells.len().div_ceil(16) + 1];
                    for (k, &cell) in cells.iter().enumerate() {
                        aligned[k / 16].0[k % 16] = cell;
                    }
                    let values = aligned.as_ptr() as u64;
                    let asked = || arg(BytesArgument { values, shape, low: 100 });
                    let pyramid = build([&base, &above], split, shape, &asked);
                    ask(&find, &pyramid, &expected);
                }
            }
        }
    }
}
