//! The lattice of cubes: its position, the conversion between world and lattice units, and the keys
//! of cubes.

use crate::error::{Error, Result};

/// The largest number of cubes along an axis: 21 bits of a key.
pub const MOST_CUBES: u32 = 1 << 21;
/// Cubes along an edge of a tile. Vertices are stored by tile, and keys are ordered by tile.
pub(super) const TILE: u32 = 8;
/// Cubes on each side of the samples: one ring around each seed cube, and one cube for rounding.
pub(super) const RING: f64 = 2.0;

/// Cubes over the bounding box of samples.
///
/// In *lattice units*, cubes have edge 1 and vertices have integer coordinates that start at 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// Center of the bounding box of the samples, in world units. Coordinates are shifted by it.
    center: [f64; 3],
    /// Edge of a cube, in world units.
    cube: f64,
    /// Number of cubes along each axis.
    size: [u32; 3],
}

impl Lattice {
    /// Creates cubes of edge `cube` over the box from `low` to `high`, and `margin` cubes on each
    /// side of it.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the edge is not positive and finite, or if more than 2^21 cubes
    /// would be needed along an axis.
    pub fn new(low: [f64; 3], high: [f64; 3], cube: f64, margin: f64) -> Result<Self> {
        if !(cube.is_finite() && cube > 0.0) {
            let what = format!("cubes of edge {cube}");
            return Err(Error::usage(what, "give a positive length in units of the cloud"));
        }
        // Halve first: the sum of two finite numbers may be infinite.
        let center = [0, 1, 2].map(|k| 0.5 * low[k] + 0.5 * high[k]);
        let mut size = [0; 3];
        for k in 0..3 {
            let cubes = ((high[k] - low[k]) / cube).ceil() + 2.0 * margin;
            if cubes.is_nan() || cubes > f64::from(MOST_CUBES) {
                let what = format!(
                    "cubes of edge {cube}: {cubes} are needed along {}, at most {MOST_CUBES} are possible",
                    ["x", "y", "z"][k]
                );
                let least = (high[k] - low[k]) / (f64::from(MOST_CUBES) - 2.0 * margin - 4.0);
                return Err(Error::usage(what, format!("use an edge of {least:.3e} or more")));
            }
            size[k] = cubes as u32;
        }
        Ok(Lattice { center, cube, size })
    }

    /// Returns the edge of a cube, in world units.
    pub fn cube(&self) -> f64 {
        self.cube
    }

    /// Returns the center of the bounding box of the samples.
    pub(super) fn center(&self) -> [f64; 3] {
        self.center
    }

    /// Returns the number of cubes along each axis, including the empty ones at the boundary.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// Converts a point to lattice units. The shift comes first, so that large coordinates keep
    /// their digits.
    pub fn inside(&self, world: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| (world[k] - self.center[k]) / self.cube + 0.5 * f64::from(self.size[k]))
    }

    /// Converts a point from lattice units to world units.
    pub fn world(&self, inside: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| self.center[k] + self.cube * (inside[k] - 0.5 * f64::from(self.size[k])))
    }

    /// Returns the number of bits of a tile index along each axis. A key also has three bits per
    /// axis for the position within the tile.
    pub(super) fn bits(&self) -> [u32; 3] {
        // One more tile than the cubes need, because a ring has vertices on the far side of its
        // cubes.
        self.size.map(|n| u32::BITS - (n / TILE + 1).leading_zeros())
    }

    /// Returns the number of bits of a key.
    pub(super) fn key_bits(&self) -> u32 {
        self.bits().iter().sum::<u32>() + 9
    }

    /// Returns the key of a cube. Its high bits hold the tile, with z above y above x. Its low bits
    /// hold the position in the tile, in the same order. The keys of the cubes of a tile are
    /// adjacent.
    pub(super) fn key(&self, cube: [u32; 3]) -> u64 {
        let within = cube.map(|c| c % TILE);
        self.tile_key(cube.map(|c| c / TILE)) << 9
            | u64::from(within[0] | within[1] << 3 | within[2] << 6)
    }

    /// Returns the key of a tile.
    pub(super) fn tile_key(&self, tile: [u32; 3]) -> u64 {
        let [x, y, _] = self.bits();
        let [tx, ty, tz] = tile.map(u64::from);
        tx | ty << x | tz << (x + y)
    }

    /// Returns the tile of a key from [`tile_key`](Lattice::tile_key).
    pub(super) fn tile(&self, key: u64) -> [u32; 3] {
        let [x, y, _] = self.bits();
        let low = |bits: u32| (1_u64 << bits) - 1;
        [(key & low(x)) as u32, (key >> x & low(y)) as u32, (key >> (x + y)) as u32]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_tiles_together_and_are_those_of_one_cube() {
        let lattice = Lattice::new([0.0; 3], [40.0, 3.0, 17.0], 1.0, RING).unwrap();
        let [nx, ny, nz] = lattice.size();
        assert_eq!([nx, ny, nz], [44, 7, 21]);
        let mut keys = Vec::new();
        for k in 0..nx * ny * nz {
            let cube = [k % nx, k / nx % ny, k / nx / ny];
            let key = lattice.key(cube);
            assert_eq!(lattice.tile(key >> 9), cube.map(|c| c / 8));
            assert!(key < 1 << lattice.key_bits());
            keys.push((key, cube.map(|c| c / 8)));
        }
        keys.sort_unstable();
        assert!(keys.windows(2).all(|k| k[0].0 < k[1].0));
        let order = |tile: [u32; 3]| [tile[2], tile[1], tile[0]];
        assert!(keys.is_sorted_by_key(|&(_, tile)| order(tile)));
    }

    #[test]
    fn places_far_away_keep_their_digits() {
        let near = Lattice::new([-0.5; 3], [0.5; 3], 1e-3, RING).unwrap();
        let far = Lattice::new([5e6 - 0.5; 3], [5e6 + 0.5; 3], 1e-3, RING).unwrap();
        let x = [0.123_456, -0.4, 0.3];
        for k in 0..3 {
            let [a, b] = [near.inside(x)[k], far.inside(x.map(|c| c + 5e6))[k]];
            assert!((a - b).abs() < 2e-6, "{a} {b}");
            assert!((near.world(near.inside(x))[k] - x[k]).abs() < 1e-15);
        }
    }

    #[test]
    fn cubes_without_number_are_refused() {
        let refused = |cube| Lattice::new([0.0; 3], [1.0; 3], cube, RING).unwrap_err().to_string();
        for cube in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(refused(cube).contains("positive length"), "{cube}");
        }
        assert!(refused(1e-9).contains("along x, at most 2097152"), "{}", refused(1e-9));
    }
}
