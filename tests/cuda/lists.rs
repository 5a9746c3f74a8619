//! Tests that reductions and runs of equal items match those computed on the CPU.

use zeroset::gpu::Cuda;
use zeroset::gpu::primitives::{Number, Reduction, Value, reduce, unique};
use zeroset::primitives;

use crate::support;

/// Sizes around multiples of the items per block, and one with many blocks.
const SIZES: [usize; 9] = [0, 1, 255, 4095, 4096, 8192, 8193, 100_000, 3_000_001];

/// Returns scattered numbers.
fn scattered(n: usize) -> Vec<u32> {
    (0..n as u32).map(|k| k.wrapping_mul(2_654_435_761).rotate_left(7) ^ k).collect()
}

/// A short test for compute-sanitizer, under which kernels take about a hundred times as long.
#[test]
fn a_short_run_of_each() {
    let Some(cuda) = support::cuda() else { return };
    reductions(&cuda, &[0, 1, 8193]);
    runs(&cuda, &[0, 1, 3001], |k| k as f32);
    runs(&cuda, &[33, 2049], |k| (k as u64) << 40);
}

#[test]
fn reductions_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    reductions(&cuda, &SIZES);
    reductions(&cuda, &[70_000_001]);
}

fn reductions(cuda: &Cuda, sizes: &[usize]) {
    fn all<T: Number>(cuda: &Cuda, values: &[T]) -> [T; 3] {
        let on_gpu = cuda.upload(values).unwrap();
        [Reduction::Sum, Reduction::Least, Reduction::Largest]
            .map(|reduction| reduce(cuda, &on_gpu, reduction).unwrap())
    }
    for &n in sizes {
        let values = scattered(n);
        let expected = [
            primitives::reduce(&values, 0, u32::wrapping_add),
            primitives::reduce(&values, u32::MAX, u32::min),
            primitives::reduce(&values, 0, u32::max),
        ];
        assert_eq!(all(cuda, &values), expected, "{n} values");
        let wide: Vec<u64> = values.iter().map(|&k| u64::from(k) << 31 | 1).collect();
        let expected = [
            primitives::reduce(&wide, 0, u64::wrapping_add),
            primitives::reduce(&wide, u64::MAX, u64::min),
            primitives::reduce(&wide, 0, u64::max),
        ];
        assert_eq!(all(cuda, &wide), expected, "{n} values");
        let real: Vec<f64> = values.iter().map(|&k| f64::from(k) / 3.0).collect();
        let [sum, least, largest] = all(cuda, &real);
        let wanted = primitives::reduce(&real, 0.0, |a, b| a + b);
        assert!((sum - wanted).abs() <= 1e-13 * wanted, "{n} values: {sum}, {wanted}");
        assert_eq!(sum.to_bits(), all(cuda, &real)[0].to_bits(), "{n} values");
        assert_eq!(least, primitives::reduce(&real, f64::INFINITY, f64::min));
        assert_eq!(largest, primitives::reduce(&real, f64::NEG_INFINITY, f64::max));
        // NaN is neither the minimum nor the maximum. Sums of small integers are exact.
        let mut single: Vec<f32> = values.iter().map(|&k| (k % 2) as f32).collect();
        let whole: u64 = values.iter().map(|&k| u64::from(k % 2)).sum();
        if whole < 1 << 24 {
            assert_eq!(all(cuda, &single)[0], whole as f32, "{n} values");
        }
        single.iter_mut().step_by(2).for_each(|x| *x = f32::NAN);
        let [_, least, largest] = all(cuda, &single);
        assert_eq!(least, primitives::reduce(&single, f32::INFINITY, f32::min), "{n} values");
        assert_eq!(largest, primitives::reduce(&single, f32::NEG_INFINITY, f32::max));
    }
}

#[test]
fn runs_are_those_of_the_cpu() {
    let Some(cuda) = support::cuda() else { return };
    runs(&cuda, &SIZES, |k| k as u32);
    runs(&cuda, &SIZES, |k| (k as u64) << 40);
    runs(&cuda, &SIZES, |k| k as f32);
    runs(&cuda, &SIZES, |k| k as f64 / 7.0);
}

fn runs<T: Value + PartialEq>(cuda: &Cuda, sizes: &[usize], item: fn(usize) -> T) {
    for &n in sizes {
        for run in [1, 2, 33, 5000] {
            let sorted: Vec<T> = (0..n).map(|k| item(k / run)).collect();
            let expected = primitives::unique(&sorted);
            let found = unique(cuda, &cuda.upload(&sorted).unwrap()).unwrap();
            assert!(cuda.download(&found.items).unwrap() == expected.items, "{n} in {run}");
            assert!(cuda.download(&found.offsets).unwrap() == expected.offsets, "{n} in {run}");
        }
    }
}
