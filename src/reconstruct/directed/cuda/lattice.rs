//! A lattice as kernels see it.

use crate::backend::cuda::Argument;
use crate::reconstruct::directed::Lattice;

/// `struct Lattice` of `kernels/reconstruct/directed/lattice.cuh`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct LatticeArgument {
    center: [f64; 3],
    cube: f64,
    size: [u32; 3],
    bits: [u32; 2],
}

// SAFETY: laid out as in C; its size is that which the kernels state.
unsafe impl Argument for LatticeArgument {}

const _: () = assert!(size_of::<LatticeArgument>() == 56);

impl From<&Lattice> for LatticeArgument {
    fn from(lattice: &Lattice) -> Self {
        let [x, y, _] = lattice.bits();
        LatticeArgument {
            center: lattice.center(),
            cube: lattice.cube(),
            size: lattice.size(),
            bits: [x, y],
        }
    }
}
