//! Keys of tiles, which pack three coordinates into one integer. The tile list is sorted by key.

use std::fmt;

use crate::error::{Error, Result};

/// The number of bits of one coordinate.
const BITS: u32 = 21;
/// The offset that makes a coordinate nonnegative.
const BIAS: i32 = 1 << (BITS - 1);

/// The number of directions: 26 neighbors, and the tile itself in the middle.
///
/// The direction (i, j, k), with entries -1, 0 or 1, has the index i + 1 + 3 (j + 1) + 9 (k + 1).
pub const DIRECTIONS: usize = 27;
/// The index of the direction (0, 0, 0), which is the tile itself.
pub const CENTER: usize = 13;

/// The position of a tile as an integer: `x + 2^20 | (y + 2^20) << 21 | (z + 2^20) << 42`.
///
/// Keys are ordered by z, then y, then x. The keys of neighbors along x are consecutive. The key of
/// any neighbor is the key plus a constant, because a key made by [`TileKey::new`] leaves room on
/// all sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct TileKey(u64);

impl TileKey {
    /// The largest absolute value of a tile coordinate, in tiles.
    pub const LIMIT: i32 = BIAS - 2;

    /// Returns the key of the tile with these coordinates, in tiles.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] if a coordinate lies beyond plus or minus [`TileKey::LIMIT`].
    pub fn new(tile: [i32; 3]) -> Result<Self> {
        let key = TileKey::of(tile);
        if tile.iter().any(|c| c.unsigned_abs() > Self::LIMIT.unsigned_abs()) {
            return Err(key.too_far(tile));
        }
        Ok(key)
    }

    /// Returns the key of a tile that may lie one tile outside the limits.
    fn of([x, y, z]: [i32; 3]) -> Self {
        let biased = |c: i32| c.wrapping_add(BIAS) as u64 & ((1 << BITS) - 1);
        TileKey(biased(x) | biased(y) << BITS | biased(z) << (2 * BITS))
    }

    /// Returns the key if its tile lies inside the limits. The key of a neighbor may lie outside.
    ///
    /// # Errors
    /// See [`TileKey::new`].
    pub fn checked(self) -> Result<Self> {
        TileKey::new(self.tile())
    }

    fn too_far(self, tile: [i32; 3]) -> Error {
        Error::Numerical {
            what: format!(
                "the interface needs tile {tile:?}, but tiles range from -{0} to {0} per axis",
                Self::LIMIT
            ),
            remedy: "use a larger dx, or move the origin closer to the interface".into(),
        }
    }

    /// Returns the coordinates of the tile, in tiles.
    pub fn tile(self) -> [i32; 3] {
        let axis = |k: u32| ((self.0 >> (k * BITS)) & ((1 << BITS) - 1)) as i32 - BIAS;
        [axis(0), axis(1), axis(2)]
    }

    /// Returns the first voxel of the tile. A tile has `edge` voxels along each axis.
    pub fn first_voxel(self, edge: usize) -> [i32; 3] {
        self.tile().map(|c| c * edge as i32)
    }

    /// Returns the key of the tile that contains a voxel.
    ///
    /// # Errors
    /// See [`TileKey::new`].
    pub fn of_voxel(voxel: [i32; 3], edge: usize) -> Result<Self> {
        TileKey::new(voxel.map(|v| v.div_euclid(edge as i32)))
    }

    /// Returns the key of the neighbor in a direction. It may lie one tile outside the limits.
    pub fn neighbor(self, direction: usize) -> Self {
        TileKey(self.0.wrapping_add(OFFSETS[direction]))
    }

    /// Returns the key as an integer.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Creates a key from an integer that [`TileKey::bits`] returned.
    pub const fn from_bits(bits: u64) -> Self {
        TileKey(bits)
    }
}

impl fmt::Display for TileKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.tile();
        write!(f, "tile ({x}, {y}, {z})")
    }
}

/// Returns the step (i, j, k) of a direction.
pub const fn step_of(direction: usize) -> [i32; 3] {
    let d = direction as i32;
    [d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1]
}

