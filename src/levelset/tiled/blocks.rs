//! What a motion needs of a grid of blocks: sparse tiles are such a grid, and so is the dense box of the tests.

use crate::geometry::Real;
use crate::grid::{Halo, Pool, Stored};

/// A grid of blocks of E^3 voxels, each with an id that says where its values are in a [`Pool`].
pub trait Blocks<R: Real, S: Stored<R>, const E: usize>: Sync {
    /// A block of a pass.
    type Place;

    /// Calls `work` for each block with its values in `out` and combines the results, in an order
    /// that does not depend on threads. `None` without blocks.
    fn fold_into<T: Send>(
        &self,
        out: &mut Pool<S, E>,
        work: impl Fn(&Self::Place, &mut [S]) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T>;

    /// The same without values to write.
    fn fold<T: Send>(
        &self,
        work: impl Fn(&Self::Place) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T>;

    /// Copies a block and `REACH` voxels round it to `out`, `(E + 2 REACH)^3` values.
    fn gather<const REACH: usize>(
        &self,
        phi: &Pool<S, E>,
        place: &Self::Place,
        gamma: R,
        halo: Halo,
        out: &mut [R],
    );

    /// Where its values are.
    fn id(place: &Self::Place) -> u32;

    /// Coordinates of its first voxel.
    fn first_voxel(place: &Self::Place) -> [i32; 3];

    /// Voxels along each axis that are part of the grid.
    fn extent(&self, place: &Self::Place) -> [usize; 3];

    /// Axes along which anything changes.
    fn dimension(&self) -> usize;

    /// Number of blocks.
    fn n_blocks(&self) -> usize;
}
