//! The lists of a tile set on a GPU.

use std::sync::Arc;

use super::control::{STIRRED, TileControl, TileGridArgument};
use crate::error::Result;
use crate::gpu::{Array, Cuda};
use crate::grid::{TileKey, TiledGrid};

/// Words of a neighbor look-up for each tile: eight rows, and a bit per neighbor.
pub(super) const LOOK_UP: usize = 9;

/// Words for each tile of what passes know of its neighbors (`kernels/tiles/near.cuh`).
pub const NEAR_WORDS: usize = 19;

/// Least capacity: what a change counts, 27 (capacity / 16 + 2) numbers, fits the scratch of so many tiles in all kinds
/// of values.
const LEAST: usize = 8;

/// Number of the update that tiles are handed over with: the oldest age lies before it.
pub(super) const FIRST_UPDATE: u32 = 1 << 8;

/// A tile set on a GPU, which changes there. Lists stand twice, one current and one in the making.
///
/// A tile takes 164 bytes beside its values: 40 for both lists, 112 for the look-up of its neighbors, 12
/// for its age, the stack of unused ids and where new ones stand. Where the tile set changes, the ids of neighbors are
/// made anew last, and their memory is scratch before that. Where those would be half of an array of values they are
/// not kept: 88 bytes, and a stage is scratch.
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
    /// Whether the ids of the neighbors of tiles of `E^3` values `S` stand together
    /// (`kernels/tiles/near.cuh` knows it, too).
    const fn has_near<S, const E: usize>() -> bool {
        E != 4 || size_of::<S>() != 2
    }

    /// Bytes of a tile, beside values of type `S`.
    pub const fn tile_bytes<S, const E: usize>() -> usize {
        let near = if Self::has_near::<S, E>() { NEAR_WORDS } else { 0 };
        2 * 20 + 4 * (LOOK_UP + near + 3)
    }

    /// Room to take for so many tiles that hold `values` bytes each in all arrays: a twelfth more, but no more than
    /// leaves a tile at 1.3 times those and 24 bytes; 64 more at least, so that few tiles do not grow all the time.
    pub fn roomy<S, const E: usize>(tiles: usize, values: usize) -> usize {
        let (bytes, most) = (values + Self::tile_bytes::<S, E>(), values * 13 / 10 + 24);
        let more = (tiles / 12).min(tiles * most.saturating_sub(bytes) / bytes);
        tiles + more.max(64)
    }

    /// A tile set with room for `capacity` tiles and ids, or some more, beside values of type `S`; `blocks` is how
    /// many blocks of a kernel count at most.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory.
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

    /// What kernels take.
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

    /// Tiles and ids there is room for.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The control block, to be fetched without waiting.
    pub fn control(&self) -> &Array<TileControl> {
        &self.control
    }

    /// The control block, after everything launched before.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if a kernel before failed.
    pub fn look(&self) -> Result<TileControl> {
        Ok(self.cuda.download(&self.control)?.first().copied().unwrap_or_default())
    }

    /// Replaces the control block.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if the GPU does not answer.
    pub fn steer(&mut self, control: TileControl) -> Result<()> {
        self.cuda.write(&mut self.control, &[control])
    }

    /// Makes room for more tiles and ids; those that are there stay. The look-up of neighbors must be
    /// made anew.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory; what kernels take has
    /// changed even so.
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
        // Nothing in these outlives a change of the tile set.
        self.look_up = cuda.zeros(LOOK_UP * capacity)?;
        self.near = cuda.zeros(self.near.len() / self.capacity * capacity)?;
        self.created_at = cuda.zeros(capacity)?;
        self.capacity = capacity;
        Ok(())
    }

    /// The tile set as the host keeps one.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device) if the GPU fails.
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

    /// Bytes of a tile with its share of the room behind, and the most: 1.3 times its arrays and 24 bytes.
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
        // Where there is little to spare, some room is left all the same.
        assert!(DeviceTiledGrid::roomy::<Fixed16, 4>(100_000, 256) > 103_000);
        assert!(DeviceTiledGrid::roomy::<f32, 4>(100_000, 512) > 101_500);
        assert_eq!(DeviceTiledGrid::roomy::<f32, 8>(1200, 4096), 1300);
        assert_eq!(DeviceTiledGrid::roomy::<f32, 8>(0, 4096), 64);
    }
}
