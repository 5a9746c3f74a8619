//! Points of a volume found on a GPU: the twins of [`zeroset_core::points::find`], [`zeroset_core::points::part`] and [`zeroset_core::points::counts()`]; its tree and its
//! matrix, those of [`zeroset_core::points::leaves()`], [`zeroset_core::points::leaves_where()`] and [`zeroset_core::points::entries()`].
//!
//! A criterion is compiled into the kernel that makes bits or the base of a pyramid, an expression of one being printed as CUDA
//! code (`kernels/primitives/discriminator.cuh`); several make bits one after the other. Lists are those of
//! [`crate::primitives`].

mod criterion;
mod entries;
mod kernel_arguments;
mod leaves;

use std::ops::Range;

use crate::Cuda;
use crate::primitives::compact;
pub use entries::entries_on;
pub use leaves::{leaves_on, leaves_where_on};
use zeroset_core::error::{DeviceFault, Error, Result};
use zeroset_core::points::{Criterion, Points};
use zeroset_core::primitives::Order;
use zeroset_core::volume::Volume;

/// Bytes on the GPU for a point of a list: a cell by its indices.
const OF_POINT: u64 = 12;
/// Bytes on the GPU for a box and its count.
const OF_BOX: u64 = 28;

/// Lists the voxels that meet all of the criteria, as [`zeroset_core::points::find`] does with [`Criterion::all`]: the volume is copied to the
/// GPU in its own type if its values are asked for (as numbers of 64 bits for gradients and templates where the file scales them),
/// and the numbers of the voxels come back. The voxels are those of the CPU, unless a function of an expression without an
/// exact value (sin, exp and the like) is rounded otherwise there.
///
/// # Errors
/// [`Error::Case`] without a criterion, and those of [`Condition::new`](zeroset_core::volume::Condition::new); [`Error::Device`] for 2^32
/// voxels or more, if there is not enough memory, which is known before anything is copied, or the GPU does not answer.
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

/// A range of the list of [`find_on`], and how many entries that has, as [`part`](zeroset_core::points::part) gives them.
///
/// # Errors
/// Those of [`find_on`].
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

/// Number of voxels in each box that meet all of the criteria, as [`counts`](zeroset_core::points::counts()) gives it.
///
/// # Errors
/// Those of [`find_on`].
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

/// An error for more voxels than a GPU can number.
fn check_number(volume: &Volume) -> Result<()> {
    let n = volume.n_voxels();
    match u32::try_from(n) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::device_fault(
            DeviceFault::Limit,
            format!("{n} voxels on a GPU, at most 2^32 - 1 can be"),
            ON_THE_CPU,
        )),
    }
}

/// An error without so many bytes.
fn room(cuda: &Cuda, needed: u64, what: &str) -> Result<()> {
    cuda.check_room(needed, what, ON_THE_CPU)
}

/// What to do where a GPU does not serve.
const ON_THE_CPU: &str = "take the CPU (--device cpu)";