/// Returns the opposite direction.
pub const fn opposite(direction: usize) -> usize {
    DIRECTIONS - 1 - direction
}

/// For each direction, the number to add to a key to obtain the key of the neighbor.
pub(super) const OFFSETS: [u64; DIRECTIONS] = {
    let mut offsets = [0; DIRECTIONS];
    let mut d = 0;
    while d < DIRECTIONS {
        let [i, j, k] = step_of(d);
        offsets[d] = (i as i64 + ((j as i64) << BITS) + ((k as i64) << (2 * BITS))) as u64;
        d += 1;
    }
    offsets
};

/// For each direction d, a mask of the other directions, without the center, whose tiles share a
/// face, an edge or a corner with the tile in direction d.
pub(super) const TOUCHING: [u32; DIRECTIONS] = {
    let mut touching = [0; DIRECTIONS];
    let mut d = 0;
    while d < DIRECTIONS {
        let a = step_of(d);
        let mut e = 0;
        while e < DIRECTIONS {
            let b = step_of(e);
            let near = (a[0] - b[0]).abs() <= 1 && (a[1] - b[1]).abs() <= 1;
            if near && (a[2] - b[2]).abs() <= 1 && e != d && e != CENTER {
                touching[d] |= 1 << e;
            }
            e += 1;
        }
        d += 1;
    }
    touching
};

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coordinate() -> impl Strategy<Value = i32> {
        prop_oneof![
            -TileKey::LIMIT..=TileKey::LIMIT,
            -3..=3i32,
            Just(TileKey::LIMIT),
            Just(-TileKey::LIMIT)
        ]
    }

    fn tile() -> impl Strategy<Value = [i32; 3]> {
        [coordinate(), coordinate(), coordinate()]
    }

    proptest! {
        #[test]
        fn keys_hold_their_tile_and_their_neighbors(t in tile(), d in 0..DIRECTIONS) {
            let key = TileKey::new(t).unwrap();
            prop_assert_eq!(key.tile(), t);
            let step = step_of(d);
            let there = [t[0] + step[0], t[1] + step[1], t[2] + step[2]];
            prop_assert_eq!(key.neighbor(d).tile(), there);
            prop_assert_eq!(key.neighbor(d).neighbor(opposite(d)), key);
            prop_assert_eq!(TileKey::of_voxel(key.first_voxel(4), 4).unwrap(), key);
        }

        #[test]
        fn keys_ascend_with_z_then_y_then_x(a in tile(), b in tile()) {
            let order = |t: [i32; 3]| [t[2], t[1], t[0]];
            let keys = TileKey::new(a).unwrap().cmp(&TileKey::new(b).unwrap());
            prop_assert_eq!(keys, order(a).cmp(&order(b)));
        }
    }

    #[test]
    fn voxels_left_of_the_origin_lie_in_tiles_left_of_it() {
        let tile = |v| TileKey::of_voxel([v, 0, 0], 8).unwrap().tile()[0];
        assert_eq!([-9, -8, -1, 0, 7, 8].map(tile), [-2, -1, -1, 0, 0, 1]);
    }

    #[test]
    fn tiles_beyond_the_limit_are_refused() {
        for far in [TileKey::LIMIT + 1, -TileKey::LIMIT - 1, i32::MAX, i32::MIN] {
            let error = TileKey::new([0, far, 0]).unwrap_err();
            assert_eq!(error.exit_code(), 4);
            assert!(error.to_string().contains("larger dx"), "{error}");
        }
        let rim = TileKey::new([TileKey::LIMIT, 0, 0]).unwrap();
        assert!(rim.neighbor(CENTER + 1).checked().is_err());
    }

    #[test]
    fn touching_directions() {
        assert_eq!(TOUCHING[CENTER].count_ones(), 26);
        assert_eq!(TOUCHING[0].count_ones(), 6); // a corner: seven tiles, minus the center
        assert_eq!(TOUCHING[CENTER + 1].count_ones(), 16); // a face
    }
}
