//! Converts a lattice to its kernel argument.

use super::kernel_arguments::LatticeArgument;
use crate::reconstruct::directed::Lattice;

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
