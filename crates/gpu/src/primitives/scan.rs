//! Exclusive sums.

use super::{kernel, numbered, tiles};
use crate::blocks::SCAN_TILE;
use crate::{Arguments, Array, Cuda};
use zeroset_core::error::Result;

/// Sums of what stands before each value, modulo 2^32, and of all at the end: `[values.len() + 1]`.
///
/// # Errors
/// [`Error::Device`](zeroset_core::Error::Device) for 2^32 values or more, if there is not enough memory, or the GPU does
/// not answer.
pub fn exclusive_scan(cuda: &Cuda, values: &Array<u32>) -> Result<Array<u32>> {
    let n = numbered(values.len(), "values to sum")?;
    let kernel = kernel(cuda, "primitives/scan", "scan_exclusive")?;
    let n_tiles = values.len().div_ceil(SCAN_TILE).max(1);
    // SAFETY: the kernel writes all of them.
    let sums = unsafe { cuda.unset::<u32>(values.len() + 1) }?;
    let told = cuda.zeros::<u64>(n_tiles)?;
    let taken = cuda.zeros::<u32>(1)?;
    let arguments = Arguments::default()
        .with_array(values)
        .with_array(&sums)
        .with(n)
        .with_array(&told)
        .with_array(&taken);
    // SAFETY: the arguments of `scan_exclusive`; told and taken are zero and have a place per tile.
    unsafe { cuda.launch(&kernel, tiles(n_tiles as u32), &arguments) }?;
    Ok(sums)
}
