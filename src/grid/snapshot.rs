//! A tile set taken apart, to be put away, and put together again.

use super::{TileKey, TiledGrid};

/// Which tiles there are, and what is known of them; all lists in ascending order of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Bits of the keys.
    pub keys: Vec<u64>,
    /// As [`TiledGrid::borders`].
    pub borders: Vec<u32>,
    /// As [`TiledGrid::ages`].
    pub ages: Vec<u8>,
    /// As [`TiledGrid::background`].
    pub background: bool,
}

impl<const E: usize> TiledGrid<E> {
    /// The tile set as plain lists, without what tiles ask for, which is found anew in each step.
    pub fn parts(&self) -> Parts {
        Parts {
            keys: self.keys.iter().map(|key| key.bits()).collect(),
            borders: self.borders.clone(),
            ages: self.ages.clone(),
            background: self.background,
        }
    }

    /// A tile set from its lists; the id of a tile is its position.
    ///
    /// # Errors
    /// What [`TiledGrid::check`] finds wrong, or that there are too many tiles.
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
