//! Parallel reduction of many values to one.

use crate::parallel::*;

/// The number of values per task. It is fixed, so that results do not depend on the number of
/// threads.
const TILE: usize = 1 << 12;

/// Combines all values: first within tiles and then across tiles, each in order. `identity` must be
/// the neutral element of `combine`. The result is bitwise identical for every number of threads,
/// even if operations round.
///
/// ```
/// use zeroset_core::primitives::reduce;
///
/// assert_eq!(reduce(&[3.0, -1.0, 2.0], f64::INFINITY, f64::min), -1.0);
/// assert_eq!(reduce(&[], 0u64, |a, b| a + b), 0);
/// ```
pub fn reduce<T: Copy + Send + Sync>(
    values: &[T],
    identity: T,
    combine: impl Fn(T, T) -> T + Sync,
) -> T {
    let tile = |values: &[T]| values.iter().fold(identity, |all, &value| combine(all, value));
    let of_tiles: Vec<T> = values.par_chunks(TILE).map(tile).collect();
    of_tiles.into_iter().fold(identity, &combine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_extremes_are_those_of_a_loop() {
        for n in [0, 1, TILE - 1, TILE, TILE + 1, 5 * TILE + 3] {
            let values: Vec<u64> =
                (0..n as u64).map(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            assert_eq!(
                reduce(&values, 0, u64::wrapping_add),
                values.iter().fold(0u64, |a, &b| a.wrapping_add(b))
            );
            assert_eq!(reduce(&values, 0, u64::max), values.iter().copied().max().unwrap_or(0));
        }
    }

    #[test]
    fn rounding_does_not_depend_on_threads() {
        let values: Vec<f32> = (0..100_000).map(|k| (k as f32).sin()).collect();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| reduce(&values, 0.0, |a, b| a + b)).to_bits()
        };
        assert_eq!(on(1), on(3));
    }
}
