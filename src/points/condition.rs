//! An expression over the voxels of a volume.

use crate::error::Result;
use crate::expression::{Columns, Expression};
use crate::primitives::{Discriminator, Values, pack};
use crate::volume::Volume;

/// Names of an expression beside the coordinates: the value, and the indices along x, y and z.
const NAMES: [&str; 4] = ["v", "i", "j", "k"];
/// Voxels of a word.
const WORD: usize = 64;
/// Voxels that are evaluated together.
const BLOCK: usize = 4 * WORD;

/// Where an expression of v (the value), x, y, z (world coordinates) and i, j, k (indices from 0)
/// is neither 0 nor no number.
#[derive(Clone, Debug)]
pub struct Condition<'a> {
    volume: &'a Volume,
    columns: Columns,
}

impl<'a> Condition<'a> {
    /// Binds the expression to a volume.
    ///
    /// # Errors
    /// [`Error::Case`](crate::Error::Case) for a name that is none of these, pointing at it, and for
    /// the time.
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
            if self.columns.uses_points() {
                let [_, i, j, k] = &columns;
                let indices = i.iter().zip(j).zip(k).map(|((&i, &j), &k)| [i, j, k]);
                for (point, index) in points[..here].iter_mut().zip(indices) {
                    *point = self.volume.placement().world(index);
                }
            }
            let of_block = columns.each_ref().map(|column| &column[..here]);
            self.columns.evaluate_into(&points[..here], &of_block, &mut values[..here]);
            for (word, values) in words.iter_mut().zip(values[..here].chunks(WORD)) {
                *word = pack(values.iter().map(|&v| v != 0.0 && !v.is_nan()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::{Points, find};
    use crate::primitives::Order;
    use crate::volume::{Placement, Samples, Scaling};

    /// A volume of scaled numbers at an oblique place.
    fn volume(shape: [usize; 3]) -> Volume {
        let n = shape.iter().product::<usize>();
        let numbers: Vec<i16> = (0..n).map(|k| (k * 7919 % 1000) as i16 - 500).collect();
        let volume = Volume::new(shape, Samples::from(numbers), Placement::identity()).unwrap();
        let steps = [[0.0, 0.5, 0.0], [-2.0, 0.0, 0.1], [0.0, 0.0, 1.5]];
        let volume = volume.placed([10.0, -3.0, 2.0], steps).unwrap();
        volume.with_scaling(Scaling { slope: 0.5, intercept: 1.0 }).unwrap()
    }

    #[test]
    fn conditions_are_those_of_a_loop() {
        type Holds = fn(f64, [f64; 3], [usize; 3]) -> bool;
        let cases: [(&str, Holds); 6] = [
            ("v > 100", |v, _, _| v > 100.0),
            ("i + 10*j - 3*k == 7", |_, _, [i, j, k]| {
                i as f64 + 10.0 * j as f64 - 3.0 * k as f64 == 7.0
            }),
            ("x > 5 && y < 40 && z > 3", |_, [x, y, z], _| x > 5.0 && y < 40.0 && z > 3.0),
            ("v*x", |v, [x, ..], _| v * x != 0.0),
            ("sqrt(v)", |v, _, _| v > 0.0),
            ("0", |_, _, _| false),
        ];
        for shape in [[1, 1, 1], [300, 3, 2], [65, 4, 3], [5, 40, 1]] {
            let volume = volume(shape);
            for (text, holds) in cases {
                let condition = Condition::new(&volume, &text.parse().unwrap()).unwrap();
                let mut voxels = Vec::new();
                for k in 0..shape[2] {
                    for (j, i) in (0..shape[1]).flat_map(|j| (0..shape[0]).map(move |i| (j, i))) {
                        let at = volume.placement().world([i, j, k].map(|n| n as f64));
                        if holds(volume.value(i, j, k), at, [i, j, k]) {
                            voxels.push([i, j, k].map(|n| n as u32));
                        }
                    }
                }
                let expected = Points::of(&volume, voxels);
                let found = find(&volume, &condition, Order::Lines).unwrap();
                assert_eq!(found, expected, "{text} {shape:?}");
                let blocks = find(&volume, &condition, Order::Blocks).unwrap();
                let mut sorted = blocks.voxels.clone();
                sorted.sort_by_key(|v| [v[2], v[1], v[0]]);
                assert_eq!(sorted, expected.voxels, "{text} {shape:?}");
                assert_eq!(Points::of(&volume, blocks.voxels.clone()), blocks);
            }
        }
    }

    #[test]
    fn other_names_and_the_time_are_refused() {
        let volume = volume([2, 2, 2]);
        let refused =
            |text: &str| Condition::new(&volume, &text.parse().unwrap()).unwrap_err().to_string();
        assert!(refused("v > 3 && V < 2").contains("did you mean `v`?"), "{}", refused("V"));
        assert!(refused("v + t").contains("leave out t"));
    }
}
