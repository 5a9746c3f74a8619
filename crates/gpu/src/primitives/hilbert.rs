//! Positions of points along a Hilbert curve.

use super::{kernel, numbered, sharing, sort};
use crate::{Arguments, Array, Cuda};
use zeroset_core::error::Result;
use zeroset_core::primitives::hilbert::{KEY_BITS, Lattice};

zeroset_gpu::cuda_header! {
    "hilbert";

    /// The number of bits per axis of a position along the curve.
    pub const BITS: usize = zeroset_core::primitives::hilbert::BITS as usize;

    /// The lattice of a Hilbert curve.
    #[derive(Clone, Copy, Debug)]
    pub struct LatticeArgument as Lattice {
        /// The lower corner.
        pub low: [f64; 3],
        /// The number of steps per unit length, equal along all axes.
        pub scale: f64,
    }
}

impl From<Lattice> for LatticeArgument {
    fn from(lattice: Lattice) -> Self {
        LatticeArgument { low: lattice.low(), scale: lattice.scale() }
    }
}

/// Returns the positions of points along the curve through a lattice, bitwise identical to
/// [`Lattice::keys`].
///
/// # Errors
/// Returns [`Error::Device`](zeroset_core::Error::Device) if there are 2^32 points or more, if
/// there is not enough memory, or if the GPU does not respond.
pub fn keys(cuda: &Cuda, points: &Array<[f64; 3]>, lattice: Lattice) -> Result<Array<u64>> {
    let n = points.len();
    let count = numbered(n, "points")?;
    let keys = cuda.zeros::<u64>(n)?;
    let arguments = Arguments::default()
        .with_array(points)
        .with(count)
        .with(LatticeArgument::from(lattice))
        .with_array(&keys);
    let kernel = kernel(cuda, "primitives/hilbert", "hilbert_keys")?;
    // SAFETY: the arguments match `hilbert_keys`, and both arrays have one entry per point.
    unsafe { cuda.launch(&kernel, sharing(cuda, n), &arguments) }?;
    Ok(keys)
}

/// Returns the indices of points sorted along the curve. Points at the same position are sorted by
/// index.
///
/// # Errors
/// Returns the errors of `sort`.
pub fn order(cuda: &Cuda, points: &Array<[f64; 3]>, lattice: Lattice) -> Result<Array<u32>> {
    let keys = keys(cuda, points, lattice)?;
    Ok(sort(cuda, &keys, None, KEY_BITS)?.values)
}
