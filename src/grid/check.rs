//! Consistency checks of a tile set.

use super::TiledGrid;
use super::activity::{ACTIVE, ALL};
use super::keys::{DIRECTIONS, TOUCHING, TileKey, opposite};
use super::manage::missing;
use super::tile_walks::{Dilated, Walk};

impl<const E: usize> TiledGrid<E> {
    /// Checks the structure of the tile set: the order and range of the keys, the uniqueness of
    /// ids, the signs of missing neighbors, and whether all neighbors of a missing tile agree on
    /// its sign.
    ///
    /// # Errors
    /// Returns a description of the first flaw.
    pub fn check(&self) -> Result<(), String> {
        self.check_lists()?;
        self.check_ids()?;
        self.check_borders()?;
        match self.disagreement() {
            Some(tile) => Err(format!("neighbors of the missing {tile} disagree about its sign")),
            None => Ok(()),
        }
    }

    fn check_lists(&self) -> Result<(), String> {
        let n = self.keys.len();
        let lengths = [self.ids.len(), self.borders.len(), self.activity.len(), self.ages.len()];
        if lengths != [n; 4] {
            return Err(format!("the lists have {n} and {lengths:?} items"));
        }
        if let Some(pair) = self.keys.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(format!("{} comes before {}", pair[0], pair[1]));
        }
        match self.keys.iter().find(|key| key.checked().is_err()) {
            Some(key) => Err(format!("{key} is out of range")),
            None => Ok(()),
        }
    }

    fn check_ids(&self) -> Result<(), String> {
        let mut used = vec![false; self.next_id as usize];
        for &id in self.ids.iter().chain(&self.free) {
            match used.get_mut(id as usize) {
                Some(used) if !*used => *used = true,
                Some(_) => return Err(format!("id {id} is used twice")),
                None => return Err(format!("id {id} was never assigned")),
            }
        }
        match used.iter().position(|used| !used) {
            Some(id) => Err(format!("id {id} is neither used nor free")),
            None => Ok(()),
        }
    }

    /// Checks the sign bits of each tile separately. No bit may be set for a neighbor that is
    /// present, and missing tiles that touch each other must have the same sign.
    fn check_borders(&self) -> Result<(), String> {
        let mut walk = Walk::new(&self.keys);
        for (&key, &border) in self.keys.iter().zip(&self.borders) {
            let missing = missing(&walk.positions(key));
            if border & !missing != 0 {
                return Err(format!("{key} has signs for neighbors that are present: {border:b}"));
            }
            let torn = (0..DIRECTIONS).find(|&d| {
                let near = TOUCHING[d] & missing;
                missing & border & 1 << d != 0 && near & border != near
            });
            if let Some(d) = torn {
                let neighbor = key.neighbor(d);
                return Err(format!("the missing {neighbor} touches missing tiles of other sign"));
            }
        }
        Ok(())
    }

    /// Returns a missing tile whose neighbors record different signs for it, if there is one.
    pub(super) fn disagreement(&self) -> Option<TileKey> {
        let all = TileKey::from_bits(u64::MAX);
        let mut dilated = Dilated::new(&self.keys, TileKey::default(), all);
        let torn = |(_, positions): &(TileKey, [u32; DIRECTIONS])| {
            let there = ALL & !missing(positions) & !ACTIVE;
            let of = |d: usize| self.borders[positions[d] as usize] & 1 << opposite(d) != 0;
            let inside = (0..DIRECTIONS).filter(|&d| there & 1 << d != 0 && of(d)).count();
            inside != 0 && inside != there.count_ones() as usize
        };
        dilated
            .find(|(tile, positions)| self.find(*tile).is_none() && torn(&(*tile, *positions)))
            .map(|(tile, _)| tile)
    }
}
