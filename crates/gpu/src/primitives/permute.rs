//! Inverse permutations and renumbering.

use super::{kernel, numbered, sharing};
use crate::{Arguments, Array, Cuda};
use zeroset_core::error::Result;

const FILE: &str = "primitives/permute";

/// Returns the position of each of the numbers `0..order.len()` in `order`, which contains each
/// number once.
///
/// # Errors
/// Returns [`Error::Device`](zeroset_core::Error::Device) if there are 2^32 numbers or more, if
/// there is not enough memory, or if the GPU does not respond.
pub fn inverse(cuda: &Cuda, order: &Array<u32>) -> Result<Array<u32>> {
    let n = order.len();
    let count = numbered(n, "numbers")?;
    let places = cuda.zeros::<u32>(n)?;
    let arguments = Arguments::default().with_array(order).with(count).with_array(&places);
    let kernel = kernel(cuda, FILE, "permute_invert")?;
    // SAFETY: the arguments match `permute_invert`, and `order` is a permutation.
    unsafe { cuda.launch(&kernel, sharing(cuda, n), &arguments) }?;
    Ok(places)
}

/// Replaces each `number` in `items` by its position, `places[number]`. Every number must have a
/// position.
///
/// # Errors
/// Returns [`Error::Device`](zeroset_core::Error::Device) if the GPU does not respond.
pub fn rename(cuda: &Cuda, items: &mut Array<u32>, places: &Array<u32>) -> Result<()> {
    let n = items.len();
    let arguments = Arguments::default().with_array(items).with(n as u64).with_array(places);
    let kernel = kernel(cuda, FILE, "permute_rename")?;
    // SAFETY: the arguments match `permute_rename`, and the caller guarantees that every item has a
    // position.
    unsafe { cuda.launch(&kernel, sharing(cuda, n), &arguments) }
}
