//! Selection of voxels of a volume on a GPU: the counterparts of [`zeroset_core::points::find`],
//! [`zeroset_core::points::part`], [`zeroset_core::points::counts()`],
//! [`zeroset_core::points::leaves()`], [`zeroset_core::points::leaves_where()`] and
//! [`zeroset_core::points::entries()`].
//!
//! A criterion is compiled into the kernel that computes bits or the base of a pyramid. Its
//! expression is translated to CUDA code (`kernels/primitives/discriminator.cuh`). Several criteria
//! are evaluated one after another into bits. Lists are built by [`crate::primitives`].

mod criterion;
mod kernel_arguments;
mod leaves;
mod sparse_slice;

use std::ops::Range;

use crate::Cuda;
use crate::primitives::compact;
pub use leaves::{leaves_on, leaves_where_on};
pub use sparse_slice::entries_on;
use zeroset_core::error::{DeviceFault, Error, Result};
use zeroset_core::points::{Criterion, Points};
use zeroset_core::primitives::Order;
use zeroset_core::volume::Volume;

/// The bytes on the GPU per point of a list: the three indices of its cell.
const OF_POINT: u64 = 12;
/// The bytes on the GPU per box and its count.
const OF_BOX: u64 = 28;

/// Lists the voxels that meet all criteria, like [`zeroset_core::points::find`] with
/// [`Criterion::all`].
///
/// If the criteria use the values, the volume is copied to the GPU in its own type, or in double
/// precision if a criterion is a gradient or a template and the file scales the values. The indices
/// of the voxels are copied back. The voxels are the same as on the CPU, unless an expression
/// contains a function that is not computed exactly (sin, exp and so on) and is rounded differently
/// on the GPU.
///
/// # Errors
/// Returns [`Error::Case`] if there is no criterion, and the errors of
/// [`Condition::new`](zeroset_core::volume::Condition::new). Returns [`Error::Device`] if there are
/// 2^32 voxels or more, if there is not enough memory (checked before anything is copied), or if
/// the GPU does not respond.
pub fn find_on(
    cuda: &Cuda,
    volume: &Volume,
    criteria: &[Criterion],
    order: Order,
) -> Result<Points> {
    let voxels = match order {
        Order::Lines => {
            let bits = criterion::bits(cuda, volume, criteria)?;
            let numbers = cuda.download(&compact(cuda, bits.set())?)?;
            numbers.into_iter().map(|n| volume.index_of(n as usize).map(|i| i as u32)).collect()
        }
        Order::Blocks => {
            let pyramid = criterion::pyramid(cuda, volume, criteria, order)?;
            room(cuda, OF_POINT * pyramid.len(cuda)? as u64, "the list")?;
            pyramid.list(cuda)?
        }
    };
    Ok(Points::of(volume, voxels))
}

/// Returns a range of the list of [`find_on`] and the length of the whole list, like
/// [`part`](zeroset_core::points::part).
///
/// # Errors
/// Returns the errors of [`find_on`].
pub fn part_on(
    cuda: &Cuda,
    volume: &Volume,
    criteria: &[Criterion],
    order: Order,
    entries: Range<usize>,
) -> Result<(Points, usize)> {
    let pyramid = criterion::pyramid(cuda, volume, criteria, order)?;
    let total = pyramid.len(cuda)?;
    let n = entries.end.min(total).saturating_sub(entries.start);
    room(cuda, OF_POINT * n as u64, "the list")?;
    let voxels = cuda.download(&pyramid.cells(cuda, entries)?)?;
    Ok((Points::of(volume, voxels), total))
}

/// Returns the number of voxels in each box that meet all criteria, like
/// [`counts`](zeroset_core::points::counts()).
///
/// # Errors
/// Returns the errors of [`find_on`].
pub fn counts_on(
    cuda: &Cuda,
    volume: &Volume,
    criteria: &[Criterion],
    boxes: &[[[u32; 3]; 2]],
) -> Result<Vec<u32>> {
    let pyramid = criterion::pyramid(cuda, volume, criteria, Order::Blocks)?;
    room(cuda, OF_BOX * boxes.len() as u64, "the boxes")?;
    cuda.download(&pyramid.count(cuda, &cuda.upload(boxes)?)?)
}

/// Checks that there are fewer than 2^32 voxels, so that their indices fit in 32 bits.
fn check_number(volume: &Volume) -> Result<()> {
    let n = volume.n_voxels();
    match u32::try_from(n) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::device_fault(
            DeviceFault::Limit,
            format!("{n} voxels, but at most 2^32 - 1 are supported on a GPU"),
            ON_THE_CPU,
        )),
    }
}

/// Checks that at least `needed` bytes of GPU memory are free.
fn room(cuda: &Cuda, needed: u64, what: &str) -> Result<()> {
    cuda.check_room(needed, what, ON_THE_CPU)
}

/// The remedy if the GPU cannot be used.
const ON_THE_CPU: &str = "compute on the CPU (--device cpu)";
