//! Sparse grids of tiles, which store voxels near the interface only and have no domain boundary.
//!
//! Space is divided into cubes of E^3 voxels, the *tiles*. Voxel v (three integers) lies at
//! `origin+dx*v`. phi is in voxels, clamped to [-gamma, gamma], and negative inside. Only tiles
//! near the interface are stored. In all other tiles, phi is gamma or -gamma throughout. A
//! [`TiledGrid`] lists the tiles in ascending order of their keys ([`TileKey`]), and records the
//! signs of the missing neighbors of each tile. The values are stored separately, in as many arrays
//! ([`Pool`]) as a scheme needs. The values of a tile are found by its id, which does not change
//! while the tile exists.
//!
//! All passes run on the threads of the pool in which they are called
//! ([`Cpu::run`](crate::Cpu::run)). The results are bitwise identical for any number of threads.
//!
//! Source: A. C. Jalba, W. J. van der Laan, J. B. T. M. Roerdink, "Fast sparse level sets on
//! graphics hardware", IEEE Transactions on Visualization and Computer Graphics 19 (2013), sections
//! 3.2 and 3.3. See docs/tiles.md, section 8, for drawings.
//!
//! ```text
//! activity      the neighbors that a tile requests, from its values
//! manage        the tile set of the next step, in two parts:
//!               plan (count, prefix sum, status) and update (index, update)
//! build         the first tile set, from a function of space
//! upsample      a tile set from a coarser grid
//! tile_passes   passes over all tiles with access to their neighbors
//! tile_walks    the traversal of neighbors in these passes
//! padded        a tile with the layers of voxels around it
//! ```

mod activity;
mod build;
mod check;
#[doc(hidden)]
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
mod tile_passes;
pub mod tile_walks;
mod upsample;

pub use activity::{ACTIVE, INSIDE, activity};
pub use fill::Fill;
pub use keys::{CENTER, DIRECTIONS, TileKey, opposite, step_of};
pub use manage::{Created, Status};
pub use padded::{Halo, gather, padded_edge};
pub use pool::Pool;
pub use pool::REMEDY;
pub use snapshot::Parts;
pub use storage::{Fixed16, Stored};
pub use tile_passes::Tile;
pub use tile_walks::{MISSING, Walk};

use crate::geometry::Real;

/// The number of layers of voxels kept beyond those that a step needs. The tile set need not change
/// while the band moves through them.
const SPARE: usize = 1;

/// The narrow band: its half width, and how far a step reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band<R> {
    /// The half width in voxels. phi is clamped to [-gamma, gamma]. Where the band only serves to
    /// find active voxels, this limit on |phi| can be slightly smaller than the half width.
    pub gamma: R,
    /// The number of layers of voxels that a step needs beyond a voxel, from 1 to E: 1 for
    /// first-order differences with Euler steps, 3 for WENO5 or RK3. All tiles within this reach of
    /// an active voxel must be present.
    pub reach: usize,
}

impl<R: Real> Band<R> {
    /// Returns phi clamped to the band. NaN stays NaN.
    pub fn clamp(&self, phi: R) -> R {
        if phi >= self.gamma {
            self.gamma
        } else if phi <= -self.gamma {
            -self.gamma
        } else {
            phi
        }
    }

    /// Returns the band with a larger reach. Tiles within this reach are kept. The larger reach
    /// includes a spare layer beyond the layers that a step needs, so that the tile set rarely
    /// changes. The reach never exceeds the edge of a tile.
    pub fn roomy<const E: usize>(self) -> Self {
        Band { reach: (self.reach + SPARE).min(E), ..self }
    }

    /// Returns the value of all voxels of a missing tile: -gamma if the tile is inside, otherwise
    /// gamma.
    pub fn far(&self, inside: bool) -> R {
        if inside { -self.gamma } else { self.gamma }
    }
}

