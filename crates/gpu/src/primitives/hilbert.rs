//! Places along a Hilbert curve.

use super::{kernel, numbered, sharing, sort};
use crate::{Arguments, Array, Cuda};
use zeroset_core::error::Result;
use zeroset_core::primitives::hilbert::{KEY_BITS, Lattice};

zeroset_gpu::cuda_header! {
    "hilbert";

    /// Bits per axis of a place along the curve.
    pub const BITS: usize = zeroset_core::primitives::hilbert::BITS as usize;

    /// The lattice that a Hilbert curve runs through.
    #[derive(Clone, Copy, Debug)]
    pub struct LatticeArgument as Lattice {
        /// Lower corner.
        pub low: [f64; 3],
        /// Steps per length, one for all axes.
        pub scale: f64,
    }
}

impl From<Lattice> for LatticeArgument {
    fn from(lattice: Lattice) -> Self {
        LatticeArgument { low: lattice.low(), scale: lattice.scale() }
    }
}

/// Places of points along the curve through a lattice: the bits of [`Lattice::keys`].
///
/// # Errors
/// [`Error::Device`](zeroset_core::Error::Device) for 2^32 points or more, if there is not enough memory, or the GPU does
/// not answer.
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
    // SAFETY: the arguments of `hilbert_keys`, both arrays with an entry per point.
    unsafe { cuda.launch(&kernel, sharing(cuda, n), &arguments) }?;
    Ok(keys)
}

/// Numbers of points sorted along the curve; ties by number.
///
/// # Errors
/// As [`sort`].
pub fn order(cuda: &Cuda, points: &Array<[f64; 3]>, lattice: Lattice) -> Result<Array<u32>> {
    let keys = keys(cuda, points, lattice)?;
    Ok(sort(cuda, &keys, None, KEY_BITS)?.values)
}
