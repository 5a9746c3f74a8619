//! Bit masks of voxels: one bit for inside or outside, and one bit for a missing value.

use super::{Field, Number};
use crate::parallel::*;

/// Bits per word.
pub(super) const WORD: usize = 64;

/// The bits of all voxels, row by row.
pub(super) struct Masks {
    /// Number of voxels along each axis.
    pub size: [usize; 3],
    /// Words per row.
    pub words: usize,
    inside: Vec<u64>,
    /// Voxels whose value is not finite. Empty if there are none.
    missing: Vec<u64>,
}

impl Masks {
    /// Compares all values with the level.
    pub fn new<T: Number>(field: &Field<T>) -> Self {
        let size = field.size();
        let words = size[0].div_ceil(WORD);
        let n = words * size[1] * size[2];
        let mut inside = vec![0_u64; n];
        let mut missing = vec![0_u64; if T::WHOLE { 0 } else { n }];
        let slice = words * size[1];
        let slices = inside.par_chunks_mut(slice).enumerate();
        let any_missing = if T::WHOLE {
            slices.for_each(|(z, inside)| above(field, z, inside));
            false
        } else {
            let with_missing = slices.zip(missing.par_chunks_mut(slice));
            let found: Vec<bool> = with_missing
                .map(|((z, inside), missing)| {
                    above(field, z, inside);
                    not_finite(field, z, missing)
                })
                .collect();
            found.contains(&true)
        };
        if !any_missing {
            missing = Vec::new();
        }
        Masks { size, words, inside, missing }
    }

    /// Returns whether any value is not finite.
    pub fn has_missing(&self) -> bool {
        !self.missing.is_empty()
    }

    /// Returns the bits of row (y, z). A bit is set if the voxel is inside.
    pub fn inside(&self, y: usize, z: usize) -> &[u64] {
        &self.inside[self.words * (y + self.size[1] * z)..][..self.words]
    }

    /// Returns the bits of row (y, z). A bit is set if the voxel has no value. The slice is empty
    /// if all voxels have a value.
    pub fn missing(&self, y: usize, z: usize) -> &[u64] {
        match self.missing.is_empty() {
            true => &[],
            false => &self.missing[self.words * (y + self.size[1] * z)..][..self.words],
        }
    }
}

/// Packs the results of a predicate on a slice into words, shifted by the layer around the volume,
/// if there is one.
#[inline(always)]
fn pack<T: Number>(field: &Field<T>, z: usize, out: &mut [u64], holds: impl Fn(T) -> bool) {
    let words = field.size()[0].div_ceil(WORD);
    for (y, row) in out.chunks_exact_mut(words).enumerate() {
        let Some(values) = field.row(y, z) else { continue };
        for (word, values) in row.iter_mut().zip(values.chunks(WORD)) {
            let mut bits = 0;
            for (k, &v) in values.iter().enumerate() {
                bits |= u64::from(holds(v)) << k;
            }
            *word = bits;
        }
        if field.layers == 1 {
            let mut carried = 0;
            for word in row.iter_mut() {
                (*word, carried) = (*word << 1 | carried, *word >> 63);
            }
        }
    }
}

#[inline(always)]
fn above_any<T: Number>(field: &Field<T>, z: usize, out: &mut [u64]) {
    pack(field, z, out, |v| field.phi(v) < 0.0);
}

fn above<T: Number>(field: &Field<T>, z: usize, out: &mut [u64]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2")]
        fn wide<T: Number>(field: &Field<T>, z: usize, out: &mut [u64]) {
            above_any(field, z, out);
        }
        // SAFETY: this CPU has AVX2.
        return unsafe { wide(field, z, out) };
    }
    above_any(field, z, out);
}

/// Marks values that are not finite. Returns true if there are any.
fn not_finite<T: Number>(field: &Field<T>, z: usize, out: &mut [u64]) -> bool {
    let [nx, ny, _] = field.shape;
    let Some(z_in) = z.checked_sub(field.layers).filter(|z| *z < field.shape[2]) else {
        return false;
    };
    let slice = &field.values[nx * ny * z_in..][..nx * ny];
    // The sum of the products with 0 is 0 unless one of the values is not finite.
    let any = slice.chunks(1 << 12).any(|c| {
        let mut lanes = [0.0_f64; 8];
        for c in c.chunks(8) {
            for (lane, v) in lanes.iter_mut().zip(c) {
                *lane += 0.0 * v.to_f64();
            }
        }
        lanes.iter().sum::<f64>() != 0.0 || lanes.iter().any(|x| x.is_nan())
    });
    if any {
        pack(field, z, out, |v| !v.to_f64().is_finite());
    }
    any
}
