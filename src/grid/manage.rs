//! The tile set of the next step, in five passes and without a sort (section 3.3.5 of the paper).
//!
//! [`TiledGrid::plan`]: *count* which tiles go and which are asked for; *prefix sum* puts the finds
//! of all tasks in one order; *status* says how many ids that takes. The caller then makes room in
//! its pools, which may fail without harm: nothing has changed so far. [`TiledGrid::update`]:
//! *index* gives ids to new tiles; *update* makes the new list and border flags.
//!
//! **Which tiles stay.** A tile with an active voxel stays. So does one that a neighbor asks for
//! ([`activity`](super::activity)), and a neighbor that is asked for and missing is created, filled
//! with the sign that the asking tile has noted for it. All others go; their neighbors note the
//! sign of their values, which is one, since a tile with two stays.
//!
//! **Why the signs of missing tiles are right.** Two missing tiles that touch have the same sign,
//! and all tiles that touch a missing one have noted the same sign for it (`check`). Both hold at
//! the start, and go on to hold: a tile goes only if it has the sign of the missing tiles it
//! touches, and of those of its neighbors that have one sign only. Otherwise the interface
//! lies on the face between the two, without a band: the tile stays, and asks for missing neighbors
//! of the other sign. Hence the missing neighbors of a new tile all have its own sign.

mod lists;

use rayon::prelude::*;

use super::activity::{ACTIVE, ALL, INSIDE};
use super::keys::{CENTER, DIRECTIONS, TileKey, opposite};
use super::sweep::CHUNK;
use super::walk::{Dilated, MISSING, Walk};
use super::{Band, Pool, Stored, TiledGrid};
use crate::error::{Error, Result};
use crate::geometry::Real;
use lists::{Change, Deleted};

/// What [`TiledGrid::update`] will do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Tiles that stay.
    pub kept: usize,
    /// Tiles that come.
    pub created: usize,
    /// Tiles that go.
    pub deleted: usize,
    /// Ids that pools must have room for.
    pub capacity: usize,
}

/// A tile that came with the last update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Created {
    /// Where it is.
    pub key: TileKey,
    /// Position in the list.
    pub position: u32,
    /// Where its values are.
    pub id: u32,
    /// Signs of its missing neighbors.
    border: u32,
    /// Whether its values are -gamma; else gamma.
    pub inside: bool,
}

/// A tile that asks for missing neighbors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Creator {
    pub key: TileKey,
    /// Directions of the neighbors asked for.
    pub wanted: u32,
    /// Bit d: the neighbor in direction d is inside.
    pub border: u32,
}

/// What one task of the first pass found, in the order of the list.
#[derive(Clone, Debug, Default)]
struct Found {
    deleted: Vec<Deleted>,
    creators: Vec<Creator>,
}

/// The coming changes of a tile set; memory is kept from one time to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    found: Vec<Found>,
    deleted: Vec<Deleted>,
    asked: Asked,
    created: Vec<Created>,
    /// Deleted and created tiles by key, and what happens to them.
    changed: Vec<TileKey>,
    change: Vec<Change>,
    /// Planned and not yet done.
    planned: bool,
}

impl Changes {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let found: usize = self.found.iter().map(|f| bytes(&f.deleted) + bytes(&f.creators)).sum();
        let lists = bytes(&self.deleted) + bytes(&self.created) + bytes(&self.changed);
        found + bytes(&self.found) + lists + bytes(&self.change) + self.asked.bytes()
    }
}

fn bytes<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}

/// Missing tiles that are asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Asked {
    creators: Vec<Creator>,
    keys: Vec<TileKey>,
    units: Vec<Vec<(TileKey, bool)>>,
}

impl Asked {
    fn bytes(&self) -> usize {
        let units: usize = self.units.iter().map(bytes).sum();
        bytes(&self.creators) + bytes(&self.keys) + bytes(&self.units) + units
    }

    /// Takes tiles that ask for neighbors, ascending; then [`Asked::tiles`] are those asked for.
    ///
    /// Walks over the dilated list of the asking tiles (algorithm 2): each part of it belongs to
    /// one task, from the first of its tiles to before the first of the next.
    pub fn refresh(&mut self, creators: impl Iterator<Item = Creator>) {
        self.creators.clear();
        self.creators.extend(creators);
        self.keys.clear();
        self.keys.extend(self.creators.iter().map(|c| c.key));
        let n = self.keys.len().div_ceil(CHUNK);
        self.units.iter_mut().for_each(Vec::clear);
        self.units.resize_with(n.max(self.units.len()), Vec::new);
        let (creators, keys) = (&self.creators, &self.keys);
        self.units[..n].par_iter_mut().enumerate().for_each(|(unit, found)| {
            let start = if unit == 0 { TileKey::default() } else { keys[unit * CHUNK] };
            let last = TileKey::from_bits(u64::MAX);
            let end = keys.get((unit + 1) * CHUNK).copied().unwrap_or(last);
            for (tile, positions) in Dilated::new(keys, start, end) {
                let asking = positions.iter().enumerate().find_map(|(d, &p)| {
                    let creator = creators.get(p as usize)?;
                    let back = 1 << opposite(d);
                    (creator.wanted & back != 0).then_some(creator.border & back != 0)
                });
                found.extend(asking.map(|inside| (tile, inside)));
            }
        });
    }

