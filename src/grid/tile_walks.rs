//! Walks over a sorted tile list with access to the neighbors (algorithms 1 and 2 of Jalba et al.
//! 2013; see the module `grid`).
//!
//! Jalba et al. track one pointer per neighbor. The keys of three neighbors in a row along x are
//! consecutive, so nine pointers, one per row, are enough.

use super::keys::{DIRECTIONS, OFFSETS, TileKey};

/// The position or id of a missing neighbor.
pub const MISSING: u32 = u32::MAX;

/// A search for the neighbors of ascending tiles in a sorted list. Each look-up continues where the
/// previous one ended.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    list: &'a [TileKey],
    rows: [usize; DIRECTIONS / 3],
}

impl<'a> Walk<'a> {
    /// Starts a walk over an ascending list without duplicates, shorter than [`MISSING`].
    pub fn new(list: &'a [TileKey]) -> Self {
        Walk { list, rows: [0; DIRECTIONS / 3] }
    }

    /// Returns the list positions of a tile and its neighbors by direction, or [`MISSING`] for
    /// tiles that are not in the list. The tile itself need not be in the list, but it must not lie
    /// before the tile of the previous call.
    pub fn positions(&mut self, tile: TileKey) -> [u32; DIRECTIONS] {
        let mut positions = [MISSING; DIRECTIONS];
        for (row, found) in positions.chunks_exact_mut(3).enumerate() {
            let first = self.advance(row, tile);
            let mut p = self.rows[row];
            for (k, position) in found.iter_mut().enumerate() {
                if self.list.get(p).is_some_and(|key| key.bits() == first + k as u64) {
                    *position = p as u32;
                    p += 1;
                }
            }
        }
        positions
    }

    /// Moves the pointer of a row to the first tile at or after the row's first neighbor. Returns
    /// the key of that neighbor.
    fn advance(&mut self, row: usize, tile: TileKey) -> u64 {
        let first = tile.bits().wrapping_add(OFFSETS[3 * row]);
        self.rows[row] = not_before(self.list, self.rows[row], TileKey::from_bits(first));
        first
    }
}

/// Returns the first position, beginning at `start`, whose key is at least `key`, or the length of
/// the list if there is none.
///
/// The search doubles its step until it overshoots, and then bisects. It takes few steps for nearby
/// keys, and about twice as many as a binary search for distant keys.
pub(super) fn not_before(list: &[TileKey], start: usize, key: TileKey) -> usize {
    let mut low = start;
    let mut step = 1;
    while low + step <= list.len() && list[low + step - 1] < key {
        low += step;
        step *= 2;
    }
    let high = (low + step - 1).min(list.len());
    low + list[low..high].partition_point(|k| *k < key)
}

/// An iterator over the tiles of a list and all their neighbors, in ascending order and without
/// duplicates. Each item includes the list positions of the tile's own neighbors.
pub(super) struct Dilated<'a> {
    walk: Walk<'a>,
    /// A lower bound on the next tile.
    next: TileKey,
    end: TileKey,
}

impl<'a> Dilated<'a> {
    /// Creates an iterator over the part of the dilated list with keys from `start` up to, but not
    /// including, `end`.
    pub fn new(list: &'a [TileKey], start: TileKey, end: TileKey) -> Self {
        // No item precedes the first neighbor of the first tile. Smaller keys would have neighbors
        // with negative keys.
        let first = list.first().map_or(end, |tile| tile.neighbor(0));
        Dilated { walk: Walk::new(list), next: start.max(first), end }
    }

    /// Returns the first tile, from `self.next` up to but not including `self.end`, that is in the
    /// list or has a neighbor in it. Returns `None` if there is none.
    fn nearest(&mut self) -> Option<TileKey> {
        let next = self.next.bits();
        let mut nearest = u64::MAX;
        for row in 0..DIRECTIONS / 3 {
            let first = self.walk.advance(row, self.next);
            if let Some(key) = self.walk.list.get(self.walk.rows[row]) {
                // The tile whose last neighbor in this row is `key`, or `self.next` if that tile
                // lies before `self.next`.
                nearest = nearest.min(next + (key.bits() - first).saturating_sub(2));
            }
        }
        (nearest < self.end.bits()).then_some(TileKey::from_bits(nearest))
    }
}

impl Iterator for Dilated<'_> {
    type Item = (TileKey, [u32; DIRECTIONS]);

    fn next(&mut self) -> Option<Self::Item> {
        let tile = self.nearest()?;
        self.next = TileKey::from_bits(tile.bits() + 1);
        Some((tile, self.walk.positions(tile)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn tiles() -> impl Strategy<Value = Vec<TileKey>> {
        let near = [-4..4i32, -4..4i32, -4..4i32];
        let far = [-40..40i32, -40..40i32, -40..40i32];
        proptest::collection::btree_set(prop_oneof![near, far], 0..150).prop_map(|set| {
            let set: BTreeSet<_> = set.into_iter().map(|t| TileKey::new(t).unwrap()).collect();
            set.into_iter().collect()
        })
    }

    fn searched(list: &[TileKey], tile: TileKey) -> [u32; DIRECTIONS] {
        std::array::from_fn(|d| list.binary_search(&tile.neighbor(d)).map_or(MISSING, |p| p as u32))
    }

    proptest! {
        #[test]
        fn the_walk_finds_what_a_search_finds(list in tiles(), queries in tiles(), start in 0..20usize) {
            let mut walk = Walk::new(&list);
            for &tile in queries.iter().skip(start) {
                prop_assert_eq!(walk.positions(tile), searched(&list, tile));
            }
            let mut walk = Walk::new(&list);
            for &tile in &list {
                prop_assert_eq!(walk.positions(tile), searched(&list, tile));
            }
        }

        #[test]
        fn the_dilated_list_is_the_set_of_all_neighbors(list in tiles(), cut in tiles()) {
            let all: BTreeSet<TileKey> =
                list.iter().flat_map(|t| (0..DIRECTIONS).map(|d| t.neighbor(d))).collect();
            let mut bounds = vec![TileKey::default()];
            bounds.extend(cut);
            bounds.push(TileKey::from_bits(u64::MAX));
            let mut found = Vec::new();
            for pair in bounds.windows(2) {
                for (tile, positions) in Dilated::new(&list, pair[0], pair[1]) {
                    prop_assert_eq!(positions, searched(&list, tile));
                    found.push(tile);
                }
            }
            prop_assert_eq!(found, all.into_iter().collect::<Vec<_>>());
        }
    }
}
