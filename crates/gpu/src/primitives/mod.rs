//! The primitives on a GPU: twins of those beside this folder, and what they are made of.
//!
//! One function per operation launches its kernels (`kernels/primitives/`). Most serve the setup of
//! a run, so they take their own memory; a [`Compactor`] keeps it. Everything happens in the order of
//! the one stream.

mod bits;
mod compact;
mod discriminator;
mod gather;
pub mod hilbert;
mod histopyramid;
pub mod permute;
mod reduce;
mod scan;
mod sort;
mod sparse;
mod tree;
mod unique;

pub use bits::DeviceBits;
pub use compact::{Compactor, Set, compact};
pub use discriminator::{DeviceDiscriminator, DeviceGrid, Question};
pub(crate) use discriminator::{Numbers, Variant};
pub use gather::DeviceGatherMatrix;
pub use histopyramid::DeviceHistoPyramid;
pub use reduce::{Number, Reduction, reduce};
pub use scan::exclusive_scan;
pub use sort::{Key, Sorted, sort};
pub use sparse::{DeviceCoo, DeviceCsr};
pub use tree::DeviceTree;
pub use unique::{DeviceUnique, unique};

use crate::{Cuda, Element, Kernel, Launch};
use zeroset_core::error::{DeviceFault, Error, Result};

/// Threads of a block of all kernels here but those of the sort.
const BLOCK: u32 = 256;

/// Blocks of a kernel whose threads share `n` items: enough to fill the GPU, no more than needed.
fn sharing(cuda: &Cuda, n: usize) -> Launch {
    let most = 16 * cuda.info().multiprocessors;
    tiles(n.div_ceil(BLOCK as usize).min(most as usize) as u32)
}

/// How many items there are, if 32 bits can number them.
///
/// # Errors
/// [`Error::Device`] if not.
fn numbered(n: usize, items: &str) -> Result<u32> {
    u32::try_from(n).map_err(|_| {
        Error::device_fault(
            DeviceFault::Limit,
            format!("{n} {items} on a GPU, at most 2^32 - 1 can be"),
            "take them in parts, or on the CPU",
        )
    })
}

/// One block for each of the tiles.
fn tiles(grid: u32) -> Launch {
    Launch { grid, block: BLOCK, shared: 0, cooperative: false }
}

/// A kernel of a file without variants.
fn kernel(cuda: &Cuda, file: &str, name: &str) -> Result<Kernel> {
    cuda.kernel(&crate::Unit::new(file, &[])?, name)
}

/// Numbers of a grid or a matrix.
pub trait Value: Element {
    /// In the kernels' sources.
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
