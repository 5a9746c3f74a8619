//! A lattice as kernels see it.

use super::layout::LatticeArgument;
use crate::gpu::Argument;
use crate::reconstruct::directed::Lattice;

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
