//! What kernels compare, and in which norm.

use crate::point_distance::{Kernel, Norm};

zeroset_gpu::cuda_header! {
    "distance_keys";

    /// What is compared.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) define enum KeyKind as KEY {
        /// Real coordinates in single precision, by direct differences.
        F32 = 0,
        /// Whole ones whose values all stay below 2^24, in single precision and expanded, |s|^2 - 2 s.q + |q|^2.
        F32OnLattice = 1,
        /// Whole ones in u32; expanded modulo 2^32 where all are compared.
        U32 = 2,
        /// Real ones in double precision.
        F64 = 3,
    }

    /// The norm of a difference.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) define enum NormKind as NORM {
        /// The sum of the sizes.
        L1 = 1,
        /// The root of the sum of squares.
        L2 = 2,
        /// The largest size.
        Largest = 3,
        /// Of the order that is given.
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
