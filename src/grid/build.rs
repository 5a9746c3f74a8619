//! Construction of the initial tile set from a function of space.

mod layers;

use std::collections::HashSet;

use super::activity::{ACTIVE, ALL, INSIDE};
use super::fill::{Fill, Seen, fill_tile, jump};
use super::keys::TileKey;
use super::manage::{Asked, Creator, missing, too_many};
use super::tile_passes::CHUNK;
use super::tile_walks::Walk;
use super::{Band, Pool, Stored, TiledGrid};
use crate::error::Result;
use crate::geometry::Real;
use crate::parallel::*;

impl<const E: usize> TiledGrid<E> {
    /// Builds the tile set around the interface that passes through the seed tiles, and computes
    /// its values.
    ///
    /// Each tile with active voxels adds the neighbors that it requests. This repeats generation by
    /// generation until no new tile appears, so the cost is proportional to the area of the
    /// interface. Components of the interface that are not connected to a seed are not found.
    /// `fill` may return an error to stop a search that goes too far.
    ///
    /// # Errors
    /// Returns the first error of `fill`, if any. Returns
    /// [`Error::Numerical`](crate::Error::Numerical) if a value is NaN, if the interface leaves the
    /// range of tiles, or if phi jumps across the band. Returns
    /// [`Error::Device`](crate::Error::Device) if there is not enough memory.
    pub fn from_seeds<R: Real, S: Stored<R>>(
        seeds: impl IntoIterator<Item = [i32; 3]>,
        band: Band<R>,
        fill: impl Fill<R>,
    ) -> Result<(Self, Pool<S, E>)> {
        let mut flood = Flood::<S, E>::default();
        let mut front = seeds.into_iter().map(TileKey::new).collect::<Result<Vec<_>>>()?;
        front.sort_unstable();
        front.dedup();
        let mut asked = Asked::default();
        while !front.is_empty() {
            flood.known.extend(&front);
            let news = flood.look_at(&front, band, &fill)?;
            asked.refresh(front.iter().zip(news).filter_map(|(&key, seen)| seen.creator(key)));
            front.clear();
            for (tile, _) in asked.tiles().filter(|(tile, _)| !flood.known.contains(tile)) {
                front.push(tile.checked()?);
            }
        }
        flood.finish()
    }

    /// Creates a tile set from tiles in ascending order of keys. The id of each tile is its list
    /// position. Bits of `borders` for neighbors that are present are cleared.
    pub(super) fn from_lists(
        mut keys: Vec<TileKey>,
        mut borders: Vec<u32>,
        mut activity: Vec<u32>,
    ) -> Result<Self> {
        keys.shrink_to_fit();
        borders.shrink_to_fit();
        activity.shrink_to_fit();
        let ages = vec![0; keys.len()];
        let mut grid = Self::of(keys, borders, activity, ages)?;
        grid.clear_present();
        grid.refresh_background();
        Ok(grid)
    }

    pub(super) fn of(
        keys: Vec<TileKey>,
        borders: Vec<u32>,
        activity: Vec<u32>,
        ages: Vec<u8>,
    ) -> Result<Self> {
        const { assert!(E == 4 || E == 8, "tiles have 4 or 8 voxels along each axis") };
        let n = keys.len();
        let next_id = u32::try_from(n).ok().filter(|n| *n < u32::MAX).ok_or_else(|| too_many(n))?;
        let ids = (0..next_id).collect();
        let (free, background, changes) = (Vec::new(), false, Default::default());
        Ok(TiledGrid { keys, ids, borders, activity, ages, free, next_id, background, changes })
    }

    /// Clears the sign bits of neighbors that are present.
    fn clear_present(&mut self) {
        let keys = &self.keys;
        let chunks = self.borders.par_chunks_mut(CHUNK).zip(keys.par_chunks(CHUNK));
        chunks.for_each(|(borders, tiles)| {
            let mut walk = Walk::new(keys);
            for (border, &tile) in borders.iter_mut().zip(tiles) {
                *border &= missing(&walk.positions(tile));
            }
        });
    }
}

