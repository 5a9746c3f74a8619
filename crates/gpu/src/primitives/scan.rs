//! Exclusive prefix sums.

use super::{kernel, numbered, tiles};
use crate::blocks::SCAN_TILE;
use crate::{Arguments, Array, Cuda};
use zeroset_core::error::Result;

/// Returns the sum of the values before each value, modulo 2^32, followed by the total:
/// `[values.len() + 1]`.
///
/// # Errors
/// Returns [`Error::Device`](zeroset_core::Error::Device) if there are 2^32 values or more, if
/// there is not enough memory, or if the GPU does not respond.
pub fn exclusive_scan(cuda: &Cuda, values: &Array<u32>) -> Result<Array<u32>> {
    let n = numbered(values.len(), "values to sum")?;
    let kernel = kernel(cuda, "primitives/scan", "scan_exclusive")?;
    let n_tiles = values.len().div_ceil(SCAN_TILE).max(1);
    // SAFETY: the kernel writes all sums.
    let sums = unsafe { cuda.unset::<u32>(values.len() + 1) }?;
    let told = cuda.zeros::<u64>(n_tiles)?;
    let taken = cuda.zeros::<u32>(1)?;
    let arguments = Arguments::default()
        .with_array(values)
        .with_array(&sums)
        .with(n)
        .with_array(&told)
        .with_array(&taken);
    // SAFETY: the arguments match `scan_exclusive`. `told` (one word per tile) and `taken` are
    // zero.
    unsafe { cuda.launch(&kernel, tiles(n_tiles as u32), &arguments) }?;
    Ok(sums)
}
