//! Key types and norms of the kernels.

use crate::point_distance::{Kernel, Norm};

zeroset_gpu::cuda_header! {
    "distance_keys";

    /// The type of keys.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) define enum KeyKind as KEY {
        /// Real coordinates in single precision, by direct differences.
        F32 = 0,
        /// Integer coordinates in single precision in the expanded form, |s|^2 - 2 s.q + |q|^2. All
        /// values stay below 2^24.
        F32OnLattice = 1,
        /// Integer coordinates in u32. Comparisons of all pairs use the expanded form modulo 2^32.
        U32 = 2,
        /// Real coordinates in double precision.
        F64 = 3,
    }

    /// The norm of a difference.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) define enum NormKind as NORM {
        /// The sum of absolute values.
        L1 = 1,
        /// The square root of the sum of squares.
        L2 = 2,
        /// The largest absolute value.
        Largest = 3,
        /// The norm of the given order.
        Order = 4,
    }
}

impl From<Kernel> for KeyKind {
    fn from(kernel: Kernel) -> Self {
        match kernel {
            Kernel::F32 => KeyKind::F32,
            Kernel::F32OnLattice => KeyKind::F32OnLattice,
            Kernel::U32 => KeyKind::U32,
            Kernel::F64 => KeyKind::F64,
        }
    }
}

impl From<Norm> for NormKind {
    fn from(norm: Norm) -> Self {
        match norm {
            Norm::L1 => NormKind::L1,
            Norm::L2 => NormKind::L2,
            Norm::LInf => NormKind::Largest,
            Norm::Lp(_) => NormKind::Order,
        }
    }
}
