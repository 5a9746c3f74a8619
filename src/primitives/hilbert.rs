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

/// Skilling's transform from axes to the transposed Hilbert index.
fn transpose(mut x: [u32; 3]) -> [u32; 3] {
    let mut q = 1u32 << (BITS - 1);
    while q > 1 {
        let p = q - 1;
        for i in 0..3 {
            if x[i] & q != 0 {
                x[0] ^= p;
            } else {
                let t = (x[0] ^ x[i]) & p;
                x[0] ^= t;
                x[i] ^= t;
            }
        }
        q >>= 1;
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    let mut t = 0;
    q = 1 << (BITS - 1);
    while q > 1 {
        if x[2] & q != 0 {
            t ^= q - 1;
        }
        q >>= 1;
    }
    x.map(|v| v ^ t)
}

fn interleave(x: [u32; 3]) -> u64 {
    let mut key = 0u64;
    for bit in (0..BITS).rev() {
        for v in x {
            key = key << 1 | u64::from(v >> bit & 1);
        }
    }
    key
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
