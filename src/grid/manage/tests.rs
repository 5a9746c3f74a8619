//! Tests of tile management against a reference tile set that directly implements the definitions.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::*;
use crate::grid::keys::step_of;

type Place = [i32; 3];

/// A tile set stored as a map, with the rules applied tile by tile.
#[derive(Clone, Default)]
struct Reference {
    /// The tiles, with their request masks and ages.
    tiles: BTreeMap<Place, (u32, u8)>,
    /// The signs of missing tiles. Tiles that are not listed are outside.
    inside: BTreeMap<Place, bool>,
}

fn next_to(tile: Place, d: usize) -> Place {
    let step = step_of(d);
    std::array::from_fn(|k| tile[k] + step[k])
}

/// Reverses the order of the coordinates, so that sorted tiles are in list order.
fn turned([a, b, c]: Place) -> Place {
    [c, b, a]
}

impl Reference {
    fn sign(&self, tile: Place) -> bool {
        self.inside.get(&tile).copied().unwrap_or(false)
    }

    fn neighbors(tile: Place) -> impl Iterator<Item = (usize, Place)> {
        (0..DIRECTIONS).filter(|&d| d != CENTER).map(move |d| (d, next_to(tile, d)))
    }

    /// Returns the missing tiles that the update must create: those that an active tile requests,
    /// and those next to a tile without a band whose sign differs from theirs.
    fn asked(&self) -> Vec<Place> {
        let mut asked = Vec::new();
        for (&tile, &(mask, _)) in &self.tiles {
            for (d, near) in Self::neighbors(tile) {
                let there = self.tiles.contains_key(&near);
                let wanted = match mask & ACTIVE != 0 {
                    true => mask & 1 << d != 0,
                    false => self.sign(near) != (mask & INSIDE != 0),
                };
                if wanted && !there {
                    asked.push(near);
                }
            }
        }
        asked
    }

    fn stays(&self, tile: Place, mask: u32) -> bool {
        let needed = |(d, near): (usize, Place)| match self.tiles.get(&near) {
            Some((other, _)) => {
                let across = other & ACTIVE == 0 && (other & INSIDE) != (mask & INSIDE);
                other & 1 << opposite(d) != 0 || across
            }
            None => self.sign(near) != (mask & INSIDE != 0),
        };
        mask & ACTIVE != 0 || Self::neighbors(tile).any(needed)
    }

    fn update(&mut self) {
        let asked = self.asked();
        let old = self.clone();
        for (&tile, &(mask, age)) in &old.tiles {
            if old.stays(tile, mask) {
                self.tiles.insert(tile, (mask, age.saturating_add(1)));
            } else {
                self.tiles.remove(&tile);
                self.inside.insert(tile, mask & INSIDE != 0);
            }
        }
        for tile in asked {
            self.tiles.insert(tile, (0, 0));
        }
    }

    fn border(&self, tile: Place) -> u32 {
        Self::neighbors(tile).fold(0, |bits, (d, near)| {
            let missing = !self.tiles.contains_key(&near);
            bits | u32::from(missing && self.sign(near)) << d
        })
    }

    fn grid(&self) -> TiledGrid<4> {
        let mut tiles: Vec<Place> = self.tiles.keys().copied().collect();
        tiles.sort_by_key(|&t| turned(t));
        let keys = tiles.iter().map(|&t| TileKey::new(t).unwrap()).collect();
        let borders = tiles.iter().map(|&t| self.border(t)).collect();
        let activity = tiles.iter().map(|t| self.tiles[t].0).collect();
        TiledGrid::from_lists(keys, borders, activity).unwrap()
    }

    fn compare(&self, grid: &TiledGrid<4>) {
        grid.check().unwrap();
        let mut tiles: Vec<Place> = self.tiles.keys().copied().collect();
        tiles.sort_by_key(|&t| turned(t));
        assert_eq!(grid.keys().iter().map(|k| k.tile()).collect::<Vec<_>>(), tiles);
        for (n, tile) in tiles.into_iter().enumerate() {
            assert_eq!(grid.borders()[n], self.border(tile), "{tile:?}");
            assert_eq!(grid.ages()[n], self.tiles[&tile].1, "{tile:?}");
        }
    }
}

/// Returns a random request mask. On average, `calm` out of 32 masks request nothing. Most of these
/// have the sign of the missing tiles around the tile. The other masks request some of the
/// neighbors.
fn random_mask(random: &mut ChaCha8Rng, calm: u32, border: u32) -> u32 {
    let bits = random.next_u32();
    if bits >> 27 < calm {
        let other = bits & 0x3f == 0;
        return if (border != 0) != other { INSIDE } else { 0 };
    }
    bits & random.next_u32() & random.next_u32() & ALL | ACTIVE
}

