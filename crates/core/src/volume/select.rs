//! Selection of the voxels of a volume by an expression.

use super::{Condition, Volume};
use crate::error::Result;
use crate::expression::Expression;
use crate::parallel::*;
use crate::primitives::Discriminator;

impl Volume {
    /// Returns, for each voxel, whether it satisfies a [`Condition`], `[n_voxels]`, x fastest.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) if the expression uses time or any other name.
    /// The message points at that name.
    pub fn select(&self, expression: &Expression) -> Result<Vec<bool>> {
        let condition = Condition::new(self, expression)?;
        let [nx, ny, _] = self.shape;
        let mut selected = vec![false; self.n_voxels()];
        let lines = selected.par_chunks_mut(nx).enumerate();
        lines.for_each_init(
            || vec![0_u64; nx.div_ceil(64)],
            |words, (line, selected)| {
                condition.mark([0, line % ny, line / ny], nx, words);
                for (x, selected) in selected.iter_mut().enumerate() {
                    *selected = words[x / 64] >> (x % 64) & 1 == 1;
                }
            },
        );
        Ok(selected)
    }

    /// Converts the index of a voxel in the list of all voxels, x fastest, to its indices (i, j,
    /// k).
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
        let cases: [(&str, Reference); 6] = [
            ("v > 100", |v, _, _| v > 100.0),
            ("x < 6 && z > -3", |_, x, _| x[0] < 6.0 && x[2] > -3.0),
            ("k == 3 || v == 0", |v, _, i| i[2] == 3.0 || v == 0.0),
            ("sqrt(v)", |v, _, _| v > 0.0),
            ("isnan(sqrt(v))", |v, _, _| v < 0.0),
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
            [("v > t", "the time t is not available here"), ("value > 1", "unknown name `value`")]
        {
            let error = volume.select(&text.parse().unwrap()).unwrap_err().to_string();
            assert!(error.contains(found), "{error}");
        }
    }
}
