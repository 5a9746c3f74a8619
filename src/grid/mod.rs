//! Sparse grids of tiles: memory goes with the interface, and the domain has no border.
//!
//! Space is cut into cubes of E^3 voxels, the *tiles*. Voxel v (three integers) lies at
//! `origin + dx v`; phi is in voxels, clamped to [-gamma, gamma], negative inside. Only tiles near
//! the interface are kept: in all others phi is gamma or -gamma throughout. A [`TiledGrid`] says
//! which tiles there are, in ascending order of their keys ([`TileKey`]), and for each which sign
//! its missing neighbors have. Values live outside of it, in as many arrays ([`Pool`]) as a scheme
//! needs, under the id of the tile, which does not change while the tile is there.
//!
//! All passes run on the threads of the pool they are called in ([`Cpu::run`](crate::Cpu::run)),
//! and give the same bits for any number of them.
//!
//! Source: A. C. Jalba, W. J. van der Laan, J. B. T. M. Roerdink, "Fast sparse level sets on
//! graphics hardware", IEEE Transactions on Visualization and Computer Graphics 19 (2013), sections
//! 3.2 and 3.3; numerics 8. The page `docs/tiles.md` draws it.
//!
//! ```text
//! activity      which neighbors a tile asks for, from its values
//! manage        the tile set of the next step: plan (count, prefix sum, status), update (index, update)
//! build         a first tile set from a function of space
//! upsample      one from a coarser lattice
//! sweep, walk   passes over all tiles with sight of their neighbors
//! padded        a tile with the layers of voxels round it
//! ```

mod activity;
mod build;
mod check;
pub mod cuda;
mod dense;
mod fill;
mod keys;
mod manage;
mod padded;
mod pool;
mod renumber;
mod snapshot;
mod storage;
mod sweep;
mod upsample;
pub mod walk;

pub use activity::{ACTIVE, INSIDE, activity};
pub use fill::Fill;
pub use keys::{CENTER, DIRECTIONS, TileKey, opposite, step_of};
pub use manage::{Created, Status};
pub use padded::{Halo, gather, padded_edge};
pub use pool::Pool;
pub use pool::REMEDY;
pub use snapshot::Parts;
pub use storage::{Fixed16, Stored};
pub use sweep::Tile;
pub use walk::{MISSING, Walk};

use crate::geometry::Real;

/// Layers of voxels by which tiles are kept beyond what a step needs: the tile set need not change in the steps
/// that the band takes through them.
const SPARE: usize = 1;

/// The narrow band: where phi is kept, and how far a step looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band<R> {
    /// Half width in voxels: phi is clamped to [-gamma, gamma].
    pub gamma: R,
    /// Layers of voxels that a step reads beyond a voxel, from 1 to E: 1 for schemes of first
    /// order, 3 for WENO5. Tiles within this reach of an active voxel must be there.
    pub reach: usize,
}

impl<R: Real> Band<R> {
    /// phi as it is kept.
    pub fn clamp(&self, phi: R) -> R {
        if phi >= self.gamma {
            self.gamma
        } else if phi <= -self.gamma {
            -self.gamma
        } else {
            phi
        }
    }

    /// The same with the reach within which tiles are kept: as many layers more than a step needs as spare
    /// it most changes of the tile set, but no more than a tile has.
    pub fn roomy<const E: usize>(self) -> Self {
        Band { reach: (self.reach + SPARE).min(E), ..self }
    }

    /// What a missing tile holds.
    pub fn far(&self, inside: bool) -> R {
        if inside { -self.gamma } else { self.gamma }
    }
}

/// Which tiles of E^3 voxels there are, sorted by key.
///
/// All arrays are in the order of the list: 21 bytes per tile, and 4 per unused id.
#[derive(Clone, Debug, Default)]
pub struct TiledGrid<const E: usize> {
    keys: Vec<TileKey>,
    ids: Vec<u32>,
    /// Bit d: the neighbor in direction d is missing, and inside. 0 for those that are there.
    borders: Vec<u32>,
    /// Bit d: the neighbor in direction d is asked for; bits [`ACTIVE`] and [`INSIDE`].
    activity: Vec<u32>,
    /// Updates of the tile set that a tile has been there for, 255 at most.
    ages: Vec<u8>,
    /// Unused ids below `next_id`; the last is taken first.
    free: Vec<u32>,
    /// No id from here on was ever given out.
    next_id: u32,
    /// Whether what lies beyond all tiles is inside.
    background: bool,
    changes: manage::Changes,
}

impl<const E: usize> TiledGrid<E> {
    /// Number of tiles.
    pub fn n_tiles(&self) -> usize {
        self.keys.len()
    }

    /// Number of voxels of all tiles.
    pub fn n_voxels(&self) -> usize {
        self.keys.len() * E * E * E
    }

    /// Ids that pools must have room for: all that were ever given out.
    pub fn capacity(&self) -> usize {
        self.next_id as usize
    }

    /// Keys of the tiles, ascending.
    pub fn keys(&self) -> &[TileKey] {
        &self.keys
    }

    /// Ids of the tiles, in the order of the list: where their values are in a [`Pool`].
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Signs of missing neighbors, in the order of the list: bit d is set where the neighbor in
    /// direction d is missing and inside.
    pub fn borders(&self) -> &[u32] {
        &self.borders
    }

    /// What each tile asks for, as [`activity`] gives it, in the order of the list.
    pub fn activity(&self) -> &[u32] {
        &self.activity
    }

    /// The same, to be written by a step that finds it on its way.
    pub fn activity_mut(&mut self) -> &mut [u32] {
        &mut self.activity
    }

    /// Updates of the tile set since a tile came, in the order of the list; 0 for new tiles, 255
    /// for all old ones.
    pub fn ages(&self) -> &[u8] {
        &self.ages
    }

    /// Position of a tile in the list.
    pub fn find(&self, tile: TileKey) -> Option<usize> {
        self.keys.binary_search(&tile).ok()
    }

    /// Whether what lies beyond all tiles is inside.
    pub fn background(&self) -> bool {
        self.background
    }

    /// Whether a missing tile is inside.
    ///
    /// Where a row of tiles along x has none in the list, no interface crosses it, and it is as
    /// what lies beyond all tiles; else the nearest tile before or behind knows.
    pub fn missing_is_inside(&self, tile: TileKey) -> bool {
        let ([_, y, z], place) = (tile.tile(), self.keys.partition_point(|k| *k < tile));
        let in_row = |p: usize| self.keys.get(p).is_some_and(|k| k.tile()[1..] == [y, z]);
        if place > 0 && in_row(place - 1) {
            self.borders[place - 1] & 1 << (CENTER + 1) != 0
        } else if in_row(place) {
            self.borders[place] & 1 << (CENTER - 1) != 0
        } else {
            self.background
        }
    }

    /// Bytes of the lists: what tiles take beside their values.
    pub fn bytes(&self) -> u64 {
        let lists = self.keys.capacity() * size_of::<TileKey>()
            + (self.ids.capacity() + self.borders.capacity() + self.activity.capacity()) * 4
            + self.ages.capacity()
            + self.free.capacity() * 4;
        lists as u64
    }

    /// Bytes of the notes that a change of the tile set takes; they go with how many tiles change,
    /// and are kept for the next change.
    pub fn scratch_bytes(&self) -> u64 {
        self.changes.bytes() as u64
    }

    /// What lies beyond all tiles: no active tile lies before the first, so that the half space
    /// before it has one sign.
    fn refresh_background(&mut self) {
        if let Some(first) = self.borders.first() {
            self.background = first & 1 << (CENTER - 9) != 0;
        }
    }
}
