//! Tests of primitives with more than 2^31 items on the CPU, against formulas for their results.
//!
//! They use up to 42 GB of memory and must be run explicitly: `cargo test --release -p zeroset-core
//! --test large_lists -- --ignored --test-threads 1`.

use rayon::prelude::*;
use zeroset_core::primitives::{
    Bits, Chosen, Flags, HistoPyramid, Order, Stored, compact, exclusive_scan, reduce, sort, unique,
};

const N: usize = (1 << 31) + 77;
/// The distance between consecutive set flags.
const EVERY: usize = 1_000_003;

/// Creates items from a formula of their indices.
fn made<T: Send>(item: impl Fn(u64) -> T + Sync) -> Vec<T> {
    (0..N as u64).into_par_iter().map(&item).collect()
}

/// Compares items with a formula of their indices.
fn check<T: PartialEq + Sync>(items: &[T], item: impl Fn(u64) -> T + Sync) {
    let wrong = items.par_iter().enumerate().find_first(|(k, found)| **found != item(*k as u64));
    assert!(wrong.is_none(), "item {}", wrong.map_or(0, |(k, _)| k));
}

#[test]
#[ignore = "takes 3 GB"]
fn flags() {
    let flags = made(|k| u8::from((k as usize).is_multiple_of(EVERY)) * 200);
    let n = N.div_ceil(EVERY);
    let place = |k: usize| (k * EVERY) as u32;
    let list = compact(&flags).unwrap();
    assert_eq!(list.len(), n);
    check(&list, |k| place(k as usize));
    let line = Flags::new([N, 1, 1], &flags);
    for order in [Order::Lines, Order::Blocks] {
        let pyramid = HistoPyramid::new(&line, order, Stored::PartialSums).unwrap();
        assert_eq!(pyramid.len(), n);
        assert!(pyramid.list().unwrap().iter().map(|c| c[0]).eq((0..n).map(place)));
        assert_eq!(pyramid.cell(2000), Some([place(2000), 0, 0]));
        assert_eq!(pyramid.key([place(n - 1), 0, 0]), Some(n - 1));
        let behind = n - (1_usize << 31).div_ceil(EVERY);
        assert_eq!(pyramid.count([1 << 31, 0, 0], [u32::MAX; 3]), behind);
    }
}

/// The largest possible number of active cells is accepted, and one more is an error.
#[test]
#[ignore = "takes 3 GB"]
fn full_pyramids() {
    // 2^32 - 1 = 65,537 x 65,535.
    let (shape, all) = ([65_537, 257, 255], u32::MAX as usize);
    let full = Chosen { shape, choose: |_| true };
    for order in [Order::Lines, Order::Blocks] {
        let pyramid = HistoPyramid::new(&full, order, Stored::Sums).unwrap();
        assert_eq!(pyramid.len(), all);
        let last = shape.map(|n| n as u32 - 1);
        assert_eq!((pyramid.cell(all - 1), pyramid.cell(all)), (Some(last), None));
        assert_eq!(pyramid.key(last), Some(all - 1));
        assert_eq!(pyramid.count([1; 3], [u32::MAX; 3]), 65_536 * 256 * 254);
        assert_eq!(pyramid.entry(3 * all - 1, 3), Some((last, 2)));
    }
    let more = Chosen { shape: [1 << 16, 1 << 16, 1], choose: |_| true };
    assert_eq!(Bits::new(&more).unwrap().count(), 1 << 32);
    let error = HistoPyramid::new(&more, Order::Blocks, Stored::Sums).unwrap_err().to_string();
    assert!(error.contains("4294967296 active cells, but at most"), "{error}");
}

/// Creates values that are all 0, except for one in every `EVERY` values. The k-th of these
/// exceptions, counted from 1, is `weight(k)`. Only the pages of the exceptions take memory,
/// because all pages that were never written share the same zeros.
fn few<T: Copy + Default>(weight: impl Fn(u64) -> T) -> Vec<T> {
    let mut values = vec![T::default(); N];
    for (k, value) in values.iter_mut().step_by(EVERY).enumerate() {
        *value = weight(k as u64 + 1);
    }
    values
}

#[test]
#[ignore = "takes 9 GB"]
fn scans() {
    const WEIGHT: u32 = 0x9e37_79b9;
    let sums = exclusive_scan(&few(|k| WEIGHT.wrapping_mul(k as u32)));
    assert_eq!(sums.len(), N + 1);
    check(&sums, |at| {
        let n = at.div_ceil(EVERY as u64) as u32;
        WEIGHT.wrapping_mul(n * (n + 1) / 2)
    });
}

#[test]
#[ignore = "takes 1 GB, and 17 GB of addresses"]
fn reductions() {
    let values = few(|k| k);
    let n = N.div_ceil(EVERY) as u64;
    assert_eq!(reduce(&values, 0, u64::wrapping_add), n * (n + 1) / 2);
    assert_eq!((reduce(&values, 0, u64::max), reduce(&values, 9, u64::min)), (n, 0));
}

#[test]
#[ignore = "takes 5 GB"]
fn runs_of_equal_items() {
    for bits in [3, 20] {
        let found = unique(&made(|k| (k >> bits & 1) as u8));
        assert_eq!(found.items.len(), N.div_ceil(1 << bits));
        check(&found.items, |k| (k & 1) as u8);
        check(&found.offsets, |k| (k << bits).min(N as u64) as u32);
    }
}

/// The first 2^31 keys are distinct, and the last 77 repeat the first 77. After sorting, the
/// key-index pairs must ascend, and each index must have its key.
#[test]
#[ignore = "takes 42 GB"]
fn sorts() {
    let key = |k: u64| (k * 2_654_435_761 % (1 << 31)) as u32;
    let sorted = sort(&made(key), None, 31);
    assert_eq!(sorted.keys.len(), N);
    let pair = |k: usize| (sorted.keys[k], sorted.values[k]);
    assert!((1..N).into_par_iter().all(|k| pair(k - 1) < pair(k)));
    let has_key =
        |k: usize| (sorted.values[k] as usize) < N && key(sorted.values[k].into()) == pair(k).0;
    assert!((0..N).into_par_iter().all(has_key));
}
