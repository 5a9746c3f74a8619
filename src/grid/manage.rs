//! Update of the tile set for the next step, in five passes and without sorting (Jalba et al. 2013,
//! section 3.3.5; see the module `grid`).
//!
//! [`TiledGrid::plan`] runs three passes. *Count* finds the tiles to delete and the tiles that are
//! requested. *Prefix sum* puts the findings of all tasks in one order. *Status* returns how many
//! ids are needed. The caller then grows its pools. If that fails, nothing has changed yet.
//! [`TiledGrid::update`] runs the other two passes. *Index* assigns ids to new tiles. *Update*
//! writes the new list and the signs of missing neighbors.
//!
//! **Which tiles stay.** A tile with an active voxel stays. A tile that a neighbor requests
//! ([`activity`](super::activity)) also stays, and so does a tile at which the sign changes without
//! a band (see below). A requested neighbor that is missing is created and filled with gamma or
//! -gamma, depending on the sign that the requesting tile has recorded for it. All other tiles are
//! deleted, and their neighbors record the sign of their values. That sign is unique, because a
//! tile with both signs stays.
//!
//! **Why the signs of missing tiles are right.** Two missing tiles that touch have the same sign,
//! and all tiles that touch a missing tile have recorded the same sign for it (`check`). Both
//! statements hold at the start, and every update preserves them. A tile is deleted only if its
//! sign equals that of the missing tiles that it touches and that of its neighbors without active
//! voxels. Otherwise, the interface lies on the face between the two tiles, without a band. The
//! tile then stays and requests missing neighbors of the other sign. Hence all missing neighbors of
//! a new tile have the sign of that tile.

mod lists;

use super::activity::{ACTIVE, ALL, INSIDE};
use super::keys::{CENTER, DIRECTIONS, TileKey, opposite};
use super::tile_passes::CHUNK;
use super::tile_walks::{Dilated, MISSING, Walk};
use super::{Band, Pool, Stored, TiledGrid};
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::parallel::*;
use lists::{Change, Deleted};

/// The changes that [`TiledGrid::update`] will make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The number of tiles that stay.
    pub kept: usize,
    /// The number of tiles to create.
    pub created: usize,
    /// The number of tiles to delete.
    pub deleted: usize,
    /// The number of ids that pools need room for after the update.
    pub capacity: usize,
}

/// A tile that the last update created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Created {
    /// The key of the tile.
    pub key: TileKey,
    /// The position in the list of tiles.
    pub position: u32,
    /// The id under which its values are stored.
    pub id: u32,
    /// Bit d: the neighbor in direction d is missing and inside.
    border: u32,
    /// Whether its values are -gamma. Otherwise, they are gamma.
    pub inside: bool,
}

/// A tile that requests missing neighbors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Creator {
    pub key: TileKey,
    /// The directions of the requested neighbors, one bit per direction.
    pub wanted: u32,
    /// Bit d: the neighbor in direction d is missing and inside.
    pub border: u32,
}

/// The findings of one task of the first pass, in list order.
#[derive(Clone, Debug, Default)]
struct Found {
    deleted: Vec<Deleted>,
    creators: Vec<Creator>,
}

/// The planned changes of a tile set. The next update reuses the memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    found: Vec<Found>,
    deleted: Vec<Deleted>,
    asked: Asked,
    created: Vec<Created>,
    /// The keys of deleted and created tiles in ascending order. `change` states what happens to
    /// each.
    changed: Vec<TileKey>,
    change: Vec<Change>,
    /// Whether a plan has been made but not yet carried out.
    planned: bool,
}

impl Changes {
    /// Returns the number of bytes held.
    pub fn bytes(&self) -> usize {
        let found: usize = self.found.iter().map(|f| bytes(&f.deleted) + bytes(&f.creators)).sum();
        let lists = bytes(&self.deleted) + bytes(&self.created) + bytes(&self.changed);
        found + bytes(&self.found) + lists + bytes(&self.change) + self.asked.bytes()
    }
}

fn bytes<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}

/// The missing tiles that other tiles request.
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

    /// Finds the missing tiles that `creators` request. `creators` are in ascending order of keys.
    /// [`Asked::tiles`] returns the result.
    ///
    /// The pass walks over the dilated list of the requesting tiles ([`Dilated`]). Each task
    /// handles the part of that list that starts at its own first requesting tile and ends before
    /// the first requesting tile of the next task.
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

    /// Returns the requested missing tiles in ascending order, each with a flag that states whether
    /// it is inside.
    pub fn tiles(&self) -> impl Iterator<Item = (TileKey, bool)> {
        self.units.iter().flatten().copied()
    }
}

impl<const E: usize> TiledGrid<E> {
    /// Plans the changes to the tile set for the next step, based on the requests of each tile
    /// ([`TiledGrid::activity`]). The tile set itself does not change.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] if the interface leaves the range of tiles or needs too many
    /// tiles for 32-bit ids, and [`Error::Device`] if there is no memory for the new list. The tile
    /// set is then unchanged.
    pub fn plan(&mut self) -> Result<Status> {
        self.changes.planned = false;
        self.count();
        let changes = &mut self.changes;
        // Prefix sum: the findings of each task follow those of the previous task.
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

    /// First pass: finds the tiles to delete and the tiles that request missing neighbors.
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

    /// Changes the tile set as planned. Call [`TiledGrid::fill_created`] afterwards to write the
    /// values of new tiles. Without a plan, the tile set does not change.
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

    /// Returns the tiles that the last update created, in ascending order.
    pub fn created(&self) -> &[Created] {
        &self.changes.created
    }

    /// Writes plus or minus gamma into the tiles that the last update created.
    ///
    /// # Panics
    /// Panics if the pool has no room for [`TiledGrid::capacity`] ids.
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

/// Returns whether a tile stays, and which missing neighbors it requests.
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
    // The tile has one sign. If a neighbor has the other sign, the interface lies on the face
    // between them.
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

/// Returns the error for more tiles than 32-bit indices can address.
pub(super) fn too_many(tiles: usize) -> Error {
    Error::Numerical {
        what: format!("{tiles} tiles are too many for 32-bit indices"),
        remedy: "use a larger dx".into(),
    }
}

/// Returns a mask of the directions without a tile, except the center.
pub(super) fn missing(positions: &[u32; DIRECTIONS]) -> u32 {
    let bits = positions.iter().enumerate().map(|(d, &p)| u32::from(p == MISSING) << d);
    bits.sum::<u32>() & (ALL & !ACTIVE)
}

#[cfg(test)]
mod tests;
