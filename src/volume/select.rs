//! The voxels of a volume that fulfill an expression.

use rayon::prelude::*;

use super::Volume;
use crate::error::{Error, Result};
use crate::expression::{Expression, Rows};

/// Voxels at a time.
const BLOCK: usize = 4096;

/// What an expression may name beside x, y and z.
const NAMES: [&str; 4] = ["v", "i", "j", "k"];

impl Volume {
    /// Which voxels fulfill an expression in `v`, the value, `x`, `y` and `z`, world coordinates, and
    /// `i`, `j` and `k`, the voxel's index: those where it is neither 0 nor no number. `[n_voxels]`, x
    /// fastest.
    ///
    /// # Errors
    /// [`Error::Case`] for other names, pointed at, and for an expression of the time.
    pub fn select(&self, expression: &Expression) -> Result<Vec<bool>> {
        if expression.uses_time() {
            let what = format!("`{expression}` depends on the time t, which a volume has not");
            return Err(Error::usage(what, "write it in v, x, y, z, i, j and k"));
        }
        let there_are = "v, the value, x y z, world coordinates, and i j k, the index of a voxel";
        let rows = Rows::compile(expression, &NAMES, there_are)?;
        let uses_index = expression.names().iter().any(|name| *name != "v");
        let mut selected = vec![false; self.n_voxels()];
        let scratch = || (vec![0.0; 5 * BLOCK], Vec::with_capacity(BLOCK));
        let blocks = selected.par_chunks_mut(BLOCK).enumerate();
        blocks.for_each_init(scratch, |(numbers, points), (block, selected)| {
            let (start, n) = (block * BLOCK, selected.len());
            let (values, rest) = numbers.split_at_mut(BLOCK);
            let (results, index) = rest.split_at_mut(BLOCK);
            let [values, results] = [values, results].map(|list| &mut list[..n]);
            self.samples.read_into(start, values);
            values.iter_mut().for_each(|x| *x = self.scaling.of(*x));
            if uses_index || rows.uses_coordinates() {
                points.clear();
                for row in 0..n {
                    let at = self.index_of(start + row).map(|i| i as f64);
                    at.iter().enumerate().for_each(|(k, &i)| index[k * BLOCK + row] = i);
                    points.push(self.placement.world(at));
                }
            }
            let axis = |k: usize| &index[k * BLOCK..][..n];
            rows.evaluate_into(points, &[values, axis(0), axis(1), axis(2)], 0.0, results);
            for (selected, &result) in selected.iter_mut().zip(&*results) {
                *selected = result != 0.0 && !result.is_nan();
            }
        });
        Ok(selected)
    }

    /// Index (i, j, k) of the voxel of a number, x fastest.
    pub fn index_of(&self, voxel: usize) -> [usize; 3] {
        let [nx, ny, _] = self.shape;
        [voxel % nx, voxel / nx % ny, voxel / nx / ny]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::{Placement, Scaling};

    #[test]
    fn voxels_are_selected_by_value_place_and_index() {
        let shape = [30, 20, 15];
        let n: usize = shape.iter().product();
        let numbers: Vec<i16> = (0..n).map(|n| (n * 7919 % 1000) as i16).collect();
        let steps = [[0.0, 2.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, -1.0]];
        let volume = Volume::new(shape, numbers.into(), Placement::identity()).unwrap();
        let volume = volume.placed([1.0, 2.0, 3.0], steps).unwrap();
        let volume = volume.with_scaling(Scaling { slope: 0.5, intercept: -10.0 }).unwrap();
        type Reference = fn(f64, [f64; 3], [f64; 3]) -> bool;
        let cases: [(&str, Reference); 5] = [
            ("v > 100", |v, _, _| v > 100.0),
            ("x < 6 && z > -3", |_, x, _| x[0] < 6.0 && x[2] > -3.0),
            ("k == 3 || v == 0", |v, _, i| i[2] == 3.0 || v == 0.0),
            ("sqrt(v)", |v, _, _| v > 0.0),
            ("i + 10*j", |_, _, i| i[0] + 10.0 * i[1] != 0.0),
        ];
        for (text, reference) in cases {
            let selected = volume.select(&text.parse().unwrap()).unwrap();
            for (n, &found) in selected.iter().enumerate() {
                let index = volume.index_of(n);
                let [i, j, k] = index;
                let at = index.map(|i| i as f64);
                let expected = reference(volume.value(i, j, k), volume.placement().world(at), at);
                assert_eq!(found, expected, "{text} at {index:?}");
            }
        }
    }

    #[test]
    fn what_cannot_be_selected_by_is_said() {
        let volume = Volume::new([2, 1, 1], vec![1_u8, 2].into(), Placement::identity()).unwrap();
        for (text, found) in
            [("v > t", "depends on the time t"), ("value > 1", "there is no `value`")]
        {
            let error = volume.select(&text.parse().unwrap()).unwrap_err().to_string();
            assert!(error.contains(found), "{error}");
        }
    }
}