    /// The missing tiles asked for, ascending, and whether they are inside.
    pub fn tiles(&self) -> impl Iterator<Item = (TileKey, bool)> {
        self.units.iter().flatten().copied()
    }
}

impl<const E: usize> TiledGrid<E> {
    /// Finds what will change in the tile set for the next step, given what each tile asks for
    /// ([`TiledGrid::activity`]). Changes nothing yet.
    ///
    /// # Errors
    /// [`Error::Numerical`] if the interface leaves the range of tiles, [`Error::Device`] if there
    /// is no memory for the new list. The tile set is as it was.
    pub fn plan(&mut self) -> Result<Status> {
        self.changes.planned = false;
        self.count();
        let changes = &mut self.changes;
        // Prefix sum: the finds of each task follow those of the task before.
        changes.deleted.clear();
        changes.deleted.extend(changes.found.iter().flat_map(|f| &f.deleted));
        changes.asked.refresh(changes.found.iter().flat_map(|f| &f.creators).copied());
        changes.created.clear();
        for (key, inside) in changes.asked.tiles() {
            let key = key.checked()?;
            changes.created.push(Created { key, position: 0, id: 0, border: 0, inside });
        }
        let (created, deleted) = (changes.created.len(), changes.deleted.len());
        let kept = self.keys.len() - deleted;
        let fresh = created.saturating_sub(self.free.len() + deleted);
        let capacity = self.next_id as usize + fresh;
        if capacity >= MISSING as usize {
            return Err(too_many(capacity));
        }
        self.reserve(created.saturating_sub(deleted), deleted.saturating_sub(created))?;
        self.changes.planned = true;
        Ok(Status { kept, created, deleted, capacity })
    }

    /// First pass: which tiles go, and which ask for missing neighbors.
    fn count(&mut self) {
        let TiledGrid { keys, borders, activity, changes, .. } = self;
        let (keys, borders, activity) = (&*keys, &*borders, &*activity);
        let n = keys.len().div_ceil(CHUNK);
        changes.found.resize_with(n, Found::default);
        changes.found.par_iter_mut().enumerate().for_each(|(chunk, found)| {
            found.deleted.clear();
            found.creators.clear();
            let mut walk = Walk::new(keys);
            for position in chunk * CHUNK..((chunk + 1) * CHUNK).min(keys.len()) {
                let (key, border) = (keys[position], borders[position]);
                let positions = walk.positions(key);
                let (stays, wanted) = fate(activity, position, border, &positions);
                if wanted != 0 {
                    found.creators.push(Creator { key, wanted, border });
                }
                if !stays {
                    let inside = activity[position] & INSIDE != 0;
                    found.deleted.push(Deleted { key, position: position as u32, inside });
                }
            }
        });
    }

    /// Changes the tile set as planned. Values of new tiles are not written yet
    /// ([`TiledGrid::fill_created`]); without a plan nothing happens.
    pub fn update(&mut self) {
        if !std::mem::take(&mut self.changes.planned) {
            self.changes.created.clear();
            return;
        }
        self.index();
        self.renew_kept();
        self.renew_list();
        self.refresh_background();
    }

    /// Tiles that came with the last update, ascending.
    pub fn created(&self) -> &[Created] {
        &self.changes.created
    }

    /// Writes plus or minus gamma into the tiles that came with the last update.
    ///
    /// # Panics
    /// If the pool has no room for [`TiledGrid::capacity`] ids.
    pub fn fill_created<R: Real, S: Stored<R>>(&self, phi: &mut Pool<S, E>, band: Band<R>) {
        let rows = phi.disjoint();
        self.created().par_iter().with_min_len(CHUNK).for_each(|tile| {
            let start = tile.id as usize * Pool::<S, E>::TILE;
            // SAFETY: no two tiles have the same id (`check`).
            let values = unsafe { rows.range(start..start + Pool::<S, E>::TILE) };
            values.fill(S::store(band.far(tile.inside), band.gamma));
        });
    }
}

/// Whether a tile stays, and which missing neighbors it asks for.
fn fate(
    activity: &[u32],
    position: usize,
    border: u32,
    positions: &[u32; DIRECTIONS],
) -> (bool, u32) {
    let mask = activity[position];
    let missing = missing(positions);
    if mask & ACTIVE != 0 {
        return (true, mask & missing);
    }
    // One sign all over: what touches it with the other one has the interface on the face between.
    let other = missing & if mask & INSIDE != 0 { !border } else { border };
    let needed = || {
        positions.iter().enumerate().any(|(d, &p)| {
            let Some(neighbor) = activity.get(p as usize).filter(|_| d != CENTER) else {
                return false;
            };
            let across = neighbor & ACTIVE == 0 && (neighbor ^ mask) & INSIDE != 0;
            neighbor & 1 << opposite(d) != 0 || across
        })
    };
    (other != 0 || needed(), other)
}

/// Why a list is too long.
pub(super) fn too_many(tiles: usize) -> Error {
    Error::Numerical {
        what: format!("{tiles} tiles are more than 32-bit indices can number"),
        remedy: "take a larger dx".into(),
    }
}

/// Mask of the directions without a tile.
pub(super) fn missing(positions: &[u32; DIRECTIONS]) -> u32 {
    let bits = positions.iter().enumerate().map(|(d, &p)| u32::from(p == MISSING) << d);
    bits.sum::<u32>() & (ALL & !ACTIVE)
}

#[cfg(test)]
mod tests;
