//! An expression that selects voxels of a volume.

use super::Volume;
use crate::error::Result;
use crate::expression::{Columns, Expression, is_true};
use crate::primitives::{Discriminator, Values, pack};

/// The names in an expression in addition to the coordinates: the value, and the indices along x, y
/// and z.
pub const NAMES: [&str; 4] = ["v", "i", "j", "k"];
/// The number of voxels per word.
const WORD: usize = 64;
/// The number of voxels that are evaluated together.
const BLOCK: usize = 4 * WORD;

/// The voxels where an expression in v (the value), x, y, z (world coordinates) and i, j, k
/// (indices from 0) is neither 0 nor NaN.
#[derive(Clone, Debug)]
pub struct Condition<'a> {
    volume: &'a Volume,
    columns: Columns,
}

impl<'a> Condition<'a> {
    /// Binds an expression to a volume.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) if the expression uses time or any other name.
    /// The message points at that name.
    pub fn new(volume: &'a Volume, expression: &Expression) -> Result<Self> {
        Ok(Condition { volume, columns: Columns::bind(expression, &NAMES)? })
    }
}

impl Discriminator for Condition<'_> {
    fn shape(&self) -> [usize; 3] {
        self.volume.shape()
    }

    fn mark(&self, [x, y, z]: [usize; 3], n: usize, active: &mut [u64]) {
        let mut columns = [[0.0; BLOCK]; NAMES.len()];
        let mut points = [[0.0; 3]; BLOCK];
        let mut values = [0.0; BLOCK];
        columns[2] = [y as f64; BLOCK];
        columns[3] = [z as f64; BLOCK];
        for (block, words) in active.chunks_mut(BLOCK / WORD).enumerate() {
            let first = x + block * BLOCK;
            let here = (n - block * BLOCK).min(BLOCK);
            if self.columns.uses(0) {
                self.volume.read([first, y, z], &mut columns[0][..here]);
            }
            for (i, x) in columns[1][..here].iter_mut().zip(first..) {
                *i = x as f64;
            }
            if self.columns.uses_coordinates() {
                let [_, i, j, k] = &columns;
                let indices = i.iter().zip(j).zip(k).map(|((&i, &j), &k)| [i, j, k]);
                for (point, index) in points[..here].iter_mut().zip(indices) {
                    *point = self.volume.placement().world(index);
                }
            }
            let of_block = columns.each_ref().map(|column| &column[..here]);
            self.columns.evaluate_into(&points[..here], &of_block, &mut values[..here]);
            for (word, values) in words.iter_mut().zip(values[..here].chunks(WORD)) {
                *word = pack(values.iter().map(|&v| is_true(v)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::Placement;

    #[test]
    fn other_names_and_the_time_are_refused() {
        let volume = Volume::new([2, 1, 1], vec![1_u8, 2].into(), Placement::identity()).unwrap();
        let refused =
            |text: &str| Condition::new(&volume, &text.parse().unwrap()).unwrap_err().to_string();
        assert!(refused("v > 3 && V < 2").contains("did you mean `v`?"), "{}", refused("V"));
        assert!(refused("v + t").contains("remove t"));
    }
}
