//! Parallel primitives on a GPU: the counterparts of those in `zeroset-core`, and their building
//! blocks.
//!
//! Each operation is one function that launches its kernels (`kernels/primitives/`). Most
//! operations belong to the setup of a run, so they allocate their own memory. Only a [`Compactor`]
//! keeps its memory between calls. All work runs in the order of the single stream.

mod bits;
mod compact;
mod discriminator;
mod gather;
pub mod hilbert;
mod histopyramid;
mod octree;
pub mod permute;
mod reduce;
mod renumber;
mod scan;
mod sort;
mod sparse;
mod unique;

pub use bits::DeviceBits;
pub use compact::{Compactor, Set, compact};
pub use discriminator::{DeviceDiscriminator, DeviceGrid, Question};
pub(crate) use discriminator::{Numbers, Variant};
pub use gather::DeviceGatherMatrix;
pub use histopyramid::DeviceHistoPyramid;
pub use octree::DeviceTree;
pub use reduce::{Number, Reduction, reduce};
pub use renumber::{Examined, Renumbering};
pub use scan::exclusive_scan;
pub use sort::{Key, Sorted, sort};
pub use sparse::{DeviceCoo, DeviceCsr};
pub use unique::{DeviceUnique, unique};

use crate::{Cuda, Element, Kernel, Launch};
use zeroset_core::error::{DeviceFault, Error, Result};

/// The number of threads per block of all kernels here except the sort.
const BLOCK: u32 = 256;

/// Returns a launch whose threads share `n` items. It has enough blocks to fill the GPU, but no
/// more than needed.
fn sharing(cuda: &Cuda, n: usize) -> Launch {
    let most = 16 * cuda.info().multiprocessors;
    tiles(n.div_ceil(BLOCK as usize).min(most as usize) as u32)
}

/// Returns `n`, the number of `items`, as a 32-bit number.
///
/// # Errors
/// Returns [`Error::Device`] if the number does not fit into 32 bits.
fn numbered(n: usize, items: &str) -> Result<u32> {
    u32::try_from(n).map_err(|_| {
        Error::device_fault(
            DeviceFault::Limit,
            format!("{n} {items}, but at most 2^32 - 1 are supported on a GPU"),
            "process them in parts, or on the CPU",
        )
    })
}

/// Returns a launch with one block per tile.
fn tiles(grid: u32) -> Launch {
    Launch { grid, block: BLOCK, shared: 0, cooperative: false }
}

/// Returns a kernel of a file without variants.
fn kernel(cuda: &Cuda, file: &str, name: &str) -> Result<Kernel> {
    cuda.kernel(&crate::Unit::new(file, &[])?, name)
}

/// A number type of grids and matrices.
pub trait Value: Element {
    /// The type name in kernel sources.
    const NAME: &str;
}

macro_rules! values {
    ($($type:ty, $name:literal;)*) => {
        $(impl Value for $type {
            const NAME: &str = $name;
        })*
    };
}

values! { u8, "u8"; i8, "i8"; u16, "u16"; i16, "i16"; u32, "u32"; i32, "i32"; u64, "u64"; i64, "i64"; f32, "float"; f64, "double"; }
