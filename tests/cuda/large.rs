//! Tests operations on more than 2^31 items on a GPU against formulas for their results.
//!
//! The tests use up to 75 GB of GPU memory and 35 GB of host memory. Run them with
//! `cargo test --release --test cuda large -- --ignored --test-threads 1`.

use std::ops::Range;

use rayon::prelude::*;
use zeroset::gpu::primitives::{
    DeviceBits, DeviceCoo, DeviceGrid, DeviceHistoPyramid, DeviceTree, Key, Reduction, Set,
    compact, exclusive_scan, reduce, sort, unique,
};
use zeroset::gpu::{Array, Cuda, Element};
use zeroset::primitives::{Order, Stored, Threshold, Within};

use crate::support;

const N: usize = (1 << 31) + 77;
/// One flag in every `EVERY` flags is set.
const EVERY: usize = 1_000_003;

/// Returns `n` items, each computed from its index.
fn made<T: Send>(n: usize, item: impl Fn(u64) -> T + Sync) -> Vec<T> {
    (0..n as u64).into_par_iter().map(&item).collect()
}

/// Compares an array with a formula, part by part.
fn check<T: Element + PartialEq>(cuda: &Cuda, array: &Array<T>, item: impl Fn(u64) -> T + Sync) {
    for part in parts(array.len()) {
        let found = cuda.download_part(array, part.clone()).unwrap();
        let wrong =
            found.par_iter().enumerate().find_first(|(k, x)| **x != item((part.start + k) as u64));
        assert!(wrong.is_none(), "item {}", part.start + wrong.map_or(0, |(k, _)| k));
    }
}

fn parts(n: usize) -> impl Iterator<Item = Range<usize>> {
    const PART: usize = 1 << 27;
    (0..n).step_by(PART).map(move |first| first..(first + PART).min(n))
}

#[test]
#[ignore = "takes 17 GB on the GPU"]
fn scans() {
    let Some(cuda) = support::cuda() else { return };
    let values = cuda.upload(&made(N, |k| (k % 3) as u32)).unwrap();
    let sums = exclusive_scan(&cuda, &values).unwrap();
    assert_eq!(sums.len(), N + 1);
    check(&cuda, &sums, |k| (k / 3 * 3 + [0, 0, 1][k as usize % 3]) as u32);
}

/// Sorts pseudorandom keys that occur about once each. The last 77 keys occur twice. Afterwards,
/// the key-index pairs must be in ascending order, and each index must have its key.
fn sorts<K: Key + Ord>(cuda: &Cuda, bits: u32, key: impl Fn(u64) -> K + Sync) {
    let keys = cuda.upload(&made(N, &key)).unwrap();
    let sorted = sort(cuda, &keys, None, bits).unwrap();
    drop(keys);
    let mut last = None;
    for part in parts(N) {
        let keys = cuda.download_part(&sorted.keys, part.clone()).unwrap();
        let numbers = cuda.download_part(&sorted.values, part).unwrap();
        let pair = |k: usize| (keys[k], numbers[k]);
        assert!(last.is_none_or(|last| last < pair(0)));
        assert!((1..keys.len()).into_par_iter().all(|k| pair(k - 1) < pair(k)));
        let has_key = |k: usize| (numbers[k] as usize) < N && key(u64::from(numbers[k])) == keys[k];
        assert!((0..keys.len()).into_par_iter().all(has_key));
        last = Some(pair(keys.len() - 1));
    }
}

#[test]
#[ignore = "takes 45 GB on the GPU"]
fn sorts_of_32_bits() {
    let Some(cuda) = support::cuda() else { return };
    sorts(&cuda, 31, |k| (k * 2_654_435_761 % (1 << 31)) as u32);
}

#[test]
#[ignore = "takes 75 GB on the GPU"]
fn sorts_of_64_bits() {
    let Some(cuda) = support::cuda() else { return };
    sorts(&cuda, 40, |k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24);
}

