//! Exclusive prefix sums.

use crate::parallel::*;

/// The number of values per task. Integer sums do not depend on it.
const TILE: usize = 1 << 16;

/// Returns the sum of the values before each value, modulo 2^32, followed by the sum of all values:
/// `[values.len() + 1]`.
///
/// ```
/// assert_eq!(zeroset_core::primitives::exclusive_scan(&[3, 1, 4]), [0, 3, 4, 8]);
/// ```
pub fn exclusive_scan(values: &[u32]) -> Vec<u32> {
    let sum = |tile: &[u32]| tile.iter().fold(0, |sum: u32, &value| sum.wrapping_add(value));
    let of_tiles: Vec<u32> = values.par_chunks(TILE).map(sum).collect();
    let mut end = 0u32;
    let mut before = Vec::with_capacity(of_tiles.len());
    for sum in of_tiles {
        before.push(end);
        end = end.wrapping_add(sum);
    }
    let mut sums = vec![0; values.len() + 1];
    sums[values.len()] = end;
    let tiles = sums.par_chunks_mut(TILE).zip(values.par_chunks(TILE)).zip(before);
    tiles.for_each(|((sums, values), before)| {
        let mut sum = before;
        for (place, &value) in sums.iter_mut().zip(values) {
            *place = sum;
            sum = sum.wrapping_add(value);
        }
    });
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_a_loop() {
        for n in [0, 1, 2, TILE - 1, TILE, TILE + 1, 3 * TILE + 7] {
            for scale in [0, 1, 0x9e37_79b9] {
                let values: Vec<u32> = (0..n as u32).map(|k| k.wrapping_mul(scale)).collect();
                let mut expected = vec![0u32];
                values
                    .iter()
                    .for_each(|v| expected.push(expected[expected.len() - 1].wrapping_add(*v)));
                assert!(exclusive_scan(&values) == expected, "{n} values");
            }
        }
    }
}
