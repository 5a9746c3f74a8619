//! Storage of the values of tiles, indexed by tile id.

use crate::error::Result;
use crate::primitives::{DisjointRows, memory};

/// E^3 values for each tile id below a capacity, x fastest. Only the ids that a
/// [`TiledGrid`](super::TiledGrid) has assigned are in use.
#[derive(Clone, Debug, Default)]
pub struct Pool<S, const E: usize> {
    values: Vec<S>,
}

impl<S: Copy + Default + Send, const E: usize> Pool<S, E> {
    /// The number of values of one tile.
    pub const TILE: usize = E * E * E;

    /// Creates a pool without tiles.
    pub fn new() -> Self {
        Pool { values: Vec::new() }
    }

    /// Grows the pool to hold the ids below `tiles`. Existing values are kept. If there is enough
    /// memory, the pool reserves an eighth more than requested, so that growing by a few tiles is
    /// cheap.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory. The pool is
    /// then unchanged.
    pub fn grow(&mut self, tiles: usize) -> Result<()> {
        let more = tiles.saturating_mul(Self::TILE).saturating_sub(self.values.len());
        memory::reserve(&mut self.values, more, "values of tiles", REMEDY)?;
        self.values.resize(self.values.len() + more, S::default());
        Ok(())
    }

    /// Returns the number of ids that the pool has room for.
    pub fn n_tiles(&self) -> usize {
        self.values.len() / Self::TILE
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        (self.values.capacity() * size_of::<S>()) as u64
    }

    /// Returns the `E^3` values of one tile, x fastest.
    pub fn tile(&self, id: u32) -> &[S] {
        let start = id as usize * Self::TILE;
        &self.values[start..start + Self::TILE]
    }

    /// Returns the `E^3` values of one tile for writing, x fastest.
    pub fn tile_mut(&mut self, id: u32) -> &mut [S] {
        let start = id as usize * Self::TILE;
        &mut self.values[start..start + Self::TILE]
    }

    /// Returns all values, tile by tile in order of ids.
    pub fn values(&self) -> &[S] {
        &self.values
    }

    /// Returns all values for writing, tile by tile in order of ids.
    pub fn values_mut(&mut self) -> &mut [S] {
        &mut self.values
    }

    /// Returns shared access for tasks that write different tiles.
    pub(super) fn disjoint(&mut self) -> DisjointRows<'_, S> {
        DisjointRows::new(&mut self.values)
    }
}

/// The remedy to suggest if tiles do not fit in memory.
pub const REMEDY: &str =
    "use a larger dx, a narrower band, precision \"f32\" or 16-bit storage, or more memory";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_keeps_the_values() {
        let mut pool = Pool::<f32, 4>::new();
        for (n, tiles) in [1, 2, 7, 7, 3, 50, 1000].into_iter().enumerate() {
            let before = pool.values().to_vec();
            pool.grow(tiles).unwrap();
            assert_eq!(&pool.values()[..before.len()], &before);
            assert!(pool.n_tiles() >= tiles && pool.n_tiles() * 64 >= before.len());
            let last = pool.n_tiles() as u32 - 1;
            pool.tile_mut(last).fill(n as f32);
        }
        assert!(pool.bytes() >= 1000 * 64 * 4 && pool.bytes() < 1200 * 64 * 4);
    }

    #[test]
    fn what_does_not_fit_is_an_error_and_changes_nothing() {
        let mut pool = Pool::<f64, 8>::new();
        pool.grow(2).unwrap();
        pool.tile_mut(1).fill(7.0);
        let error = pool.grow(1 << 40).unwrap_err();
        assert_eq!(error.exit_code(), 5);
        assert!(error.to_string().contains("values of tiles"), "{error}");
        assert!(pool.n_tiles() == 2 && pool.tile(1) == [7.0; 512]);
    }
}
