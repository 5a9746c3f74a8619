//! Direct compaction of flags: lists the indices of the flags that are set.
//!
//! If few flags are set, all flags are read once, each piece of them produces a list, and the lists
//! are joined. If many flags are set, joining the lists would cost more than reading the flags
//! twice. The set flags of each piece are then counted first.

use super::bits::LESS;
use super::discriminator::pack_eight;
use super::memory::reserve;
use crate::error::{DeviceFault, Error, Result};
use crate::parallel::*;

/// The number of flags per piece. A piece fits in the L2 cache.
const PIECE: usize = 1 << 17;
/// The number of flags that are tested together.
const BLOCK: usize = 64;
/// The percentage of set flags at or above which joining the lists costs more than reading the
/// flags twice.
const MANY: usize = 4;

/// Returns the indices of the flags that are not 0, ascending.
///
/// ```
/// assert_eq!(zeroset_core::primitives::compact(&[0, 1, 0, 0, 7])?, [1, 4]);
/// # Ok::<(), zeroset_core::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Device`] if there are more than 2^32 flags, or if there is not enough memory.
pub fn compact(flags: &[u8]) -> Result<Vec<u32>> {
    if flags.len() as u64 > 1 << 32 {
        return Err(Error::device_fault(
            DeviceFault::Limit,
            format!("{} flags to list, but the limit is 2^32", flags.len()),
            LESS,
        ));
    }
    if sampled_percent(flags) < MANY { join(flags) } else { count_and_write(flags) }
}

/// Estimates the percentage of set flags from a sample of about 1024 blocks.
#[inline]
fn sampled_percent(flags: &[u8]) -> usize {
    let (blocks, _) = flags.as_chunks::<BLOCK>();
    let some = blocks.iter().step_by((blocks.len() / 1024).max(1));
    let (n, set) = some.fold((0, 0), |(n, set), block| (n + BLOCK, set + count(block)));
    100 * set / n.max(1)
}

#[inline]
fn count(flags: &[u8]) -> usize {
    // Sums of at most 255 fit in a byte, so compilers can vectorize them.
    let part = |flags: &[u8]| flags.iter().map(|&f| u8::from(f != 0)).sum::<u8>() as usize;
    flags.chunks(192).map(part).sum()
}

/// Creates a list of indices for each piece and joins the lists.
fn join(flags: &[u8]) -> Result<Vec<u32>> {
    let lists: Vec<Vec<u32>> = flags
        .par_chunks(PIECE)
        .enumerate()
        .map(|(k, piece)| {
            let mut list = Vec::new();
            visit(piece, (k * PIECE) as u32, |number| list.push(number));
            list
        })
        .collect();
    let mut all = Vec::new();
    reserve(&mut all, lists.iter().map(Vec::len).sum(), "numbers in a list", LESS)?;
    lists.iter().for_each(|list| all.extend_from_slice(list));
    Ok(all)
}

/// Counts the set flags of each piece first, so that each piece can write its indices directly to
/// their final position.
fn count_and_write(flags: &[u8]) -> Result<Vec<u32>> {
    let counts: Vec<usize> = flags.par_chunks(PIECE).map(count).collect();
    let mut all = Vec::new();
    let n = counts.iter().sum();
    reserve(&mut all, n, "numbers in a list", LESS)?;
    all.resize(n, 0);
    let mut rest = all.as_mut_slice();
    let mut pieces = Vec::with_capacity(counts.len());
    for n in counts {
        let (piece, more) = rest.split_at_mut(n);
        pieces.push(piece);
        rest = more;
    }
    let given = pieces.into_par_iter().zip(flags.par_chunks(PIECE)).enumerate();
    given.for_each(|(k, (piece, flags))| {
        let mut places = piece.iter_mut();
        visit(flags, (k * PIECE) as u32, |number| {
            if let Some(place) = places.next() {
                *place = number;
            }
        });
    });
    Ok(all)
}

/// Calls `take` with the index of each set flag. `first` is the index of the first flag.
fn visit(flags: &[u8], first: u32, mut take: impl FnMut(u32)) {
    let (blocks, rest) = flags.as_chunks::<BLOCK>();
    let mut begin = first;
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        let words: [u64; BLOCK / 8] = std::array::from_fn(|k| u64::from_le_bytes(words[k]));
        if words.iter().fold(0, |all, word| all | word) != 0 {
            // A loop over the bits of 64 flags ends so rarely that branch prediction works well.
            let packed = words.into_iter().enumerate().map(|(k, w)| pack_eight(w) << (8 * k));
            let mut left = packed.fold(0, |all, bits| all | bits);
            while left != 0 {
                take(begin + left.trailing_zeros());
                left &= left - 1;
            }
        }
        begin = begin.wrapping_add(BLOCK as u32);
    }
    (begin..).zip(rest).filter(|(_, flag)| **flag != 0).for_each(|(number, _)| take(number));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_a_loop() {
        let sizes = [0, 1, 7, 8, 63, 64, 65, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 70];
        for n in sizes {
            for every in [1u32, 2, 9, 500, u32::MAX] {
                let flag = |k: u32| {
                    u8::from(k.wrapping_mul(2_654_435_761).is_multiple_of(every)) * (k as u8 | 1)
                };
                let flags: Vec<u8> = (0..n as u32).map(flag).collect();
                let expected: Vec<u32> =
                    (0..n as u32).filter(|&k| flags[k as usize] != 0).collect();
                assert!(compact(&flags).unwrap() == expected, "{n} flags, one in {every}");
                assert!(join(&flags).unwrap() == expected);
                assert!(count_and_write(&flags).unwrap() == expected);
            }
        }
        assert!(compact(&[0; 1000]).unwrap().is_empty());
    }
}
