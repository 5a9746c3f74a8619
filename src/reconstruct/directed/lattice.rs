//! Where the cubes are: their size, the way from the world to whole coordinates, their keys.

use crate::error::{Error, Result};

/// Cubes along an axis at most: 21 bits of a key.
pub const MOST_CUBES: u32 = 1 << 21;
/// Cubes along an edge of a tile, in which vertices are stored and keys are ordered.
pub(super) const TILE: u32 = 8;
/// Cubes around all samples: a ring of cubes about each of theirs, and one against rounding.
const MARGIN: f64 = 2.0;

/// Cubes over the box of some samples. In *lattice units* cubes have edge 1 and vertices whole
/// coordinates, from 0 on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// Middle of the box of the samples, world units: what coordinates are shifted by.
    center: [f64; 3],
    /// Edge of a cube, world units.
    cube: f64,
    /// Cubes along each axis.
    size: [u32; 3],
}

impl Lattice {
    /// Cubes of edge `cube` over the box from `low` to `high`.
    ///
    /// # Errors
    /// [`Error::Case`] for an edge that is not positive, or of which more than 2^21 fit along the
    /// box.
    pub fn new(low: [f64; 3], high: [f64; 3], cube: f64) -> Result<Self> {
        if !(cube.is_finite() && cube > 0.0) {
            let what = format!("cubes of edge {cube}");
            return Err(Error::usage(what, "give a positive length in units of the cloud"));
        }
        // Halves first: the sum of two finite numbers may not be.
        let center = [0, 1, 2].map(|k| 0.5 * low[k] + 0.5 * high[k]);
        let mut size = [0; 3];
        for k in 0..3 {
            let cubes = ((high[k] - low[k]) / cube).ceil() + 2.0 * MARGIN;
            if cubes.is_nan() || cubes > f64::from(MOST_CUBES) {
                let what = format!(
                    "cubes of edge {cube}: {cubes} of them along {}, at most {MOST_CUBES} can be",
                    ["x", "y", "z"][k]
                );
                let least = (high[k] - low[k]) / f64::from(MOST_CUBES - 8);
                return Err(Error::usage(what, format!("take an edge of {least:.3e} or more")));
            }
            size[k] = cubes as u32;
        }
        Ok(Lattice { center, cube, size })
    }

    /// Edge of a cube, world units.
    pub fn cube(&self) -> f64 {
        self.cube
    }

    /// Middle of the box of the samples.
    pub(super) fn center(&self) -> [f64; 3] {
        self.center
    }

    /// Cubes along each axis, the empty ones at the border included.
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// Lattice units of a place. The shift comes first, so that far coordinates keep their digits.
    pub fn inside(&self, world: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| (world[k] - self.center[k]) / self.cube + 0.5 * f64::from(self.size[k]))
    }

    /// The place of a point in lattice units.
    pub fn world(&self, inside: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| self.center[k] + self.cube * (inside[k] - 0.5 * f64::from(self.size[k])))
    }

    /// Bits of a key along each axis: those of the tile, above three within it.
    pub(super) fn bits(&self) -> [u32; 3] {
        // One tile more than cubes need: vertices of the ring lie on their far side.
        self.size.map(|n| u32::BITS - (n / TILE + 1).leading_zeros())
    }

    /// Bits of a key.
    pub(super) fn key_bits(&self) -> u32 {
        self.bits().iter().sum::<u32>() + 9
    }

    /// Key of a cube: the tile it lies in, z above y above x, then its place there in the same way.
    /// The cubes of a tile stand beside each other in the order of keys.
    pub(super) fn key(&self, cube: [u32; 3]) -> u64 {
        let within = cube.map(|c| c % TILE);
        self.tile_key(cube.map(|c| c / TILE)) << 9
            | u64::from(within[0] | within[1] << 3 | within[2] << 6)
    }

    /// The key of a tile.
    pub(super) fn tile_key(&self, tile: [u32; 3]) -> u64 {
        let [x, y, _] = self.bits();
        let [tx, ty, tz] = tile.map(u64::from);
        tx | ty << x | tz << (x + y)
    }

    /// The tile of a key of [`tile_key`](Lattice::tile_key).
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
        let lattice = Lattice::new([0.0; 3], [40.0, 3.0, 17.0], 1.0).unwrap();
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
        let near = Lattice::new([-0.5; 3], [0.5; 3], 1e-3).unwrap();
        let far = Lattice::new([5e6 - 0.5; 3], [5e6 + 0.5; 3], 1e-3).unwrap();
        let x = [0.123_456, -0.4, 0.3];
        for k in 0..3 {
            let [a, b] = [near.inside(x)[k], far.inside(x.map(|c| c + 5e6))[k]];
            assert!((a - b).abs() < 2e-6, "{a} {b}");
            assert!((near.world(near.inside(x))[k] - x[k]).abs() < 1e-15);
        }
    }

    #[test]
    fn cubes_without_number_are_refused() {
        let refused = |cube| Lattice::new([0.0; 3], [1.0; 3], cube).unwrap_err().to_string();
        for cube in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(refused(cube).contains("positive length"), "{cube}");
        }
        assert!(refused(1e-9).contains("along x, at most 2097152"), "{}", refused(1e-9));
    }
}
