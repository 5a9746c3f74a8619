//! Walks over a sorted list of tiles with sight of their neighbors (algorithms 1 and 2 of the
//! paper).
//!
//! The paper tracks one pointer per neighbor. Three neighbors in a row along x have keys that follow
//! each other, so that nine pointers, one per row, do the same.

use super::keys::{DIRECTIONS, OFFSETS, TileKey};

/// Stands for a neighbor that is missing.
pub const MISSING: u32 = u32::MAX;

/// Looks up the neighbors of ascending tiles in a sorted list: each look-up goes on from where the
/// one before ended.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    list: &'a [TileKey],
    rows: [usize; DIRECTIONS / 3],
}

impl<'a> Walk<'a> {
    /// A walk over an ascending list without repetitions, shorter than [`MISSING`].
    pub fn new(list: &'a [TileKey]) -> Self {
        Walk { list, rows: [0; DIRECTIONS / 3] }
    }

    /// Positions in the list of a tile and its neighbors, by direction; [`MISSING`] where they are
    /// not in the list. The tile need not be in the list itself, but none may lie before that of
    /// the call before.
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

    /// Moves the pointer of a row to the first tile that is not before the row's first neighbor,
    /// whose key is the result.
    fn advance(&mut self, row: usize, tile: TileKey) -> u64 {
        let first = tile.bits().wrapping_add(OFFSETS[3 * row]);
        self.rows[row] = not_before(self.list, self.rows[row], TileKey::from_bits(first));
        first
    }
}

/// First position from `start` on whose key is not less than `key`.
///
/// Steps double until they lie beyond, then halve: few steps for near keys, about twice those of a
/// binary search for far ones.
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

/// The tiles of a list and all their neighbors, ascending, each once, with the positions in the
/// list of its own neighbors.
pub(super) struct Dilated<'a> {
    walk: Walk<'a>,
    /// No tile before this one is still to come.
    next: TileKey,
    end: TileKey,
}

impl<'a> Dilated<'a> {
    /// The part of the dilated list with keys from `start` to before `end`.
    pub fn new(list: &'a [TileKey], start: TileKey, end: TileKey) -> Self {
        // Nothing comes before the first neighbor of the first tile, and keys before that would
        // have neighbors below zero.
        let first = list.first().map_or(end, |tile| tile.neighbor(0));
        Dilated { walk: Walk::new(list), next: start.max(first), end }
    }

    /// The first tile from `self.next` on with a neighbor in the list.
    fn nearest(&mut self) -> Option<TileKey> {
        let next = self.next.bits();
        let mut nearest = u64::MAX;
        for row in 0..DIRECTIONS / 3 {
            let first = self.walk.advance(row, self.next);
            if let Some(key) = self.walk.list.get(self.walk.rows[row]) {
                // The tile whose last neighbor of this row is `key`, or a later one that sees it.
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