/// Returns a hollow or a solid ball of tiles, with the signs of the missing tiles around and in it.
fn start(hollow: bool, radius: i32) -> Reference {
    let mut reference = Reference::default();
    let size = radius + 3;
    for n in 0..(2 * size + 1).pow(3) {
        let edge = 2 * size + 1;
        let tile = [n % edge - size, n / edge % edge - size, n / edge / edge - size];
        let r2: i32 = tile.iter().map(|c| c * c).sum();
        if r2 <= radius * radius && (!hollow || r2 > (radius - 2) * (radius - 2)) {
            reference.tiles.insert(tile, (ACTIVE, 0));
        } else {
            reference.inside.insert(tile, hollow && r2 < radius * radius);
        }
    }
    reference
}

fn walk(seed: u64, hollow: bool, calm: u32) -> Vec<u32> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut reference = start(hollow, 5);
    let mut grid = reference.grid();
    reference.compare(&grid);
    let (mut came, mut went) = (0, 0);
    for step in 0..20 {
        for n in 0..grid.n_tiles() {
            let calm = if step % 5 == 4 { 31 } else { calm };
            let mask = random_mask(&mut random, calm, grid.borders()[n]);
            grid.activity_mut()[n] = mask;
            reference.tiles.get_mut(&grid.keys()[n].tile()).unwrap().0 = mask;
        }
        let (before, ids) = (grid.n_tiles(), grid.clone());
        let status = grid.plan().unwrap();
        assert_eq!((grid.keys(), grid.borders()), (ids.keys(), ids.borders()));
        grid.update();
        reference.update();
        reference.compare(&grid);
        assert_eq!(status.kept + status.deleted, before, "step {step}");
        assert_eq!(status.kept + status.created, grid.n_tiles(), "step {step}");
        assert_eq!(status.capacity, grid.capacity());
        let new: Vec<_> = (0u32..).zip(grid.ages()).filter(|(_, age)| **age == 0).collect();
        let told: Vec<_> = grid.created().iter().map(|c| (c.position, &0)).collect();
        assert_eq!(new, told);
        for tile in grid.created() {
            assert_eq!(grid.ids()[tile.position as usize], tile.id);
            assert_eq!(reference.sign(tile.key.tile()), tile.inside);
        }
        came += status.created;
        went += status.deleted;
    }
    assert!(came > 500 && went > 500, "{came} came, {went} went");
    grid.ids().iter().chain(grid.borders()).copied().collect()
}

#[test]
fn random_changes_are_those_of_the_set() {
    for seed in 0..4 {
        walk(seed, true, 26);
        walk(seed, false, 26);
        walk(seed, true, 29);
    }
}

#[test]
fn threads_change_nothing() {
    let on = |threads| crate::Cpu::new(threads).unwrap().run(|| walk(7, true, 22));
    let one = on(1);
    assert!(one.len() > 4 * CHUNK);
    assert!(one == on(3) && one == on(8));
}

#[test]
fn the_last_tile_goes_and_the_world_keeps_its_sign() {
    for inside in [false, true] {
        let mut reference = Reference::default();
        reference.tiles.insert([0; 3], (if inside { INSIDE } else { 0 }, 0));
        for (_, near) in Reference::neighbors([0; 3]) {
            reference.inside.insert(near, inside);
        }
        let mut grid = reference.grid();
        let status = grid.plan().unwrap();
        assert_eq!(status, Status { kept: 0, created: 0, deleted: 1, capacity: 1 });
        grid.update();
        assert!(grid.n_tiles() == 0 && grid.background() == inside);
        assert_eq!(grid.missing_is_inside(TileKey::new([5, 0, 0]).unwrap()), inside);
        grid.check().unwrap();
        assert_eq!(grid.plan().unwrap().kept, 0);
        grid.update();
    }
}

#[test]
fn an_interface_at_the_end_of_the_range_is_an_error_that_changes_nothing() {
    let mut reference = Reference::default();
    reference.tiles.insert([TileKey::LIMIT, 0, 0], (ALL, 0));
    let mut grid = reference.grid();
    assert!(grid.plan().unwrap_err().to_string().contains("larger dx"));
    grid.update();
    assert_eq!(grid.n_tiles(), 1);
    grid.check().unwrap();
}

#[test]
fn nothing_happens_without_a_plan() {
    let mut grid = start(true, 3).grid();
    let keys = grid.keys().to_vec();
    grid.update();
    assert!(grid.keys() == keys && grid.created().is_empty());
}
