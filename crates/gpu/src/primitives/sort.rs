//! Stable radix sort of keys with values.

use super::{numbered, sharing};
use crate::blocks::{SORT_BLOCK, SORT_TILE_U32, SORT_TILE_U64};
use crate::{Arguments, Array, Cuda, Element, Launch, Unit};
use zeroset_core::error::Result;

/// The number of different values of a digit.
const DIGITS: usize = 256;
/// The number of bits of a digit.
const BITS: u32 = 8;
/// The smallest number of keys for which tiles exchange counts in 64-bit words. Two bits of each
/// word mark its kind, so a 32-bit word holds only counts below this number.
const MANY: usize = 1 << 30;

/// A type of sort keys.
pub trait Key: Element {
    /// The type name in kernel sources.
    const NAME: &str;
    /// The number of keys per block.
    const TILE: usize;
}

impl Key for u32 {
    const NAME: &str = "u32";
    const TILE: usize = SORT_TILE_U32;
}

impl Key for u64 {
    const NAME: &str = "u64";
    const TILE: usize = SORT_TILE_U64;
}

/// Keys in ascending order with their values.
pub struct Sorted<K: Key> {
    /// The keys in ascending order.
    pub keys: Array<K>,
    /// The values in the order of the keys. Values of equal keys keep their order.
    pub values: Array<u32>,
}

/// Sorts keys, which must be less than `2^bits`, together with their values. If `values` is `None`,
/// the value of a key is its index.
///
/// # Errors
/// Returns [`Error::Device`](zeroset_core::Error::Device) if there are 2^32 keys or more, if there
/// is not enough memory, or if the GPU does not respond.
///
/// # Panics
/// Panics if the numbers of values and keys differ.
pub fn sort<K: Key>(
    cuda: &Cuda,
    keys: &Array<K>,
    values: Option<&Array<u32>>,
    bits: u32,
) -> Result<Sorted<K>> {
    assert!(
        values.is_none_or(|values| values.len() == keys.len()),
        "there must be one value per key"
    );
    let n = keys.len();
    let count = numbered(n, "keys to sort")?;
    let n_passes = bits.div_ceil(BITS).max(1);
    let (mut from, mut into) = (pair(cuda, n)?, pair(cuda, n)?);
    if n == 0 {
        return Ok(into);
    }
    let (told, words) = if n < MANY { ("u32", 1) } else { ("u64", 2) };
    let unit = Unit::new("primitives/sort", &[("KEY", K::NAME), ("TOLD", told)])?;
    let counts = cuda.zeros::<u32>(n_passes as usize * DIGITS)?;
    let arguments =
        Arguments::default().with_array(keys).with(count).with(n_passes).with_array(&counts);
    let all = blocks(sharing(cuda, n).grid.div_ceil(2));
    // SAFETY: the arguments match `sort_count`. The counts are zero, with one row per pass.
    unsafe { cuda.launch(&cuda.kernel(&unit, "sort_count")?, all, &arguments) }?;
    let arguments = Arguments::default().with_array(&counts);
    // SAFETY: the argument matches `sort_places`, with one block per row of counts.
    unsafe { cuda.launch(&cuda.kernel(&unit, "sort_places")?, blocks(n_passes), &arguments) }?;

    let kernel = cuda.kernel(&unit, "sort_pass")?;
    let n_tiles = n.div_ceil(K::TILE);
    let mut told = cuda.zeros::<u32>(words * n_tiles * DIGITS)?;
    let mut taken = cuda.zeros::<u32>(1)?;
    for pass in 0..n_passes {
        if pass > 0 {
            std::mem::swap(&mut from, &mut into);
            cuda.clear(&mut told)?;
            cuda.clear(&mut taken)?;
        }
        let places = counts.address() + u64::from(pass) * (DIGITS * size_of::<u32>()) as u64;
        let (old_keys, old_values) = match pass {
            // A null address makes the kernel use indices as values.
            0 => (keys.address(), values.map_or(0, Array::address)),
            _ => (from.keys.address(), from.values.address()),
        };
        let arguments = Arguments::default()
            .with(old_keys)
            .with(old_values)
            .with_array(&into.keys)
            .with_array(&into.values)
            .with(count)
            .with(pass)
            .with(places)
            .with_array(&told)
            .with_array(&taken);
        // SAFETY: the arguments match `sort_pass`. `told` and `taken` are zero, and `told` has one
        // row per tile.
        unsafe { cuda.launch(&kernel, blocks(n_tiles as u32), &arguments) }?;
    }
    Ok(into)
}

fn blocks(grid: u32) -> Launch {
    Launch { grid, block: SORT_BLOCK, shared: 0, cooperative: false }
}

fn pair<K: Key>(cuda: &Cuda, n: usize) -> Result<Sorted<K>> {
    // SAFETY: each pass writes every element of both arrays before the next pass reads them.
    unsafe { Ok(Sorted { keys: cuda.unset(n)?, values: cuda.unset(n)? }) }
}