/// The sorted set of tiles of E^3 voxels.
///
/// All arrays except the unused ids are in list order. They take 21 bytes per tile, and 4 bytes per
/// unused id.
#[derive(Clone, Debug, Default)]
pub struct TiledGrid<const E: usize> {
    keys: Vec<TileKey>,
    ids: Vec<u32>,
    /// Bit d: the neighbor in direction d is missing and inside. The bit is 0 if the neighbor is
    /// present.
    borders: Vec<u32>,
    /// Bit d: the tile requests the neighbor in direction d. Also holds bits [`ACTIVE`] and
    /// [`INSIDE`].
    activity: Vec<u32>,
    /// The number of updates of the tile set since the tile was created, at most 255.
    ages: Vec<u8>,
    /// Unused ids below `next_id`. The last one is reused first.
    free: Vec<u32>,
    /// The smallest id that has never been assigned.
    next_id: u32,
    /// Whether the space beyond all tiles is inside.
    background: bool,
    changes: manage::Changes,
}

impl<const E: usize> TiledGrid<E> {
    /// Returns the number of tiles.
    pub fn n_tiles(&self) -> usize {
        self.keys.len()
    }

    /// Returns the number of voxels in all tiles.
    pub fn n_voxels(&self) -> usize {
        self.keys.len() * E * E * E
    }

    /// Returns the number of ids that pools need room for: all assigned ids, whether in use or
    /// free.
    pub fn capacity(&self) -> usize {
        self.next_id as usize
    }

    /// Returns the keys of the tiles in ascending order.
    pub fn keys(&self) -> &[TileKey] {
        &self.keys
    }

    /// Returns the ids of the tiles, `[n_tiles]`, in list order. An id locates the values of a tile
    /// in a [`Pool`].
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// Returns the signs of missing neighbors, one mask for each tile in list order. Bit d is set
    /// if the neighbor in direction d is missing and inside.
    pub fn borders(&self) -> &[u32] {
        &self.borders
    }

    /// Returns the request mask of each tile in list order; see [`activity`].
    pub fn activity(&self) -> &[u32] {
        &self.activity
    }

    /// Returns the request masks, one for each tile in list order, for writing. A step that
    /// computes them on the fly stores them here.
    pub fn activity_mut(&mut self) -> &mut [u32] {
        &mut self.activity
    }

    /// Returns the number of updates of the tile set since each tile was created, in list order. It
    /// is 0 for new tiles and stays at 255 for old ones.
    pub fn ages(&self) -> &[u8] {
        &self.ages
    }

    /// Returns the position of a tile in the list, or `None` if the tile is missing.
    pub fn find(&self, tile: TileKey) -> Option<usize> {
        self.keys.binary_search(&tile).ok()
    }

    /// Returns whether the space beyond all tiles is inside.
    pub fn background(&self) -> bool {
        self.background
    }

    /// Returns whether a missing tile is inside.
    ///
    /// If a row of tiles along x has no tile in the list, no interface crosses it, and it has the
    /// sign of the space beyond all tiles. Otherwise, the last tile before it in the row has
    /// recorded its sign. If there is none, the first tile after it has.
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

    /// Returns the size of the lists in bytes, which is the memory of the tiles without their
    /// values.
    pub fn bytes(&self) -> u64 {
        let lists = self.keys.capacity() * size_of::<TileKey>()
            + (self.ids.capacity() + self.borders.capacity() + self.activity.capacity()) * 4
            + self.ages.capacity()
            + self.free.capacity() * 4;
        lists as u64
    }

    /// Returns the number of bytes of scratch memory for changes to the tile set. The memory grows
    /// with the number of changing tiles and is kept for the next change.
    pub fn scratch_bytes(&self) -> u64 {
        self.changes.bytes() as u64
    }

    /// Updates the sign of the space beyond all tiles. No active tile lies before the first tile,
    /// so the half space before it has one sign. Without tiles, the sign does not change.
    fn refresh_background(&mut self) {
        if let Some(first) = self.borders.first() {
            self.background = first & 1 << (CENTER - 9) != 0;
        }
    }
}
