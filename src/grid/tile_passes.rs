//! Parallel passes over all tiles with access to their neighbors (algorithm 1 of Jalba et al. 2013;
//! see the module `grid`).

use std::ops::Range;

use super::keys::{DIRECTIONS, TileKey};
use super::tile_walks::{MISSING, Walk};
use super::{Pool, TiledGrid};
use crate::parallel;

/// The number of tiles per task. In passes over values, it applies to tiles of edge 4. It is large
/// enough to hide the cost of the first look-ups of a task, and small enough to balance the load.
pub(super) const CHUNK: usize = 256;

/// One tile of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// The position in the list of tiles.
    pub position: usize,
    /// The key of the tile.
    pub key: TileKey,
    /// The id under which its values are stored.
    pub id: u32,
    /// Bit d: the neighbor in direction d is missing and inside.
    pub border: u32,
    /// The ids of the neighbors by direction, with the tile's own id in the middle. [`MISSING`] if
    /// there is no tile.
    pub neighbors: [u32; DIRECTIONS],
}

impl<const E: usize> TiledGrid<E> {
    /// Calls `work` for each tile and combines the results in an order that does not depend on the
    /// number of threads. Returns `None` if there are no tiles.
    pub fn fold<T: Send>(
        &self,
        work: impl Fn(&Tile) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T> {
        // The number of voxels per task is the same for tiles of edge 4 and of edge 8.
        let task = CHUNK * 64 / (E * E * E);
        let work = |range| self.fold_range(range, &work, &combine);
        by_halves(0..self.n_tiles(), task, &work, &combine)
    }

    /// Calls `work` for each tile like [`TiledGrid::fold`]. `work` also receives the values of its
    /// tile in `out`, which it may read and overwrite.
    ///
    /// # Panics
    /// Panics if the pool has no room for [`TiledGrid::capacity`] ids.
    pub fn fold_into<S: Copy + Default + Send, T: Send>(
        &self,
        out: &mut Pool<S, E>,
        work: impl Fn(&Tile, &mut [S]) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T> {
        let rows = out.disjoint();
        let work = |tile: &Tile| {
            let start = tile.id as usize * Pool::<S, E>::TILE;
            // SAFETY: each tile is processed once, and no two tiles have the same id (`check`).
            work(tile, unsafe { rows.range(start..start + Pool::<S, E>::TILE) })
        };
        self.fold(work, combine)
    }

    /// Calls `work` for each tile of one task (a range of list positions) and combines the results
    /// in list order.
    fn fold_range<T>(
        &self,
        range: Range<usize>,
        work: &impl Fn(&Tile) -> T,
        combine: &impl Fn(T, T) -> T,
    ) -> Option<T> {
        let mut walk = Walk::new(&self.keys);
        let results = range.map(|position| {
            let key = self.keys[position];
            let neighbors = walk.positions(key).map(|p| match p {
                MISSING => MISSING,
                p => self.ids[p as usize],
            });
            let (id, border) = (self.ids[position], self.borders[position]);
            work(&Tile { position, key, id, border, neighbors })
        });
        results.reduce(combine)
    }
}

/// Calls `work` for parts of a range, at most `task` long, and combines the results in a tree whose
/// shape depends only on the range and `task`.
pub(super) fn by_halves<T: Send>(
    range: Range<usize>,
    task: usize,
    work: &(impl Fn(Range<usize>) -> Option<T> + Sync),
    combine: &(impl Fn(T, T) -> T + Sync),
) -> Option<T> {
    if range.len() <= task {
        return work(range);
    }
    let middle = range.start + (range.len() / 2).next_multiple_of(task);
    let (left, right) = parallel::join(
        || by_halves(range.start..middle, task, work, combine),
        || by_halves(middle..range.end, task, work, combine),
    );
    match (left, right) {
        (Some(left), Some(right)) => Some(combine(left, right)),
        (left, right) => left.or(right),
    }
}