#[test]
#[ignore = "takes 9 GB on the GPU"]
fn reductions() {
    let Some(cuda) = support::cuda() else { return };
    let last = N as u64 - 1;
    let values = cuda
        .upload(&made(N, |k| if k == last { 5_000_000 } else { (k % 1000) as u32 + 1 }))
        .unwrap();
    let whole = last / 1000;
    let rest = last % 1000;
    let sum = whole * 500_500 + rest * (rest + 1) / 2 + 5_000_000;
    assert_eq!(reduce(&cuda, &values, Reduction::Sum).unwrap(), sum as u32);
    assert_eq!(reduce(&cuda, &values, Reduction::Largest).unwrap(), 5_000_000);
    assert_eq!(reduce(&cuda, &values, Reduction::Least).unwrap(), 1);
}

#[test]
#[ignore = "takes 26 GB on the GPU"]
fn runs_of_equal_items() {
    let Some(cuda) = support::cuda() else { return };
    for run in [1, 1000] {
        let items = cuda.upload(&made(N, |k| (k / run) as u32)).unwrap();
        let found = unique(&cuda, &items).unwrap();
        assert_eq!(found.items.len() as u64, (N as u64).div_ceil(run));
        check(&cuda, &found.items, |k| k as u32);
        check(&cuda, &found.offsets, |k| (k * run).min(N as u64) as u32);
    }
}

#[test]
#[ignore = "takes 11 GB on the GPU"]
fn lists_of_flags() {
    let Some(cuda) = support::cuda() else { return };
    for every in [2, EVERY] {
        let count = N.div_ceil(every);
        let bytes =
            cuda.upload(&made(N, |k| u8::from((k as usize).is_multiple_of(every)) * 9)).unwrap();
        let list = compact(&cuda, Set::Bytes(&bytes, 1)).unwrap();
        assert_eq!(list.len(), count);
        check(&cuda, &list, |k| (k * every as u64) as u32);
        let values = DeviceGrid::new([N as u32, 1, 1], &bytes);
        let marks = DeviceBits::new(&cuda, &Within { values, low: 8.5, high: 9.0 }).unwrap();
        let list = compact(&cuda, marks.set()).unwrap();
        assert_eq!(list.len(), count);
        check(&cuda, &list, |k| (k * every as u64) as u32);
        let word = |w: u64| {
            (0..32)
                .fold(0, |all, b| all | u32::from((32 * w + b).is_multiple_of(every as u64)) << b)
        };
        let words = cuda.upload(&made(N.div_ceil(32), word)).unwrap();
        let list = compact(&cuda, Set::Bits(&words, N)).unwrap();
        assert_eq!(list.len(), count);
        check(&cuda, &list, |k| (k * every as u64) as u32);
    }
}

#[test]
#[ignore = "takes 4 GB on the GPU"]
fn pyramids() {
    let Some(cuda) = support::cuda() else { return };
    let flags = cuda.upload(&made(N, |k| u8::from((k as usize).is_multiple_of(EVERY)))).unwrap();
    let n = N.div_ceil(EVERY);
    let active = Threshold { values: DeviceGrid::new([N as u32, 1, 1], &flags), low: 1.0 };
    for order in [Order::Lines, Order::Blocks] {
        let pyramid = DeviceHistoPyramid::new(&cuda, &active, order, Stored::PartialSums).unwrap();
        assert_eq!(pyramid.len(&cuda).unwrap(), n);
        check(&cuda, &pyramid.cells(&cuda, 0..n).unwrap(), |k| [(k as usize * EVERY) as u32, 0, 0]);
        let last = ((n - 1) * EVERY) as u32;
        let cells = cuda.upload(&[[last, 0, 0], [last + 1, 0, 0]]).unwrap();
        let keys = pyramid.key(&cuda, &cells).unwrap();
        assert_eq!(cuda.download(&keys).unwrap(), [n as u32 - 1, DeviceHistoPyramid::NONE]);
        let boxes =
            cuda.upload(&[[[1, 0, 0], [last, 1, 1]], [[1 << 31, 0, 0], [u32::MAX; 3]]]).unwrap();
        let counts = pyramid.count(&cuda, &boxes).unwrap();
        let behind = n - (1_usize << 31).div_ceil(EVERY);
        assert_eq!(cuda.download(&counts).unwrap(), [n as u32 - 2, behind as u32]);
    }
}

