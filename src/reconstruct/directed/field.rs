//! The directed distance at the vertices around seed cubes, stored in tiles of vertices.

use super::lattice::{Lattice, TILE};
use super::seeds::{Sample, Seed, Seeds};
use crate::error::{DeviceFault, Error, Result};
use crate::parallel::*;
use crate::surface::cubes::Blocks;

/// Vertices per tile.
pub(super) const VERTICES: usize = (TILE * TILE * TILE) as usize;
/// Bytes per vertex: its distance and its sample.
const BYTES: u64 = 8;
/// Marks a vertex without a sample.
const NONE: u32 = u32::MAX;

/// Directed distances, tile by tile. A tile holds the lower corners of its cubes.
pub(super) struct Field {
    lattice: Lattice,
    /// Keys of the tiles, ascending.
    keys: Vec<u64>,
    /// Directed distance at each vertex, in cube edges, negative inside. NaN far from all samples.
    values: Vec<f32>,
    /// The sample of each distance, as an index into [`Seeds::samples`], or [`NONE`].
    nearest: Vec<u32>,
}

/// The nearest sample found so far for a vertex.
#[derive(Clone, Copy)]
pub(super) struct Closest {
    distance2: f64,
    number: u32,
    /// Index into [`Seeds::samples`], or [`NONE`].
    pub sample: u32,
}

impl Closest {
    /// No sample.
    pub const FAR: Closest = Closest { distance2: f64::INFINITY, number: NONE, sample: NONE };

    /// Takes a sample if it is nearer than the current one, or equally near and earlier in the
    /// cloud. `number` is its index in the cloud.
    pub fn offer(&mut self, distance2: f64, number: u32, sample: u32) {
        let equal = distance2 == self.distance2 && number < self.number;
        if distance2 < self.distance2 || equal {
            *self = Closest { distance2, number, sample };
        }
    }

    /// Returns the sample.
    pub fn of(self, seeds: &Seeds) -> Option<&Sample> {
        seeds.samples.get(self.sample as usize)
    }
}

impl Field {
    /// Computes the field at each vertex c around the seed cubes: f(c) = (c - o) . n. Here, o is
    /// the nearest sample among those whose cubes lie within one ring of c, and n is its normal.
    ///
    /// # Errors
    /// Returns the errors of [`Field::fill_tiles`].
    pub fn new(seeds: &Seeds, lattice: &Lattice, available: Option<u64>) -> Result<Self> {
        let keys = tiles_around(seeds, lattice);
        Field::fill_tiles(*lattice, keys, available, |tile, values, nearest| {
            let mut found = [Closest::FAR; VERTICES];
            for_each_seed(seeds, lattice, tile, |low, seed| {
                offer(&mut found, &seeds.samples, tile, low, &seed);
            });
            for (v, found) in found.iter().enumerate() {
                nearest[v] = found.sample;
                values[v] = match found.of(seeds) {
                    Some(sample) => directed(offset(tile, v), sample) as f32,
                    None => f32::NAN,
                };
            }
        })
    }

    /// Creates a field of the tiles with the given keys. `fill` receives a tile and writes the
    /// distances of its vertices and the samples that they come from, as indices into
    /// [`Seeds::samples`] or [`NONE`].
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the field needs more than `available` bytes. The check is
    /// skipped if that number is unknown.
    pub fn fill_tiles(
        lattice: Lattice,
        keys: Vec<u64>,
        available: Option<u64>,
        fill: impl Fn([u32; 3], &mut [f32], &mut [u32]) + Sync,
    ) -> Result<Self> {
        let bytes = (keys.len() * VERTICES) as u64 * BYTES;
        if let Some(free) = available.filter(|free| bytes > *free) {
            let what = format!(
                "{} tiles of cubes need {} MiB, but {} MiB are free",
                keys.len(),
                bytes >> 20,
                free >> 20
            );
            return Err(Error::device_fault(
                DeviceFault::memory(bytes, free),
                what,
                "use larger cubes",
            ));
        }
        let mut values = vec![0.0_f32; VERTICES * keys.len()];
        let mut nearest = vec![0_u32; VERTICES * keys.len()];
        let tiles = values.par_chunks_mut(VERTICES).zip(nearest.par_chunks_mut(VERTICES));
        tiles.zip(&keys).for_each(|((values, nearest), &key)| {
            fill(lattice.tile(key), values, nearest);
        });
        Ok(Field { lattice, keys, values, nearest })
    }

