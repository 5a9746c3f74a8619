//! The tile lists on a GPU.

use std::sync::Arc;

use super::control::{STIRRED, TileControl, TileGridArgument};
use crate::error::Result;
use crate::gpu::{Array, Cuda};
use crate::grid::{TileKey, TiledGrid};

/// The number of words per tile for the neighbor look-up: one for each of eight rows, and one with
/// a bit per neighbor.
pub(super) const LOOK_UP: usize = 9;

/// The number of words per tile that hold the ids of its neighbors
/// (`kernels/tiles/neighbor_ids.cuh`).
pub const NEAR_WORDS: usize = 19;

/// The smallest capacity. A change to the tile set needs 27 (capacity / 16 + 2) counters, which
/// must fit in the scratch memory of `capacity` tiles in every storage format.
const LEAST: usize = 8;

/// The update number that a tile set has when it is uploaded. It exceeds the highest age, so the
/// number of the update that created a tile is never negative.
pub(super) const FIRST_UPDATE: u32 = 1 << 8;

/// A tile set that is stored and updated on a GPU. Each list in key order exists twice: the current
/// one and the next one.
///
/// A tile takes 164 bytes in addition to its values: 40 for both lists, 112 for the look-up of its
/// neighbors, and 12 for its age, the stack of unused ids and the positions of new tiles. A change
/// to the tile set recomputes the neighbor ids last, so until then it can use their memory as
/// scratch. Neighbor ids are not stored if they would take more than half as much memory as an
/// array of values. A tile then takes 88 bytes, and the array of a stage serves as scratch.
pub struct DeviceTiledGrid {
    cuda: Arc<Cuda>,
    control: Array<TileControl>,
    keys: [Array<u64>; 2],
    ids: [Array<u32>; 2],
    pub(super) borders: [Array<u32>; 2],
    activity: [Array<u32>; 2],
    look_up: Array<u32>,
    near: Array<u32>,
    born: Array<u32>,
    free: Array<u32>,
    created_at: Array<u32>,
    block_counts: Array<u32>,
    capacity: usize,
}

impl DeviceTiledGrid {
    /// Returns whether the ids of the neighbors are stored side by side, for tiles of `E^3` values
    /// of type `S`. `kernels/tiles/neighbor_ids.cuh` uses the same rule.
    const fn has_near<S, const E: usize>() -> bool {
        E != 4 || size_of::<S>() != 2
    }

    /// Returns the number of bytes that a tile takes in addition to its values of type `S`.
    pub const fn tile_bytes<S, const E: usize>() -> usize {
        let near = if Self::has_near::<S, E>() { NEAR_WORDS } else { 0 };
        2 * 20 + 4 * (LOOK_UP + near + 3)
    }

    /// Returns the capacity to allocate for `tiles` tiles, each with `values` bytes in all arrays
    /// together. The spare room is a twelfth of the tiles, but the total stays below 24 bytes per
    /// tile plus 1.3 times the values. At least 64 tiles are added, so that small tile sets rarely
    /// need to grow.
    pub fn roomy<S, const E: usize>(tiles: usize, values: usize) -> usize {
        let (bytes, most) = (values + Self::tile_bytes::<S, E>(), values * 13 / 10 + 24);
        let more = (tiles / 12).min(tiles * most.saturating_sub(bytes) / bytes);
        tiles + more.max(64)
    }

