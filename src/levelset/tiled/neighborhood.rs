//! Groups of voxels that are computed side by side, and access to the voxels around them.
//!
//! Code that computes with lanes uses no closures. A closure would be a separate function that is
//! compiled without the wide registers ([`super::lanes::widest`]).

use std::marker::PhantomData;

use super::lanes::Lanes;

/// Access to the values around a voxel.
pub trait Around<V> {
    /// Returns the values at an offset in voxels.
    fn at(&self, by: [isize; 3]) -> V;
}

/// A group of consecutive voxels of a block, one for each lane of V: part of a row, a row, or two
/// rows.
#[derive(Clone, Copy)]
pub(super) struct Group<'a, V: Lanes, const E: usize> {
    padded: &'a [V::Scalar],
    /// The number of values along an edge of the padded block.
    side: usize,
    /// The index of the first voxel in the padded block.
    place: usize,
    /// The index of the first voxel in the block.
    pub first: usize,
    lanes: PhantomData<V>,
}

impl<'a, V: Lanes, const E: usize> Group<'a, V, E> {
    /// Returns the group that begins at voxel `first` of a block padded by `reach`.
    #[inline(always)]
    pub(super) fn new(padded: &'a [V::Scalar], reach: usize, first: usize) -> Self {
        const { assert!(E >= 4 && E.is_multiple_of(4) && V::LANES <= 2 * E) };
        let side = E + 2 * reach;
        let [x, y, z] = [first % E, first / E % E, first / (E * E)];
        let place = ((z + reach) * side + y + reach) * side + x + reach;
        Group { padded, side, place, first, lanes: PhantomData }
    }

    /// Returns whether the first row of the group is within an extent.
    #[inline(always)]
    pub(super) fn is_within(&self, [_, y, z]: [usize; 3]) -> bool {
        self.first / E % E < y && self.first / (E * E) < z
    }

    /// Returns the values at an offset along one axis.
    #[inline(always)]
    pub(super) fn along(&self, axis: usize, by: isize) -> V {
        let mut offset = [0; 3];
        offset[axis] = by;
        self.at(offset)
    }

    /// Returns the values of the group from an array without a halo.
    #[inline(always)]
    pub(super) fn own(&self, values: &[V::Scalar]) -> V {
        V::load(values, self.first, V::LANES / 2)
    }

    /// Returns a mask of the voxels with `|phi| < gamma` and of voxels with such a neighbor along
    /// an axis.
    #[inline(always)]
    pub(super) fn moving(&self, gamma: V) -> V::Mask {
        let mut least = self.at([0, 0, 0]).abs();
        for axis in 0..3 {
            let (a, b) = (self.along(axis, -1).abs(), self.along(axis, 1).abs());
            least = least.smaller(a.smaller(b));
        }
        gamma.gt(least)
    }
}

impl<V: Lanes, const E: usize> Around<V> for Group<'_, V, E> {
    #[inline(always)]
    fn at(&self, [dx, dy, dz]: [isize; 3]) -> V {
        let side = self.side as isize;
        let place = self.place.wrapping_add_signed((dz * side + dy) * side + dx);
        // If the group spans two rows, the second half is loaded from the next row.
        let half = if V::LANES > E { self.side } else { V::LANES / 2 };
        V::load(self.padded, place, half)
    }
}
