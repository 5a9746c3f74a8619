//! Samples sorted by cube, and seed cubes: the cubes that contain samples.

use std::ops::Range;

use super::lattice::{Lattice, TILE};
use crate::cloud::PointCloud;
use crate::parallel::*;
use crate::primitives::{Unique, sort, unique};

/// A sample in lattice units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub point: [f64; 3],
    /// Unit normal. Zero if the normal in the cloud is zero or not finite.
    pub normal: [f64; 3],
    /// Index in the cloud.
    pub number: u32,
}

/// Samples sorted by cube, and cubes sorted by tile.
pub(super) struct Seeds {
    /// The samples, in ascending order of the cube keys. Samples of the same cube keep the order of
    /// the cloud.
    pub samples: Vec<Sample>,
    /// The key of each seed cube, and the index of its first sample.
    cubes: Unique<u64>,
    /// The key of each tile with seed cubes, and the index of its first seed cube.
    tiles: Unique<u64>,
}

/// A seed cube: its position within its tile, and its samples.
pub(super) struct Seed {
    pub within: [u32; 3],
    /// Indices into [`Seeds::samples`].
    pub samples: Range<usize>,
}

impl Seeds {
    /// Sorts the samples of a cloud with normals by cube.
    pub fn new(cloud: &PointCloud, normals: &[[f32; 3]], lattice: &Lattice) -> Self {
        let cube_of = |x: &[f64; 3]| lattice.key(lattice.inside(*x).map(|c| c as u32));
        let keys: Vec<u64> = cloud.points.par_iter().map(cube_of).collect();
        let sorted = sort(&keys, None, lattice.key_bits());
        let sample = |&number: &u32| {
            let n = normals[number as usize].map(f64::from);
            let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
            let normal =
                if length > 0.0 && length.is_finite() { n.map(|x| x / length) } else { [0.0; 3] };
            let point = lattice.inside(cloud.points[number as usize]);
            Sample { point, normal, number }
        };
        let samples = sorted.values.par_iter().map(sample).collect();
        let cubes = unique(&sorted.keys);
        let tile_of: Vec<u64> = cubes.items.par_iter().map(|key| key >> 9).collect();
        Seeds { samples, cubes, tiles: unique(&tile_of) }
    }

    /// Returns the number of seed cubes.
    pub fn len(&self) -> usize {
        self.cubes.items.len()
    }

    /// Returns the keys of the tiles that have seed cubes.
    pub fn tiles(&self) -> &[u64] {
        &self.tiles.items
    }

    /// Iterates over the seed cubes of a tile.
    pub fn of_tile(&self, key: u64) -> impl Iterator<Item = Seed> + '_ {
        let cubes = match self.tiles.items.binary_search(&key) {
            Ok(t) => self.tiles.offsets[t] as usize..self.tiles.offsets[t + 1] as usize,
            Err(_) => 0..0,
        };
        cubes.map(|k| {
            let key = self.cubes.items[k] as u32;
            let here = self.cubes.offsets[k] as usize..self.cubes.offsets[k + 1] as usize;
            let within = [0, 3, 6].map(|shift| key >> shift & (TILE - 1));
            Seed { within, samples: here }
        })
    }

    /// Returns the index range of the samples of a tile.
    pub fn samples_of_tile(&self, key: u64) -> Range<usize> {
        match self.tiles.items.binary_search(&key) {
            Ok(t) => {
                let cube = |t: usize| self.tiles.offsets[t] as usize;
                let sample = |cube: usize| self.cubes.offsets[cube] as usize;
                sample(cube(t))..sample(cube(t + 1))
            }
            Err(_) => 0..0,
        }
    }

    /// Returns the index range of the samples of a cube.
    pub fn of_cube(&self, key: u64) -> Range<usize> {
        match self.cubes.items.binary_search(&key) {
            Ok(k) => self.cubes.offsets[k] as usize..self.cubes.offsets[k + 1] as usize,
            Err(_) => 0..0,
        }
    }
}
