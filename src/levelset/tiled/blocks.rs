//! The grid interface that a motion needs, implemented by sparse tiles and by the dense box of the
//! tests.

use crate::geometry::Real;
use crate::grid::{Halo, Pool, Stored};

/// A grid of blocks of E^3 voxels. The id of a block locates its values in a [`Pool`].
pub trait Blocks<R: Real, S: Stored<R>, const E: usize>: Sync {
    /// One block of a pass.
    type Place;

    /// Calls `work` for each block, with the slice of `out` that receives its values. The results
    /// are combined in an order that does not depend on the number of threads. Returns `None` if
    /// there are no blocks.
    fn fold_into<T: Send>(
        &self,
        out: &mut Pool<S, E>,
        work: impl Fn(&Self::Place, &mut [S]) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T>;

    /// Calls `work` for each block like `fold_into`, without values to write.
    fn fold<T: Send>(
        &self,
        work: impl Fn(&Self::Place) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T>;

    /// Copies a block and `REACH` layers of voxels around it to `out`, `(E + 2 REACH)^3` values in
    /// voxels.
    fn gather<const REACH: usize>(
        &self,
        phi: &Pool<S, E>,
        place: &Self::Place,
        gamma: R,
        halo: Halo,
        out: &mut [R],
    );

    /// Returns the id of a block.
    fn id(place: &Self::Place) -> u32;

    /// Returns the coordinates of the first voxel of a block.
    fn first_voxel(place: &Self::Place) -> [i32; 3];

    /// Returns the number of voxels along each axis that are part of the grid.
    fn extent(&self, place: &Self::Place) -> [usize; 3];

    /// Returns the number of axes along which values vary.
    fn dimension(&self) -> usize;

    /// Returns the number of blocks.
    fn n_blocks(&self) -> usize;
}
