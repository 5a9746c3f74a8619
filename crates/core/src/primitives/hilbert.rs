//! Positions along a Hilbert curve, used to order points so that neighbors in the order are
//! neighbors in space.

/// The number of bits per axis. Three axes take 63 bits.
pub const BITS: u32 = 21;

/// The number of bits of a key.
pub const KEY_BITS: u32 = 3 * BITS;

/// The number of points whose keys are computed together. The steps of a single key depend on each
/// other, so only the steps of different keys can run in parallel.
pub const LANES: usize = 8;

/// The lattice of a Hilbert curve over a box, in mesh units.
///
/// All axes share one scale, so that lattice cells are cubes. Planar meshes use the trace of the
/// curve in their plane, which keeps neighbors close.
#[derive(Clone, Copy, Debug)]
pub struct Lattice {
    low: [f64; 3],
    /// Lattice steps per unit length.
    scale: f64,
}

impl Lattice {
    /// Creates the lattice over the box `low..high`.
    #[inline]
    pub fn new(low: [f64; 3], high: [f64; 3]) -> Self {
        let extent = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let scale = if extent > 0.0 { f64::from((1u32 << BITS) - 1) / extent } else { 0.0 };
        Lattice { low, scale }
    }

    /// Returns the lower corner of the box.
    #[inline]
    pub fn low(&self) -> [f64; 3] {
        self.low
    }

    /// Returns the number of lattice steps per mesh unit.
    #[inline]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns the positions of points along the three-dimensional curve. Points outside the box
    /// are moved to its boundary. The method is from J. Skilling, "Programming the Hilbert curve",
    /// AIP Conf. Proc. 707.
    pub fn keys(&self, points: &[[f64; 3]; LANES]) -> [u64; LANES] {
        // A cast from a float saturates, so no coordinate lies outside the lattice.
        let axis = |k: usize| {
            points.map(|x| (((x[k] - self.low[k]) * self.scale) as u32).min((1 << BITS) - 1))
        };
        let [x, y, z] = transpose([axis(0), axis(1), axis(2)]);
        std::array::from_fn(|lane| interleave([x[lane], y[lane], z[lane]]))
    }
}

/// Applies Skilling's transform from axes to the transposed Hilbert index, without branches.
fn transpose([mut x, mut y, mut z]: [[u32; LANES]; 3]) -> [[u32; LANES]; 3] {
    for bit in (1..BITS).rev() {
        let p = (1u32 << bit) - 1;
        for x in &mut x {
            *x ^= p & ones_if(*x >> bit);
        }
        for axis in [&mut y, &mut z] {
            // If the bit is set, the low bits of the first axis are inverted. Otherwise, they are
            // exchanged with the low bits of the other axis.
            for (x, v) in x.iter_mut().zip(axis) {
                let set = ones_if(*v >> bit);
                let t = (*x ^ *v) & p & !set;
                *v ^= t;
                *x ^= t | (p & set);
            }
        }
    }
    for lane in 0..LANES {
        y[lane] ^= x[lane];
        z[lane] ^= y[lane];
        // Each bit of the last axis inverts all lower bits of all axes.
        let mut t = z[lane];
        for shift in [1, 2, 4, 8, 16] {
            t ^= t >> shift;
        }
        t >>= 1;
        (x[lane], y[lane], z[lane]) = (x[lane] ^ t, y[lane] ^ t, z[lane] ^ t);
    }
    [x, y, z]
}

/// Returns a word in which every bit equals the lowest bit of `bit`.
#[inline]
fn ones_if(bit: u32) -> u32 {
    0u32.wrapping_sub(bit & 1)
}

/// Interleaves the bits of the three axes, with the first axis highest.
#[inline]
fn interleave(x: [u32; 3]) -> u64 {
    let [x, y, z] = x.map(spread);
    x << 2 | y << 1 | z
}

/// Spreads the lowest 21 bits, with two zeros between them.
fn spread(x: u32) -> u64 {
    let mut x = u64::from(x) & 0x1f_ffff;
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_on_the_curve_are_neighbors_in_space() {
        // On an 8 x 8 x 8 lattice that fills the box, the sorted cells must form a path of unit
        // steps.
        let n = 8;
        let lattice = Lattice::new([0.0; 3], [7.999_999; 3]);
        let mut cells: Vec<(u64, [i32; 3])> = Vec::new();
        for i in 0..n {
            for j in 0..n {
                let row: [[i32; 3]; LANES] = std::array::from_fn(|k| [i, j, k as i32]);
                let centers = row.map(|c| c.map(|c| f64::from(c) + 0.5));
                cells.extend(lattice.keys(&centers).into_iter().zip(row));
            }
        }
        cells.sort_unstable();
        for pair in cells.windows(2) {
            let step: i32 = (0..3).map(|k| (pair[0].1[k] - pair[1].1[k]).abs()).sum();
            assert_eq!(step, 1, "{:?} -> {:?}", pair[0].1, pair[1].1);
        }
    }
}
