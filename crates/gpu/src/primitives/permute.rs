//! Numbers under a new order.

use super::{kernel, numbered, sharing};
use crate::{Arguments, Array, Cuda};
use zeroset_core::error::Result;

const FILE: &str = "primitives/permute";

/// Where each of the numbers `0..order.len()` stands in `order`, which has each of them once.
///
/// # Errors
/// [`Error::Device`](zeroset_core::Error::Device) for 2^32 numbers or more, if there is not enough memory, or the GPU does
/// not answer.
pub fn inverse(cuda: &Cuda, order: &Array<u32>) -> Result<Array<u32>> {
    let n = order.len();
    let count = numbered(n, "numbers")?;
    let places = cuda.zeros::<u32>(n)?;
    let arguments = Arguments::default().with_array(order).with(count).with_array(&places);
    let kernel = kernel(cuda, FILE, "permute_invert")?;
    // SAFETY: the arguments of `permute_invert`; the order is a permutation of the places.
    unsafe { cuda.launch(&kernel, sharing(cuda, n), &arguments) }?;
    Ok(places)
}

/// Replaces each number by its place; every number must have one.
///
/// # Errors
/// [`Error::Device`](zeroset_core::Error::Device) if the GPU does not answer.
pub fn rename(cuda: &Cuda, items: &mut Array<u32>, places: &Array<u32>) -> Result<()> {
    let n = items.len();
    let arguments = Arguments::default().with_array(items).with(n as u64).with_array(places);
    let kernel = kernel(cuda, FILE, "permute_rename")?;
    // SAFETY: the arguments of `permute_rename`; every item has a place by the caller's promise.
    unsafe { cuda.launch(&kernel, sharing(cuda, n), &arguments) }
}
