//! Conversion of a tile set to plain lists for a snapshot or checkpoint, and back.

use super::{TileKey, TiledGrid};

/// A tile set as plain lists, in ascending order of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The keys as integers, one for each tile in list order.
    pub keys: Vec<u64>,
    /// The signs of missing neighbors; see [`TiledGrid::borders`].
    pub borders: Vec<u32>,
    /// The ages of the tiles; see [`TiledGrid::ages`].
    pub ages: Vec<u8>,
    /// Whether the space beyond all tiles is inside.
    pub background: bool,
}

impl<const E: usize> TiledGrid<E> {
    /// Returns the tile set as plain lists. Requests are not included, because each step recomputes
    /// them.
    pub fn parts(&self) -> Parts {
        Parts {
            keys: self.keys.iter().map(|key| key.bits()).collect(),
            borders: self.borders.clone(),
            ages: self.ages.clone(),
            background: self.background,
        }
    }

    /// Creates a tile set from its lists. The id of each tile is its list position.
    ///
    /// # Errors
    /// Returns the flaw that [`TiledGrid::check`] finds, or a message if there are too many tiles.
    pub fn restore(parts: Parts) -> std::result::Result<Self, String> {
        let Parts { keys, borders, ages, background } = parts;
        let keys: Vec<TileKey> = keys.into_iter().map(TileKey::from_bits).collect();
        let activity = vec![0; keys.len()];
        let mut grid = Self::of(keys, borders, activity, ages).map_err(|e| e.to_string())?;
        grid.background = background;
        grid.check()?;
        Ok(grid)
    }
}
