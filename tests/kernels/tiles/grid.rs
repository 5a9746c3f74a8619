//! Tile sets in host memory, laid out as the kernels expect them.

use zeroset::grid::cuda::{NEAR_WORDS, TileControl, TileGridArgument};
use zeroset::grid::{Band, CENTER, Pool, Stored, TileKey, TiledGrid};

use crate::library::{Arg, Launch, Library, arg};

/// The index of the current update when the host hands over its tiles. Ages are counted backward
/// from it.
const UPDATES: u32 = 300;

/// The lists of a tile set, with room for more tiles than it has.
pub struct HostTiles {
    capacity: usize,
    pub control: Box<TileControl>,
    keys: [Vec<u64>; 2],
    words: Vec<Vec<u32>>,
    counts: Vec<u32>,
    near: Vec<u64>,
    /// Whether the ids of the neighbors of each tile are stored. Tiles of 4^3 values in 16 bits do
    /// not store them.
    pub has_near: bool,
}

/// Indices into `HostTiles::words`.
const IDS: usize = 0;
const BORDERS: usize = 2;
const ACTIVITY: usize = 4;
const BORN: usize = 6;
const N_WORDS: usize = 10;

impl HostTiles {
    pub fn new<const E: usize>(grid: &TiledGrid<E>, capacity: usize, blocks: u32) -> Self {
        assert!(grid.capacity() == grid.n_tiles() && capacity >= grid.n_tiles());
        let mut tiles = HostTiles {
            capacity,
            control: Box::new(TileControl {
                n_tiles: grid.n_tiles() as u32,
                next_id: grid.capacity() as u32,
                background: u32::from(grid.background()),
                updates: UPDATES,
                at: [0, 1, 2],
                stirred: 1,
                ..TileControl::default()
            }),
            keys: [vec![!0; capacity], vec![!0; capacity]],
            words: vec![vec![!0; capacity]; N_WORDS],
            counts: vec![!0; 2 * blocks as usize + 8 * capacity],
            // The kernels also write 64-bit keys to this array.
            near: vec![!0; (NEAR_WORDS * capacity).div_ceil(2)],
            has_near: true,
        };
        for (p, key) in grid.keys().iter().enumerate() {
            tiles.keys[0][p] = key.bits();
            tiles.words[IDS][p] = grid.ids()[p];
            tiles.words[BORDERS][p] = grid.borders()[p];
            tiles.words[ACTIVITY][p] = grid.activity()[p];
            tiles.words[BORN][grid.ids()[p] as usize] = UPDATES - u32::from(grid.ages()[p]);
        }
        tiles
    }

    pub fn argument(&mut self) -> TileGridArgument {
        let capacity = self.capacity;
        let mut words = self.words.iter_mut().map(|list| list.as_mut_ptr() as u64);
        let mut next = || words.next().unwrap();
        let counts = self.counts.as_mut_ptr();
        TileGridArgument {
            control: (&raw mut *self.control) as u64,
            keys: self.keys.each_mut().map(|list| list.as_mut_ptr() as u64),
            ids: [next(), next()],
            borders: [next(), next()],
            activity: [next(), next()],
            born: next(),
            free: next(),
            present: next(),
            created_at: next(),
            rows: counts as u64,
            near: if self.has_near { self.near.as_mut_ptr() as u64 } else { 0 },
            block_counts: counts.wrapping_add(8 * capacity) as u64,
            capacity: capacity as u32,
            padding: 0,
        }
    }

    fn list(&self, first: usize) -> &[u32] {
        &self.words[first + self.control.list as usize][..self.control.n_tiles as usize]
    }

    pub fn keys(&self) -> &[u64] {
        &self.keys[self.control.list as usize][..self.control.n_tiles as usize]
    }

    pub fn ids(&self) -> &[u32] {
        self.list(IDS)
    }

    pub fn borders(&self) -> &[u32] {
        self.list(BORDERS)
    }

    pub fn activity(&self) -> &[u32] {
        self.list(ACTIVITY)
    }

    /// Sets the activity of each tile.
    pub fn set_activity(&mut self, activity: &[u32]) {
        let list = ACTIVITY + self.control.list as usize;
        self.words[list][..activity.len()].copy_from_slice(activity);
        // This makes the kernels behave as if a missing tile were needed.
        self.control.stirred = 3;
    }

    pub fn ages(&self) -> Vec<u8> {
        let age = |id: &u32| self.control.updates - self.words[BORN][*id as usize];
        self.ids().iter().map(|id| age(id).min(255) as u8).collect()
    }

    /// Asserts that the tile sets are equal, including ids and ages.
    pub fn compare<const E: usize>(&self, grid: &TiledGrid<E>) {
        let keys: Vec<u64> = grid.keys().iter().map(|key| key.bits()).collect();
        assert_eq!(self.keys(), keys);
        assert_eq!(self.ids(), grid.ids());
        assert_eq!(self.borders(), grid.borders());
        assert_eq!(self.ages(), grid.ages());
        assert_eq!(self.control.next_id as usize, grid.capacity());
        assert_eq!(self.control.background == 1, grid.background());
    }
}

/// Creates the tiles near the zero set of a function of the voxel position.
pub fn tiles<const E: usize, S: Stored<f64>>(
    most: i32,
    band: Band<f64>,
    phi: impl Fn([f64; 3]) -> f64 + Sync,
) -> (TiledGrid<E>, Pool<S, E>) {
    TiledGrid::from_box([-most; 3], [most; 3], band, |first: [i32; 3], out: &mut [f64]| {
        for (n, value) in out.iter_mut().enumerate() {
            let place = [n % E, n / E % E, n / (E * E)];
            *value = phi([0, 1, 2].map(|k| f64::from(first[k] + place[k] as i32)));
        }
        Ok(())
    })
    .unwrap()
}

/// Launches a kernel with all of its blocks resident.
pub fn launch(library: &Library, kernel: &str, how: (u32, u32), seed: u64, args: &[Arg]) {
    let (blocks, threads) = how;
    let how = Launch { resident: blocks, seed, ..Launch::new(blocks, threads) };
    // SAFETY: lists and values have the lengths that the structs of the kernels document.
    let done = unsafe { library.launch(kernel, &how, args) };
    done.unwrap_or_else(|e| panic!("{kernel}, seed {seed}: {e}"));
}

/// Builds the lookup table of neighbors.
pub fn look_up(library: &Library, tiles: &mut HostTiles) {
    launch(library, "tiles_look_up", (2, 256), 1, &[arg(tiles.argument())]);
}

/// Returns a tile at the end of the key range.
pub fn last_tile() -> TileKey {
    TileKey::new([TileKey::LIMIT, 0, 0]).unwrap()
}

/// The activity bit of a tile that contains a part of the narrow band.
pub const ACTIVE: u32 = 1 << CENTER;
