//! Runs of equal items.

use super::{Compactor, Set, Value, sharing, tiles};
use crate::blocks::UNIQUE_ITEMS;
use crate::{Arguments, Array, Cuda, Unit};
use zeroset_core::error::Result;

/// [`Unique`](zeroset_core::primitives::Unique) on a GPU.
pub struct DeviceUnique<T: Value> {
    /// The items, in the order of the list.
    pub items: Array<T>,
    /// Where each of them begins in the list, and the length of the list: `[items.len() + 1]`.
    pub offsets: Array<u32>,
}

/// Each item of a list once, if equal ones stand beside each other, as [`unique`](zeroset_core::primitives::unique()) gives it; waits for
/// how many there are.
///
/// # Errors
/// [`Error::Device`](zeroset_core::Error::Device) for more than 2^32 - 1 items, if there is not enough memory, or the GPU does not answer.
pub fn unique<T: Value>(cuda: &Cuda, sorted: &Array<T>) -> Result<DeviceUnique<T>> {
    let n = sorted.len();
    let unit = Unit::new("primitives/unique", &[("VALUE", T::NAME)])?;
    // SAFETY: the kernel writes all words.
    let begins = unsafe { cuda.unset::<u32>(n.div_ceil(32)) }?;
    let compactor = Compactor::new(cuda, Set::Bits(&begins, n))?;
    let arguments = Arguments::default().with_array(sorted).with(n as u64).with_array(&begins);
    let blocks = tiles(n.div_ceil(UNIQUE_ITEMS).max(1) as u32);
    // SAFETY: the arguments of `unique_mark`, a bit for each item.
    unsafe { cuda.launch(&cuda.kernel(&unit, "unique_mark")?, blocks, &arguments) }?;
    compactor.list(cuda, Set::Bits(&begins, n), &mut cuda.zeros(0)?)?;
    let n_runs = compactor.total(cuda)?;
    // SAFETY: the list has as many numbers as were counted, and the kernel below writes the last one and all items.
    let (mut offsets, items) =
        unsafe { (cuda.unset::<u32>(n_runs + 1)?, cuda.unset::<T>(n_runs)?) };
    compactor.list(cuda, Set::Bits(&begins, n), &mut offsets)?;
    let arguments = Arguments::default()
        .with_array(sorted)
        .with(n as u64)
        .with_array(&offsets)
        .with(n_runs as u64)
        .with_array(&items);
    // SAFETY: the arguments of `unique_items`, an item for each run and one offset more.
    unsafe {
        cuda.launch(&cuda.kernel(&unit, "unique_items")?, sharing(cuda, n_runs.max(1)), &arguments)
    }?;
    Ok(DeviceUnique { items, offsets })
}
