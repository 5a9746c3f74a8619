//! Position along a Hilbert curve, to order points so that neighbours in the order are neighbours
//! in space.

/// Bits per axis; three axes fill 63 bits.
const BITS: u32 = 21;

/// Key of a point inside the box `low..high` along a three-dimensional Hilbert curve.
///
/// All axes share one scale, so cells stay cubes; planar meshes use the trace of the curve in their
/// plane, which keeps neighbours close. After J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707.
pub fn key(x: [f64; 3], low: [f64; 3], high: [f64; 3]) -> u64 {
    let extent = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let scale = if extent > 0.0 { f64::from((1u32 << BITS) - 1) / extent } else { 0.0 };
    let mut axes = [0u32; 3];
    for k in 0..3 {
        // A cast from float saturates, so no coordinate can leave the curve.
        axes[k] = (((x[k] - low[k]) * scale) as u32).min((1 << BITS) - 1);
    }
    interleave(transpose(axes))
}

/// Skilling's transform from axes to the transposed Hilbert index, without branches.
fn transpose(mut x: [u32; 3]) -> [u32; 3] {
    for bit in (1..BITS).rev() {
        let p = (1u32 << bit) - 1;
        for i in 0..3 {
            // All ones where the bit is set: invert; elsewhere exchange low bits with the first axis.
            let set = 0u32.wrapping_sub(x[i] >> bit & 1);
            let t = (x[0] ^ x[i]) & p & !set;
            x[i] ^= t;
            x[0] ^= if i == 0 { p & set } else { t | (p & set) };
        }
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    // Each bit of the last axis inverts all below it.
    let mut t = x[2];
    for shift in [1, 2, 4, 8, 16] {
        t ^= t >> shift;
    }
    x.map(|v| v ^ t >> 1)
}

/// Bits of the three axes in turn, the first axis highest.
fn interleave(x: [u32; 3]) -> u64 {
    let [x, y, z] = x.map(spread);
    x << 2 | y << 1 | z
}

/// The lowest 21 bits with two zeros between them.
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
    fn neighbours_on_the_curve_are_neighbours_in_space() {
        // On an 8 x 8 x 8 lattice that fills the box, sorted cells must form a path of unit steps.
        let n = 8;
        let high = [7.999_999; 3];
        let mut cells: Vec<(u64, [i32; 3])> = Vec::new();
        for i in 0..n {
            for j in 0..n {
                for k in 0..n {
                    let x = [f64::from(i) + 0.5, f64::from(j) + 0.5, f64::from(k) + 0.5];
                    cells.push((key(x, [0.0; 3], high), [i, j, k]));
                }
            }
        }
        cells.sort_unstable();
        for pair in cells.windows(2) {
            let step: i32 = (0..3).map(|k| (pair[0].1[k] - pair[1].1[k]).abs()).sum();
            assert_eq!(step, 1, "{:?} -> {:?}", pair[0].1, pair[1].1);
        }
    }
}
