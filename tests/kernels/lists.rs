//! Reductions and runs of equal items by kernels, against the functions of the processor.

use std::fmt::Debug;

use zeroset::primitives::{reduce, unique};

use super::library::{Arg, Launch, Library, arg};

const BLOCK: u32 = 256;

fn launch(library: &Library, kernel: &str, grid: u32, args: &[Arg]) {
    let how = Launch { resident: grid.min(3), seed: 5, ..Launch::new(grid, BLOCK) };
    // SAFETY: the tests below hand over arrays of the sizes that the kernels ask for.
    unsafe { library.launch(kernel, &how, args) }.unwrap();
}

/// Numbers without order.
fn scattered(n: usize) -> impl Iterator<Item = u32> {
    (0..n as u32).map(|k| k.wrapping_mul(2_654_435_761).rotate_left(7) ^ k)
}

/// Reduces as the launch function does.
fn reduced<T: Copy + 'static>(library: &Library, kernel: &str, values: &[T], identity: T) -> T {
    let tile = 256 * 8 * 16 / size_of::<T>();
    let mut left = values.to_vec();
    while !left.is_empty() {
        let mut memory = vec![0_u128; size_of_val(&left[..]).div_ceil(16)];
        let to = memory.as_mut_ptr().cast::<T>();
        // SAFETY: the memory holds as many bytes; it is aligned to 16 bytes, as the kernel asks for.
        unsafe { left.as_ptr().copy_to_nonoverlapping(to, left.len()) };
        let tiles = left.len().div_ceil(tile);
        let mut of_tiles = vec![identity; tiles];
        let args = [
            arg(to.cast_const()),
            arg(left.len() as u64),
            arg(identity),
            arg(of_tiles.as_mut_ptr()),
        ];
        launch(library, kernel, tiles as u32, &args);
        if tiles == 1 {
            return of_tiles[0];
        }
        left = of_tiles;
    }
    identity
}

const SIZES: [usize; 10] = [0, 1, 2, 255, 2047, 4095, 4096, 8192, 8193, 70_001];
const REDUCE: [&str; 3] = ["reduce_sum", "reduce_least", "reduce_largest"];

#[test]
fn whole_numbers_reduce_to_the_values_of_the_processor() {
    let library = Library::compile("kernels/primitives/reduce.cu", &["VALUE=u32"], &REDUCE);
    let wide = Library::compile("kernels/primitives/reduce.cu", &["VALUE=u64"], &REDUCE);
    for n in SIZES {
        let values: Vec<u32> = scattered(n).collect();
        let found = REDUCE
            .map(|k| reduced(&library, k, &values, if k == REDUCE[1] { u32::MAX } else { 0 }));
        let expected = [
            reduce(&values, 0, u32::wrapping_add),
            reduce(&values, u32::MAX, u32::min),
            reduce(&values, 0, u32::max),
        ];
        assert_eq!(found, expected, "{n} values");
        let values: Vec<u64> = values.iter().map(|&k| u64::from(k) << 31 | 1).collect();
        let found =
            REDUCE.map(|k| reduced(&wide, k, &values, if k == REDUCE[1] { u64::MAX } else { 0 }));
        let expected = [
            reduce(&values, 0, u64::wrapping_add),
            reduce(&values, u64::MAX, u64::min),
            reduce(&values, 0, u64::max),
        ];
        assert_eq!(found, expected, "{n} values");
    }
}

#[test]
fn real_numbers_reduce_up_to_rounding_and_pass_over_what_is_none() {
    let library = Library::compile("kernels/primitives/reduce.cu", &["VALUE=double"], &REDUCE);
    let single = Library::compile("kernels/primitives/reduce.cu", &["VALUE=float"], &REDUCE);
    for n in SIZES {
        let mut values: Vec<f64> = scattered(n).map(|k| f64::from(k) - 2e9).collect();
        let size: f64 = values.iter().map(|x| x.abs()).sum();
        let sum = reduced(&library, "reduce_sum", &values, 0.0);
        assert!((sum - reduce(&values, 0.0, |a, b| a + b)).abs() <= 1e-13 * size, "{n} values");
        // Whole numbers whose sums are exact in any order.
        let few: Vec<f32> = scattered(n).map(|k| (k % 200) as f32).collect();
        let sum = reduced(&single, "reduce_sum", &few, 0.0);
        assert_eq!(sum, reduce(&few, 0.0, |a, b| a + b), "{n} values");
        values.iter_mut().step_by(3).for_each(|x| *x = f64::NAN);
        let least = reduced(&library, "reduce_least", &values, f64::INFINITY);
        assert_eq!(least, reduce(&values, f64::INFINITY, f64::min), "{n} values");
        let largest = reduced(&library, "reduce_largest", &values, f64::NEG_INFINITY);
        assert_eq!(largest, reduce(&values, f64::NEG_INFINITY, f64::max), "{n} values");
    }
}

fn runs<T: Copy + PartialEq + Send + Sync + Debug + Default + 'static>(
    name: &str,
    item: impl Fn(usize) -> T,
) {
    let define = format!("VALUE={name}");
    let kernels = ["unique_mark", "unique_items"];
    let library = Library::compile("kernels/primitives/unique.cu", &[&define], &kernels);
    for n in [0, 1, 31, 32, 33, 2047, 2048, 2049, 10_000] {
        for run in [1, 2, 33, 5000] {
            let sorted: Vec<T> = (0..n).map(|k| item(k / run)).collect();
            let expected = unique(&sorted);
            let mut begins = vec![7_u32; n.div_ceil(32)];
            let args = [arg(sorted.as_ptr()), arg(n as u64), arg(begins.as_mut_ptr())];
            launch(&library, "unique_mark", (n as u32).div_ceil(2048).max(1), &args);
            let is_first = |k: &u32| begins[*k as usize / 32] >> (k % 32) & 1 == 1;
            let mut offsets: Vec<u32> =
                (0..n.next_multiple_of(32) as u32).filter(is_first).collect();
            let n_runs = offsets.len();
            offsets.push(77);
            let mut items = vec![T::default(); n_runs];
            let args = [
                arg(sorted.as_ptr()),
                arg(n as u64),
                arg(offsets.as_mut_ptr()),
                arg(n_runs as u64),
                arg(items.as_mut_ptr()),
            ];
            launch(&library, "unique_items", 2, &args);
            assert!(items == expected.items && offsets == expected.offsets, "{n} in runs of {run}");
        }
    }
}

#[test]
fn runs_are_those_of_the_processor() {
    runs("u32", |k| k as u32);
    runs("u64", |k| (k as u64) << 40);
    runs("double", |k| k as f64 / 7.0);
}
