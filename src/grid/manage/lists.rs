//! Update of the tile list and of the signs of missing neighbors.

use crate::error::Result;
use crate::grid::TiledGrid;
use crate::grid::keys::TileKey;
use crate::grid::pool::REMEDY;
use crate::grid::tile_passes::CHUNK;
use crate::grid::tile_walks::{MISSING, Walk, not_before};
use crate::parallel::*;
use crate::primitives::memory;

use super::{Created, missing};

/// A tile to delete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deleted {
    pub key: TileKey,
    /// The position in the list before the update.
    pub position: u32,
    /// Whether the tile is inside. Its neighbors record this sign.
    pub inside: bool,
}

/// The change that an update makes to a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Created,
    Deleted { inside: bool },
}

impl<const E: usize> TiledGrid<E> {
    /// Reserves room for `tiles` more tiles in the list and for `ids` more unused ids.
    pub(super) fn reserve(&mut self, tiles: usize, ids: usize) -> Result<()> {
        let what = "tiles of the list";
        memory::reserve(&mut self.keys, tiles, what, REMEDY)?;
        memory::reserve(&mut self.ids, tiles, what, REMEDY)?;
        memory::reserve(&mut self.borders, tiles, what, REMEDY)?;
        memory::reserve(&mut self.activity, tiles, what, REMEDY)?;
        memory::reserve(&mut self.ages, tiles, what, REMEDY)?;
        memory::reserve(&mut self.free, ids, "unused ids of tiles", REMEDY)
    }

    /// Fourth pass: assigns ids and list positions to new tiles. New tiles first reuse the ids of
    /// tiles that this update deletes, then the unused ids in `free`, starting with the most
    /// recently freed one. The remaining tiles get ids that were never assigned.
    pub(super) fn index(&mut self) {
        let TiledGrid { keys, ids, free, next_id, changes, .. } = self;
        let mut freed = changes.deleted.iter().map(|tile| ids[tile.position as usize]);
        let reused = changes.created.len().min(changes.deleted.len());
        // Ids that are reused immediately are never added to `free`.
        for tile in &mut changes.created[..reused] {
            tile.id = freed.next().unwrap_or_default();
        }
        free.extend(freed);
        for tile in &mut changes.created[reused..] {
            tile.id = free.pop().unwrap_or_else(|| {
                *next_id += 1;
                *next_id - 1
            });
        }
        let (mut before, mut gone) = (0, 0);
        for (n, tile) in changes.created.iter_mut().enumerate() {
            before = not_before(keys, before, tile.key);
            while changes.deleted.get(gone).is_some_and(|d| (d.position as usize) < before) {
                gone += 1;
            }
            tile.position = (before - gone + n) as u32;
        }
    }

    /// Updates the ages of the tiles that stay, and their sign bits for neighbors that are created
    /// or deleted.
    pub(super) fn renew_kept(&mut self) {
        self.list_changes();
        let TiledGrid { keys, borders, ages, changes, .. } = self;
        let (changed, change) = (&changes.changed, &changes.change);
        let chunks = keys.par_chunks(CHUNK).zip(borders.par_chunks_mut(CHUNK));
        chunks.zip(ages.par_chunks_mut(CHUNK)).for_each(|((keys, borders), ages)| {
            ages.iter_mut().for_each(|age| *age = age.saturating_add(1));
            if changed.is_empty() {
                return;
            }
            let mut walk = Walk::new(changed);
            for (key, border) in keys.iter().zip(borders) {
                for (d, &p) in walk.positions(*key).iter().enumerate() {
                    match change.get(p as usize).filter(|_| p != MISSING) {
                        Some(Change::Deleted { inside: true }) => *border |= 1 << d,
                        Some(_) => *border &= !(1 << d),
                        None => {}
                    }
                }
            }
        });
    }

    /// Merges deleted and created tiles into one ascending list.
    fn list_changes(&mut self) {
        let changes = &mut self.changes;
        changes.changed.clear();
        changes.change.clear();
        let mut created = changes.created.iter().map(|tile| tile.key).peekable();
        let mut put = |key, change| {
            changes.changed.push(key);
            changes.change.push(change);
        };
        for tile in &changes.deleted {
            while let Some(key) = created.next_if(|key| *key < tile.key) {
                put(key, Change::Created);
            }
            put(tile.key, Change::Deleted { inside: tile.inside });
        }
        created.for_each(|key| put(key, Change::Created));
    }

    /// Fifth pass: removes deleted tiles from the lists and inserts created ones, in place.
    pub(super) fn renew_list(&mut self) {
        let TiledGrid { keys, ids, borders, activity, ages, changes, .. } = self;
        let (deleted, created) = (&changes.deleted, &mut changes.created);
        splice(keys, deleted, created, |tile| tile.key);
        let listed = &*keys;
        created.par_chunks_mut(CHUNK).for_each(|tiles| {
            let mut walk = Walk::new(listed);
            for tile in tiles {
                let none = missing(&walk.positions(tile.key));
                tile.border = if tile.inside { none } else { 0 };
            }
        });
        let created = &*created;
        join(
            || {
                splice(ids, deleted, created, |tile| tile.id);
                splice(ages, deleted, created, |_| 0);
            },
            || {
                splice(borders, deleted, created, |tile| tile.border);
                splice(activity, deleted, created, |_| 0);
            },
        );
    }
}

/// Removes the entries of deleted tiles from a list, and inserts `item` of each created tile at the
/// position of the tile.
fn splice<T: Copy + Default>(
    list: &mut Vec<T>,
    deleted: &[Deleted],
    created: &[Created],
    item: impl Fn(&Created) -> T,
) {
    let mut end = deleted.first().map_or(list.len(), |tile| tile.position as usize);
    for (n, tile) in deleted.iter().enumerate() {
        let from = tile.position as usize + 1;
        let until = deleted.get(n + 1).map_or(list.len(), |next| next.position as usize);
        list.copy_within(from..until, end);
        end += until - from;
    }
    list.truncate(end);
    list.resize(end + created.len(), T::default());
    for (n, tile) in created.iter().enumerate().rev() {
        let position = tile.position as usize;
        list.copy_within(position - n..end, position + 1);
        list[position] = item(tile);
        end = position - n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_go_and_come_in_place() {
        let deleted = |position| Deleted { key: TileKey::default(), position, inside: false };
        let created = |position| Created {
            key: TileKey::default(),
            position,
            id: 0,
            border: 0,
            inside: false,
        };
        let mut list = vec![0, 1, 2, 3, 4, 5];
        splice(&mut list, &[deleted(0), deleted(3), deleted(4)], &[], |_| 9);
        assert_eq!(list, [1, 2, 5]);
        splice(&mut list, &[], &[created(0), created(2), created(5)], |_| 9);
        assert_eq!(list, [9, 1, 9, 2, 5, 9]);
        splice(&mut list, &[deleted(0), deleted(5)], &[created(1)], |_| 7);
        assert_eq!(list, [1, 7, 9, 2, 5]);
        splice(&mut list, &[0, 1, 2, 3, 4].map(deleted), &[], |_| 0);
        assert!(list.is_empty());
    }
}