/// A pyramid with the largest possible numbers of cells and of active cells.
#[test]
#[ignore = "takes 6 GB on the GPU"]
fn a_full_pyramid() {
    let Some(cuda) = support::cuda() else { return };
    // 2^32 - 1 = 65,537 x 65,535.
    let shape = [65_537, 257, 255];
    let all = u32::MAX;
    let flags = cuda.upload(&vec![1_u8; all as usize]).unwrap();
    let active = Threshold { values: DeviceGrid::new(shape, &flags), low: 1.0 };
    for order in [Order::Lines, Order::Blocks] {
        let pyramid = DeviceHistoPyramid::new(&cuda, &active, order, Stored::Sums).unwrap();
        assert_eq!(pyramid.len(&cuda).unwrap(), all as usize);
        let last = shape.map(|n| n - 1);
        let cell = pyramid.cell(&cuda, &cuda.upload(&[0, all - 1, all]).unwrap()).unwrap();
        assert_eq!(cuda.download(&cell).unwrap(), [[0; 3], last, [DeviceHistoPyramid::NONE; 3]]);
        let keys = pyramid.key(&cuda, &cuda.upload(&[last]).unwrap()).unwrap();
        assert_eq!(cuda.download(&keys).unwrap(), [all - 1]);
        let boxes = cuda.upload(&[[[0; 3], [all; 3]], [[1; 3], shape]]).unwrap();
        let counts = cuda.download(&pyramid.count(&cuda, &boxes).unwrap()).unwrap();
        assert_eq!(counts, [all, 65_536 * 256 * 254]);
        let entries = cuda.upload(&[3 * u64::from(all) - 1, 3 * u64::from(all)]).unwrap();
        let found = cuda.download(&pyramid.entry(&cuda, &entries, 3).unwrap()).unwrap();
        assert_eq!(found, [[last[0], last[1], last[2], 2], [DeviceHistoPyramid::NONE; 4]]);
    }
}

#[test]
#[ignore = "takes 6 GB on the GPU"]
fn trees_and_matrices() {
    let Some(cuda) = support::cuda() else { return };
    let (shape, odd) = ([1 << 16, 1 << 15, 1], (1 << 31) - 12_345_u64);
    let values = cuda.upload(&made(1 << 31, |k| u8::from(k == odd))).unwrap();
    let tree = DeviceTree::new(&cuda, shape, &values).unwrap();
    // The leaves are the half of the image without the odd cell, three blocks on each of the 15
    // lower levels, and the odd cell.
    assert_eq!(tree.count(&cuda).unwrap(), 1 + 3 * 15 + 1);
    let leaves = tree.leaves(&cuda).unwrap();
    assert_eq!(leaves.iter().map(|leaf| 1_u64 << (2 * leaf.level)).sum::<u64>(), 1 << 31);
    drop(values);
    let size = [1 << 15, (1 << 16) + 1];
    let dense = cuda
        .upload(&made(size[0] as usize * size[1] as usize, |k| u8::from(k % EVERY as u64 == 0)))
        .unwrap();
    let found = DeviceCoo::from_dense(&cuda, size, &dense).unwrap();
    assert_eq!(found.rows.len(), dense.len().div_ceil(EVERY));
    let place = |k: u64| (k as usize * EVERY) as u32;
    check(&cuda, &found.rows, |k| place(k) / size[1]);
    check(&cuda, &found.columns, |k| place(k) % size[1]);
}
