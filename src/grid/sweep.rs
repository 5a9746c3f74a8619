//! Passes over all tiles, in parallel, with sight of their neighbors (algorithm 1 of the paper).

use std::ops::Range;

use super::keys::{DIRECTIONS, TileKey};
use super::walk::{MISSING, Walk};
use super::{Pool, TiledGrid};

/// Tiles that one task walks over: enough to hide its first look-ups, few enough to share out.
pub(super) const CHUNK: usize = 256;

/// One tile of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// Position in the list.
    pub position: usize,
    /// Where it is.
    pub key: TileKey,
    /// Where its values are.
    pub id: u32,
    /// Bit d: the neighbor in direction d is missing, and inside.
    pub border: u32,
    /// Ids by direction, its own in the middle; [`MISSING`] where there is no tile.
    pub neighbors: [u32; DIRECTIONS],
}

impl<const E: usize> TiledGrid<E> {
    /// Calls `work` for each tile and combines the results, in an order that does not depend on
    /// threads. `None` without tiles.
    pub fn fold<T: Send>(
        &self,
        work: impl Fn(&Tile) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T> {
        // As many voxels per task for either size of tiles: enough to hide its first look-ups.
        let task = CHUNK * 64 / (E * E * E);
        let work = |range| self.fold_range(range, &work, &combine);
        by_halves(0..self.n_tiles(), task, &work, &combine)
    }

    /// As [`TiledGrid::fold`], where `work` may write the values of its own tile in `out`. It finds
    /// there what was there before.
    ///
    /// # Panics
    /// If the pool has no room for [`TiledGrid::capacity`] ids.
    pub fn fold_into<S: Copy + Default + Send, T: Send>(
        &self,
        out: &mut Pool<S, E>,
        work: impl Fn(&Tile, &mut [S]) -> T + Sync,
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Option<T> {
        let rows = out.disjoint();
        let work = |tile: &Tile| {
            let start = tile.id as usize * Pool::<S, E>::TILE;
            // SAFETY: each tile is worked on once, and no two have the same id (`check`).
            work(tile, unsafe { rows.range(start..start + Pool::<S, E>::TILE) })
        };
        self.fold(work, combine)
    }

    /// One task: some tiles in a row.
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

/// Results of the chunks of a range, combined in a tree whose shape depends on the range only.
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
    let (left, right) = rayon::join(
        || by_halves(range.start..middle, task, work, combine),
        || by_halves(middle..range.end, task, work, combine),
    );
    match (left, right) {
        (Some(left), Some(right)) => Some(combine(left, right)),
        (left, right) => left.or(right),
    }
}
