//! A tile set taken apart, to be put away.

use super::{TileKey, TiledGrid};

/// Which tiles there are, and what is known of them; all lists in ascending order of keys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Bits of the keys.
    pub keys: Vec<u64>,
    /// As [`TiledGrid::borders`].
    pub borders: Vec<u32>,
    /// As [`TiledGrid::activity`].
    pub activity: Vec<u32>,
    /// As [`TiledGrid::ages`].
    pub ages: Vec<u8>,
    /// As [`TiledGrid::background`].
    pub background: bool,
}

impl<const E: usize> TiledGrid<E> {
    /// The tile set as plain lists.
    pub fn parts(&self) -> Parts {
        Parts {
            keys: self.keys.iter().map(|key| key.bits()).collect(),
            borders: self.borders.clone(),
            activity: self.activity.clone(),
            ages: self.ages.clone(),
            background: self.background,
        }
    }

    /// A tile set from its lists; the id of a tile is its position.
    ///
    /// # Errors
    /// The first flaw, in words, as [`TiledGrid::check`].
    pub fn from_parts(parts: Parts) -> Result<Self, String> {
        let Parts { keys, borders, activity, ages, background } = parts;
        let next_id = u32::try_from(keys.len()).map_err(|_| format!("{} tiles", keys.len()))?;
        let grid = TiledGrid {
            keys: keys.into_iter().map(TileKey::from_bits).collect(),
            ids: (0..next_id).collect(),
            borders,
            activity,
            ages,
            free: Vec::new(),
            next_id,
            background,
            changes: Default::default(),
        };
        grid.check()?;
        Ok(grid)
    }
}