    /// Returns the number of tiles.
    pub fn n_tiles(&self) -> usize {
        self.keys.len()
    }

    /// Returns the tiles at offsets -1 to 1 from a tile along each axis, x fastest.
    pub fn around(&self, t: usize) -> [Option<usize>; 27] {
        let tile = self.lattice.tile(self.keys[t]);
        std::array::from_fn(|d| {
            let key = self.lattice.tile_key(beside(tile, step(d))?);
            self.keys.binary_search(&key).ok()
        })
    }

    /// Returns the distances of a tile, x fastest.
    pub fn of_tile(&self, t: usize) -> &[f32] {
        &self.values[t * VERTICES..][..VERTICES]
    }

    /// Moves vertex `v` of a tile to the other side by changing the sign of its distance. A
    /// distance of 0, which counts as outside, becomes a negative number close to it.
    pub fn turn(&mut self, t: usize, v: usize) {
        let value = &mut self.values[t * VERTICES + v];
        *value = if *value == 0.0 { -f32::MIN_POSITIVE } else { -*value };
    }

    /// Returns the sample of the distance at a vertex, as an index into [`Seeds::samples`], or
    /// `None` if the vertex has no sample.
    pub fn nearest(&self, vertex: [u32; 3]) -> Option<u32> {
        let tile = self.lattice.tile_key(vertex.map(|c| c / TILE));
        let t = self.keys.binary_search(&tile).ok()?;
        let [x, y, z] = vertex.map(|c| (c % TILE) as usize);
        let found = self.nearest[t * VERTICES + x + 8 * (y + 8 * z)];
        (found != NONE).then_some(found)
    }
}

/// Returns the position of a vertex of a tile, in lattice units.
pub(super) fn offset(tile: [u32; 3], v: usize) -> [f64; 3] {
    let within = [v % 8, v / 8 % 8, v / 64];
    [0, 1, 2].map(|k| f64::from(tile[k] * TILE + within[k] as u32))
}

/// Returns the signed distance of a point from the tangent plane of a sample, positive on the side
/// of its normal.
pub(super) fn directed(place: [f64; 3], sample: &Sample) -> f64 {
    (0..3).map(|k| (place[k] - sample.point[k]) * sample.normal[k]).sum()
}

/// Returns the keys of the tiles that contain vertices in the one-ring of a seed cube, in ascending
/// order.
fn tiles_around(seeds: &Seeds, lattice: &Lattice) -> Vec<u64> {
    tiles_reached(seeds, lattice, |key| {
        seeds.of_tile(key).map(|seed| {
            // The ring reaches from one vertex below the lower corner of the cube to two above it.
            seed.within.map(|c| match c {
                0 => 0b011,
                c if c >= TILE - 2 => 0b110,
                _ => 0b010,
            })
        })
    })
}

/// Returns the keys of the tiles that seeds or samples reach, in ascending order.
///
/// `of_tile` receives the key of a tile with seeds. It returns, for each of its seeds or samples,
/// the tiles that it reaches along each axis: bit s + 1 stands for the tile at offset s.
pub(super) fn tiles_reached<I: Iterator<Item = [u32; 3]>>(
    seeds: &Seeds,
    lattice: &Lattice,
    of_tile: impl Fn(u64) -> I + Sync,
) -> Vec<u64> {
    let around = |&key: &u64| {
        let mut reached = 0_u32;
        for sides in of_tile(key) {
            for d in 0..27 {
                let on = (sides[0] >> (d % 3)) & (sides[1] >> (d / 3 % 3)) & (sides[2] >> (d / 9));
                reached |= (on & 1) << d;
            }
        }
        let tile = lattice.tile(key);
        (0..27_u32).filter(move |d| reached >> d & 1 == 1).map(move |d| {
            let place = [d % 3, d / 3 % 3, d / 9];
            lattice.tile_key([0, 1, 2].map(|k| tile[k] + place[k] - 1))
        })
    };
    let mut keys: Vec<u64> = seeds.tiles().par_iter().flat_map_iter(around).collect();
    keys.par_sort_unstable();
    keys.dedup();
    keys
}

