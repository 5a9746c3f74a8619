//! Runs of equal items in a sorted list.

use crate::parallel::*;

/// The number of items per task.
const TILE: usize = 1 << 16;

/// The distinct items of a sorted list and their positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unique<T> {
    /// The items, in the order of the list.
    pub items: Vec<T>,
    /// The position of the first occurrence of each item, followed by the length of the list:
    /// `[items.len() + 1]`.
    pub offsets: Vec<u32>,
}

/// Returns each item of a list once. Equal items must be adjacent, as after
/// [`sort`](super::sort()).
///
/// ```
/// let found = zeroset_core::primitives::unique(&[2, 2, 5, 9, 9]);
/// assert_eq!((found.items, found.offsets), (vec![2, 5, 9], vec![0, 2, 3, 5]));
/// ```
///
/// # Panics
/// Panics if there are more than 2^32 - 1 items.
pub fn unique<T: Copy + PartialEq + Send + Sync>(sorted: &[T]) -> Unique<T> {
    assert!(u32::try_from(sorted.len()).is_ok(), "offsets have 32 bits");
    let begins = |k: &usize| *k == 0 || sorted[*k] != sorted[k - 1];
    let tile = |t: usize| {
        let here = t * TILE..((t + 1) * TILE).min(sorted.len());
        here.filter(begins).map(|k| k as u32).collect::<Vec<u32>>()
    };
    let tiles: Vec<Vec<u32>> = (0..sorted.len().div_ceil(TILE)).into_par_iter().map(tile).collect();
    let mut offsets = tiles.concat();
    let items = offsets.par_iter().map(|&k| sorted[k as usize]).collect();
    offsets.push(sorted.len() as u32);
    Unique { items, offsets }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_those_of_dedup() {
        for n in [0, 1, 2, TILE - 1, TILE, TILE + 1, 3 * TILE + 5] {
            for run in [1, 2, 3, 1000, usize::MAX] {
                let sorted: Vec<usize> = (0..n).map(|k| k / run).collect();
                let found = unique(&sorted);
                let mut expected = sorted.clone();
                expected.dedup();
                assert!(found.items == expected, "{n} items in runs of {run}");
                for (k, item) in found.items.iter().enumerate() {
                    let here = found.offsets[k] as usize..found.offsets[k + 1] as usize;
                    assert!(sorted[here.clone()].iter().all(|x| x == item) && !here.is_empty());
                }
                assert_eq!(found.offsets.last(), Some(&(n as u32)));
            }
        }
    }
}
