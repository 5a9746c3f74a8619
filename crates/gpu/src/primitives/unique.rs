//! Runs of equal items.

use super::{Compactor, Set, Value, sharing, tiles};
use crate::blocks::UNIQUE_ITEMS;
use crate::{Arguments, Array, Cuda, Unit};
use zeroset_core::error::Result;

/// A [`Unique`](zeroset_core::primitives::Unique) on a GPU.
pub struct DeviceUnique<T: Value> {
    /// The distinct items, in the order of the list.
    pub items: Array<T>,
    /// The position in the list at which the run of each item begins, followed by the length of the
    /// list: `[items.len() + 1]`.
    pub offsets: Array<u32>,
}

/// Returns each item of a list once, like [`unique`](zeroset_core::primitives::unique()). Equal
/// items must be adjacent. The call waits for the number of distinct items.
///
/// # Errors
/// Returns [`Error::Device`](zeroset_core::Error::Device) if there are more than 2^32 - 1 items, if
/// there is not enough memory, or if the GPU does not respond.
pub fn unique<T: Value>(cuda: &Cuda, sorted: &Array<T>) -> Result<DeviceUnique<T>> {
    let n = sorted.len();
    let unit = Unit::new("primitives/unique", &[("VALUE", T::NAME)])?;
    // SAFETY: the kernel writes all words.
    let begins = unsafe { cuda.unset::<u32>(n.div_ceil(32)) }?;
    let compactor = Compactor::new(cuda, Set::Bits(&begins, n))?;
    let arguments = Arguments::default().with_array(sorted).with(n as u64).with_array(&begins);
    let blocks = tiles(n.div_ceil(UNIQUE_ITEMS).max(1) as u32);
    // SAFETY: the arguments match `unique_mark`, with one bit per item.
    unsafe { cuda.launch(&cuda.kernel(&unit, "unique_mark")?, blocks, &arguments) }?;
    compactor.list(cuda, Set::Bits(&begins, n), &mut cuda.zeros(0)?)?;
    let n_runs = compactor.total(cuda)?;
    // SAFETY: the list has one entry per counted run. The kernel below writes the last offset and
    // all items.
    let (mut offsets, items) =
        unsafe { (cuda.unset::<u32>(n_runs + 1)?, cuda.unset::<T>(n_runs)?) };
    compactor.list(cuda, Set::Bits(&begins, n), &mut offsets)?;
    let arguments = Arguments::default()
        .with_array(sorted)
        .with(n as u64)
        .with_array(&offsets)
        .with(n_runs as u64)
        .with_array(&items);
    // SAFETY: the arguments match `unique_items`, with one item per run and one additional offset.
    unsafe {
        cuda.launch(&cuda.kernel(&unit, "unique_items")?, sharing(cuda, n_runs.max(1)), &arguments)
    }?;
    Ok(DeviceUnique { items, offsets })
}