/// Visits the seed cubes whose rings have vertices in a tile. Passes the lower corner of each cube
/// relative to the lower corner of the tile.
fn for_each_seed(
    seeds: &Seeds,
    lattice: &Lattice,
    tile: [u32; 3],
    mut visit: impl FnMut([i32; 3], Seed),
) {
    for step in (0..27).map(step) {
        let Some(place) = beside(tile, step) else { continue };
        for seed in seeds.of_tile(lattice.tile_key(place)) {
            let low = [0, 1, 2].map(|k| seed.within[k] as i32 + 8 * step[k]);
            if low.iter().all(|&c| (-2..=8).contains(&c)) {
                visit(low, seed);
            }
        }
    }
}

/// Returns step `d` of the 27 steps by -1, 0 or 1 along each axis, x fastest.
pub(super) fn step(d: usize) -> [i32; 3] {
    [d % 3, d / 3 % 3, d / 9].map(|c| c as i32 - 1)
}

/// Returns the neighbor of `tile` in the direction `step`, or `None` if a coordinate would be
/// negative.
pub(super) fn beside(tile: [u32; 3], step: [i32; 3]) -> Option<[u32; 3]> {
    let mut place = tile;
    for k in 0..3 {
        place[k] = place[k].checked_add_signed(step[k])?;
    }
    Some(place)
}

/// Offers the samples of a seed cube to the vertices of its ring that lie in the tile. Each vertex
/// keeps the nearest sample, and the first one of the cloud if several are equally near.
fn offer(
    found: &mut [Closest; VERTICES],
    samples: &[Sample],
    tile: [u32; 3],
    low: [i32; 3],
    seed: &Seed,
) {
    let [xs, ys, zs] = low.map(|c| (c - 1).max(0) as usize..(c + 3).min(8) as usize);
    for k in seed.samples.clone() {
        let Sample { point, number, .. } = samples[k];
        let [px, py, pz] = [0, 1, 2].map(|a| point[a] - f64::from(tile[a] * TILE));
        for z in zs.clone() {
            let dz = z as f64 - pz;
            for y in ys.clone() {
                let dy = y as f64 - py;
                let across = dz * dz + dy * dy;
                let row = &mut found[8 * (y + 8 * z)..][..8];
                for x in xs.clone() {
                    let dx = x as f64 - px;
                    let distance2 = across + dx * dx;
                    row[x].offer(distance2, number, k as u32);
                }
            }
        }
    }
}

impl Blocks<f32> for Field {
    fn edge(&self) -> usize {
        TILE as usize
    }

    fn len(&self) -> usize {
        self.keys.len()
    }

    fn corner(&self, block: usize) -> [i32; 3] {
        self.lattice.tile(self.keys[block]).map(|c| (c * TILE) as i32)
    }

    fn fill(&self, block: usize, reach: usize, values: &mut [f32]) {
        values.fill(f32::NAN);
        let (n, reach) = (8 + 2 * reach, reach as i32);
        for (d, t) in self.around(block).into_iter().enumerate() {
            let (Some(t), step) = (t, step(d)) else { continue };
            let of_tile = self.of_tile(t);
            // The part of the block, including its halo, that this tile covers.
            let [xs, ys, zs] = step.map(|s| (-reach).max(8 * s)..(8 + reach).min(8 * s + 8));
            for z in zs {
                for y in ys.clone() {
                    let from =
                        (xs.start - 8 * step[0]) + 8 * ((y - 8 * step[1]) + 8 * (z - 8 * step[2]));
                    let into = (xs.start + reach) as usize
                        + n * ((y + reach) as usize + n * (z + reach) as usize);
                    let length = xs.len();
                    values[into..into + length]
                        .copy_from_slice(&of_tile[from as usize..from as usize + length]);
                }
            }
        }
    }
}