/// The tiles visited so far, one generation after another. The tiles of a generation are in
/// ascending order. The id of a tile in the pool is its index in `keys`.
struct Flood<S, const E: usize> {
    keys: Vec<TileKey>,
    seen: Vec<Seen>,
    phi: Pool<S, E>,
    known: HashSet<TileKey>,
}

impl<S, const E: usize> Default for Flood<S, E>
where
    Pool<S, E>: Default,
{
    fn default() -> Self {
        Flood { keys: vec![], seen: vec![], phi: Pool::default(), known: HashSet::new() }
    }
}

impl<S: Copy + Default + Send + Sync, const E: usize> Flood<S, E> {
    /// Computes the values of the tiles of one generation, and returns the properties of these
    /// tiles.
    fn look_at<R: Real>(
        &mut self,
        front: &[TileKey],
        band: Band<R>,
        fill: &impl Fill<R>,
    ) -> Result<&[Seen]>
    where
        S: Stored<R>,
    {
        let before = self.keys.len();
        self.phi.grow(before + front.len())?;
        self.keys.extend_from_slice(front);
        self.seen.resize(self.keys.len(), Seen::default());
        let tile = Pool::<S, E>::TILE;
        let values = self.phi.values_mut()[before * tile..].par_chunks_exact_mut(tile);
        let tiles = front.par_iter().zip(&mut self.seen[before..]).zip(values);
        let failed = tiles
            .with_min_len(16)
            .map_init(
                || vec![R::zero(); tile],
                |scratch, ((&key, seen), out)| {
                    *seen = fill_tile::<E, R, S>(key, band, fill, scratch, out)?;
                    Ok(())
                },
            )
            .find_map_first(Result::err);
        failed.map_or(Ok(&self.seen[before..]), Err)
    }

    /// Sorts the tiles, records the signs of missing neighbors, and drops seeds without active
    /// voxels that no tile requests. Returns an error if phi jumps across the band.
    fn finish(self) -> Result<(TiledGrid<E>, Pool<S, E>)> {
        let Flood { keys, seen, mut phi, known } = self;
        drop(known);
        let mut order: Vec<u32> = (0..keys.len() as u32).collect();
        order.par_sort_unstable_by_key(|&n| keys[n as usize]);
        let in_order = |n: &u32| seen[*n as usize];
        let borders = order.iter().map(in_order).map(Seen::borders).collect();
        let activity = order.iter().map(in_order).map(|seen| seen.activity).collect();
        let keys = order.iter().map(|&n| keys[n as usize]).collect();
        let mut grid = TiledGrid::from_lists(keys, borders, activity)?;
        grid.ids = order;
        if let Some(tile) = grid.disagreement() {
            return Err(jump(tile));
        }
        // An ordinary update of the tile set removes seeds far from the interface.
        let status = grid.plan()?;
        if let (1.., Some(tile)) = (status.created, grid.created().first()) {
            return Err(jump(tile.key));
        }
        grid.update();
        grid.ages.fill(0);
        grid.renumber(&mut [&mut phi]);
        Ok((grid, phi))
    }
}

impl Seen {
    /// Returns the neighbors that a tile adds to the next generation, if any. These are the
    /// requested neighbors, and the neighbors next to which this tile has voxels of both signs. The
    /// sign of such a neighbor would be unknown if it were missing. A tile without active voxels
    /// adds no neighbors.
    fn creator(&self, key: TileKey) -> Option<Creator> {
        let wanted = (self.activity | (self.inside & self.outside)) & ALL & !ACTIVE;
        let active = self.activity & ACTIVE != 0;
        (active && wanted != 0).then_some(Creator { key, wanted, border: 0 })
    }

    /// Returns the signs that the neighbors would have if all of them were missing. They are the
    /// signs of the adjacent voxels of this tile.
    fn borders(self) -> u32 {
        match self.activity & (ACTIVE | INSIDE) {
            0 => 0,
            INSIDE => ALL & !ACTIVE,
            _ => self.inside & !ACTIVE,
        }
    }
}

#[cfg(test)]
mod tests;
