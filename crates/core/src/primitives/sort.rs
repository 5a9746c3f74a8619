//! Stable radix sort of keys with values, by 8-bit digits, starting with the lowest digit.

use super::DisjointRows;
use crate::parallel::*;

/// The number of different values of a digit.
const DIGITS: usize = 256;
/// The number of bits of a digit.
const BITS: u32 = 8;
/// The number of keys at which several threads become faster than one.
const MANY: usize = 1 << 15;
/// The maximum number of pieces into which the keys are divided. Each piece needs one count per
/// value of a digit.
const PIECES: usize = 64;

/// A sort key.
pub trait Key: Copy + Default + PartialEq + Send + Sync {
    /// Returns the 8 bits that begin at bit `8 * pass`.
    fn digit(self, pass: u32) -> usize;
}

impl Key for u32 {
    #[inline]
    fn digit(self, pass: u32) -> usize {
        (self >> (BITS * pass)) as usize % DIGITS
    }
}

impl Key for u64 {
    #[inline]
    fn digit(self, pass: u32) -> usize {
        (self >> (BITS * pass)) as usize % DIGITS
    }
}

/// Keys in ascending order, each with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sorted<K> {
    /// The keys in ascending order.
    pub keys: Vec<K>,
    /// The values in the order of the keys. Values of equal keys keep their order.
    pub values: Vec<u32>,
}

/// Sorts keys that are less than `2^bits`. Without `values`, the value of a key is its index.
///
/// ```
/// let sorted = zeroset_core::primitives::sort(&[5u32, 2, 5, 0], None, 3);
/// assert_eq!((sorted.keys, sorted.values), (vec![0, 2, 5, 5], vec![3, 1, 0, 2]));
/// ```
///
/// # Panics
/// Panics if the numbers of values and keys differ, or if there are more than 2^32 keys.
pub fn sort<K: Key>(keys: &[K], values: Option<&[u32]>, bits: u32) -> Sorted<K> {
    let n = keys.len();
    assert!(values.is_none_or(|values| values.len() == n), "one value for each key");
    assert!(n as u64 <= 1 << 32, "places of keys have 32 bits");
    let values = values.map_or_else(|| (0..n).map(|k| k as u32).collect(), <[u32]>::to_vec);
    let mut from = Sorted { keys: keys.to_vec(), values };
    let mut into = Sorted { keys: vec![K::default(); n], values: vec![0; n] };
    for pass in 0..bits.div_ceil(BITS) {
        if sort_by_digit(&from, &mut into, pass) {
            std::mem::swap(&mut from, &mut into);
        }
    }
    from
}

/// Sorts by one digit. Returns false without sorting if all keys have the same digit.
fn sort_by_digit<K: Key>(from: &Sorted<K>, into: &mut Sorted<K>, pass: u32) -> bool {
    let n = from.keys.len();
    let pieces = if n < MANY { 1 } else { rayon::current_num_threads().min(PIECES) };
    let length = n.div_ceil(pieces).max(1);
    let count = |piece: &[K]| {
        let mut counts = [0usize; DIGITS];
        piece.iter().for_each(|key| counts[key.digit(pass)] += 1);
        counts
    };
    let mut places: Vec<[usize; DIGITS]> = from.keys.par_chunks(length).map(count).collect();
    let mut end = 0;
    for digit in 0..DIGITS {
        let before = end;
        for piece in &mut places {
            end += std::mem::replace(&mut piece[digit], end);
        }
        if end - before == n {
            return false;
        }
    }
    let keys = DisjointRows::new(&mut into.keys);
    let values = DisjointRows::new(&mut into.values);
    let given = from.keys.par_chunks(length).zip(from.values.par_chunks(length));
    given.zip(places).for_each(|((piece, of_piece), mut places)| {
        for (&key, &value) in piece.iter().zip(of_piece) {
            let place = &mut places[key.digit(pass)];
            // SAFETY: each digit of each piece has its own range of positions. It begins where the
            // range of the digit in the previous piece ends or, for the first piece, where the last
            // range of the previous digit ends. Therefore, no two keys have the same position.
            unsafe {
                keys.range(*place..*place + 1)[0] = key;
                values.range(*place..*place + 1)[0] = value;
            }
            *place += 1;
        }
    });
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered(n: usize) -> impl Iterator<Item = u32> + Clone {
        (0..n as u32).map(|k| k.wrapping_mul(2_654_435_761).rotate_left(7) ^ k)
    }

    fn check<K: Key + Ord + std::fmt::Debug>(keys: &[K], bits: u32) {
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.sort_by_key(|&k| keys[k as usize]);
        let sorted = sort(keys, None, bits);
        assert!(sorted.values == order, "{} keys of {bits} bits", keys.len());
        assert!(sorted.keys.is_sorted());
        let values: Vec<u32> = scattered(keys.len()).map(|v| v ^ 0xabcd).collect();
        let expected: Vec<u32> = order.iter().map(|&k| values[k as usize]).collect();
        assert!(sort(keys, Some(&values), bits).values == expected);
    }

    #[test]
    fn orders_are_those_of_a_stable_sort() {
        for n in [0, 1, 2, 255, MANY - 1, MANY, MANY + 1, 200_003] {
            for bits in [1, 8, 9, 20, 32] {
                check(&scattered(n).map(|k| k >> (32 - bits)).collect::<Vec<_>>(), bits);
            }
            for bits in [33, 64] {
                let wide = |k: u32| (u64::from(k) << 32 | u64::from(k ^ 0x55)) >> (64 - bits);
                check(&scattered(n).map(wide).collect::<Vec<_>>(), bits);
            }
            check(&vec![7u32; n], 32);
            check(&(0..n as u64).rev().collect::<Vec<_>>(), 64);
        }
    }

    #[test]
    fn threads_change_nothing() {
        let keys: Vec<u32> = scattered(MANY * 3).map(|k| k >> 20).collect();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| sort(&keys, None, 12))
        };
        assert!(on(1) == on(5));
    }
}
