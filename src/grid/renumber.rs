//! Renumbering of tile ids to list order.

use super::{Pool, TiledGrid};

impl<const E: usize> TiledGrid<E> {
    /// Assigns the ids 0, 1, ... to the tiles in list order and moves their values in all pools.
    /// Neighbors are then close in memory again, and unused ids are dropped.
    pub fn renumber<S: Copy + Default + Send>(&mut self, pools: &mut [&mut Pool<S, E>]) {
        // Slot n receives the values of slot from[n]. Slots beyond the list receive unused values.
        let from: Vec<u32> = self.ids.iter().chain(&self.free).copied().collect();
        for pool in pools {
            permute(pool, from.clone());
        }
        (0..).zip(&mut self.ids).for_each(|(n, id)| *id = n);
        self.next_id = self.ids.len() as u32;
        self.free.clear();
    }
}

/// Moves the values of tiles along the cycles of a permutation.
fn permute<S: Copy + Default + Send, const E: usize>(pool: &mut Pool<S, E>, mut from: Vec<u32>) {
    let tile = Pool::<S, E>::TILE;
    let mut first = vec![S::default(); tile];
    for start in 0..from.len() {
        if from[start] as usize == start {
            continue;
        }
        first.copy_from_slice(pool.tile(start as u32));
        let mut slot = start;
        loop {
            let source = std::mem::replace(&mut from[slot], slot as u32) as usize;
            if source == start {
                pool.tile_mut(slot as u32).copy_from_slice(&first);
                break;
            }
            pool.values_mut().copy_within(source * tile..(source + 1) * tile, slot * tile);
            slot = source;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TileKey;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn tiles_keep_their_values(order in Just((0..40u32).collect::<Vec<_>>()).prop_shuffle(), n in 0..40usize) {
            let keys: Vec<_> = (0..n as i32).map(|x| TileKey::new([x, 0, 0]).unwrap()).collect();
            let mut grid = TiledGrid::<4> {
                ids: order[..n].to_vec(), free: order[n..].to_vec(), next_id: 40, keys, ..Default::default()
            };
            let mut pool = Pool::<f32, 4>::new();
            pool.grow(40).unwrap();
            for (position, &id) in order[..n].iter().enumerate() {
                pool.tile_mut(id).fill(position as f32);
            }
            grid.renumber(&mut [&mut pool]);
            prop_assert!(grid.capacity() == n && grid.free.is_empty());
            for (position, &id) in grid.ids().iter().enumerate() {
                prop_assert!(id as usize == position && pool.tile(id) == [position as f32; 64]);
            }
        }
    }
}