    /// Uploads a tile set whose values have type `S`, with room for at least `capacity` tiles and
    /// ids. `blocks` is the largest number of thread blocks that count tiles.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn new<S, const E: usize>(
        cuda: &Arc<Cuda>,
        grid: &TiledGrid<E>,
        capacity: usize,
        blocks: u32,
    ) -> Result<Self> {
        let capacity = capacity.max(grid.capacity()).max(LEAST);
        let near = if Self::has_near::<S, E>() { NEAR_WORDS } else { 0 };
        let words = || cuda.zeros::<u32>(capacity);
        let mut on = DeviceTiledGrid {
            control: cuda.zeros(1)?,
            keys: [cuda.zeros(capacity)?, cuda.zeros(capacity)?],
            ids: [words()?, words()?],
            borders: [words()?, words()?],
            activity: [words()?, words()?],
            look_up: cuda.zeros(LOOK_UP * capacity)?,
            near: cuda.zeros(near * capacity)?,
            born: words()?,
            free: words()?,
            created_at: words()?,
            block_counts: cuda.zeros(2 * blocks as usize)?,
            capacity,
            cuda: cuda.clone(),
        };
        let keys: Vec<u64> = grid.keys.iter().map(|key| key.bits()).collect();
        let mut born = vec![0; capacity];
        for (&id, &age) in grid.ids.iter().zip(&grid.ages) {
            born[id as usize] = FIRST_UPDATE - u32::from(age);
        }
        cuda.write(&mut on.keys[0], &keys)?;
        cuda.write(&mut on.ids[0], &grid.ids)?;
        cuda.write(&mut on.borders[0], &grid.borders)?;
        cuda.write(&mut on.activity[0], &grid.activity)?;
        cuda.write(&mut on.born, &born)?;
        cuda.write(&mut on.free, &grid.free)?;
        on.steer(TileControl {
            n_tiles: keys.len() as u32,
            next_id: grid.next_id,
            n_free: grid.free.len() as u32,
            background: u32::from(grid.background),
            updates: FIRST_UPDATE,
            stirred: STIRRED,
            at: [0, 1, 2],
            target: f64::INFINITY,
            ..TileControl::default()
        })?;
        Ok(on)
    }

    /// Returns the argument through which kernels access the lists.
    pub fn argument(&self) -> TileGridArgument {
        let both = |lists: &[Array<u32>; 2]| lists.each_ref().map(Array::address);
        TileGridArgument {
            control: self.control.address(),
            keys: self.keys.each_ref().map(Array::address),
            ids: both(&self.ids),
            borders: both(&self.borders),
            activity: both(&self.activity),
            rows: self.look_up.address(),
            present: self.look_up.address()
                + ((LOOK_UP - 1) * self.capacity * size_of::<u32>()) as u64,
            near: if self.near.is_empty() { 0 } else { self.near.address() },
            born: self.born.address(),
            free: self.free.address(),
            created_at: self.created_at.address(),
            block_counts: self.block_counts.address(),
            capacity: self.capacity as u32,
            padding: 0,
        }
    }

    /// Returns the number of tiles and ids that fit.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the control block on the GPU, for an asynchronous copy.
    pub fn control(&self) -> &Array<TileControl> {
        &self.control
    }

    /// Waits for everything launched before and returns the control block.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if an earlier kernel failed.
    pub fn look(&self) -> Result<TileControl> {
        Ok(self.cuda.download(&self.control)?.first().copied().unwrap_or_default())
    }

    /// Replaces the control block.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails.
    pub fn steer(&mut self, control: TileControl) -> Result<()> {
        self.cuda.write(&mut self.control, &[control])
    }

    /// Makes room for `capacity` tiles and ids and keeps the existing ones. The neighbor look-up
    /// must be recomputed afterwards.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory. The kernel
    /// argument may have changed even then.
    pub fn grow(&mut self, capacity: usize) -> Result<()> {
        let cuda = self.cuda.clone();
        let longer = |list: &mut Array<u32>| -> Result<()> {
            *list = cuda.lengthened(list, capacity)?;
            Ok(())
        };
        for list in &mut self.keys {
            *list = cuda.lengthened(list, capacity)?;
        }
        self.ids.iter_mut().try_for_each(longer)?;
        self.borders.iter_mut().try_for_each(longer)?;
        self.activity.iter_mut().try_for_each(longer)?;
        longer(&mut self.born)?;
        longer(&mut self.free)?;
        // The contents of these arrays are recomputed, so they are not copied.
        self.look_up = cuda.zeros(LOOK_UP * capacity)?;
        self.near = cuda.zeros(self.near.len() / self.capacity * capacity)?;
        self.created_at = cuda.zeros(capacity)?;
        self.capacity = capacity;
        Ok(())
    }

    /// Downloads the tile set to the host.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails.
    pub fn download<const E: usize>(&self) -> Result<TiledGrid<E>> {
        let now = self.look()?;
        let (list, n) = (now.list as usize, now.n_tiles as usize);
        let words = |lists: &[Array<u32>; 2]| self.cuda.download_part(&lists[list], 0..n);
        let keys = self.cuda.download_part(&self.keys[list], 0..n)?;
        let born = self.cuda.download_part(&self.born, 0..now.next_id as usize)?;
        let ids = words(&self.ids)?;
        let age = |id: &u32| now.updates.wrapping_sub(born[*id as usize]).min(255) as u8;
        Ok(TiledGrid {
            keys: keys.into_iter().map(TileKey::from_bits).collect(),
            ages: ids.iter().map(age).collect(),
            ids,
            borders: words(&self.borders)?,
            activity: words(&self.activity)?,
            free: self.cuda.download_part(&self.free, 0..now.n_free as usize)?,
            next_id: now.next_id,
            background: now.background != 0,
            changes: Default::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Fixed16;

    /// Returns the number of bytes per tile, including its share of the spare room, and the upper
    /// bound: 24 plus 1.3 times the bytes of its arrays.
    fn bytes<S, const E: usize>(arrays: usize) -> [f64; 2] {
        let (n, values) = (1_000_000, arrays * E.pow(3) * size_of::<S>());
        let room = DeviceTiledGrid::roomy::<S, E>(n, values);
        assert!(room > n && room <= n + n / 12);
        let each = values + DeviceTiledGrid::tile_bytes::<S, E>();
        [(room * each) as f64 / n as f64, 1.3 * values as f64 + 24.0]
    }

    #[test]
    fn a_tile_takes_no_more_than_its_arrays_allow() {
        for arrays in [2, 3] {
            for [held, most] in [
                bytes::<f64, 4>(arrays),
                bytes::<f32, 4>(arrays),
                bytes::<Fixed16, 4>(arrays),
                bytes::<f64, 8>(arrays),
                bytes::<f32, 8>(arrays),
                bytes::<Fixed16, 8>(arrays),
            ] {
                assert!(held <= most, "{held} bytes of {most} at most, {arrays} arrays");
            }
        }
        // Some spare room is left even if the bound is tight.
        assert!(DeviceTiledGrid::roomy::<Fixed16, 4>(100_000, 256) > 103_000);
        assert!(DeviceTiledGrid::roomy::<f32, 4>(100_000, 512) > 101_500);
        assert_eq!(DeviceTiledGrid::roomy::<f32, 8>(1200, 4096), 1300);
        assert_eq!(DeviceTiledGrid::roomy::<f32, 8>(0, 4096), 64);
    }
}
