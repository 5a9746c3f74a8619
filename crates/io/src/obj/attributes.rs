//! Normals and colors of the vertices of OBJ files, for point clouds.

use crate::text::{parse, words};
use zeroset_core::mesh::{DataArray, Values};

/// Vertex data other than coordinates.
#[derive(Default)]
pub(super) struct Attributes {
    /// The normals (`vn`), to which corners refer by index.
    pub(super) normals: Vec<[f64; 3]>,
    /// The 0-based indices of the vertex and the normal of each corner that states both.
    corners: Vec<(u32, u32)>,
    /// Red, green and blue of each vertex, which follow its coordinates; NaN for a vertex without a
    /// color.
    colors: Vec<[f64; 3]>,
}

impl Attributes {
    /// Reads the numbers after the coordinates of a vertex. Three numbers are a color. Four or more
    /// are a weight followed by a color. With fewer than three, the vertex has no color.
    pub(super) fn color(&mut self, rest: &[u8]) {
        let mut numbers = [f64::NAN; 4];
        let found = words(rest).take(4).zip(&mut numbers);
        let n = found.map(|(word, x)| *x = parse(word).unwrap_or(f64::NAN)).count();
        let [a, b, c, d] = numbers;
        self.colors.push(match n {
            3 => [a, b, c],
            4 => [b, c, d],
            _ => [f64::NAN; 3],
        });
    }

    /// Records the normal of a corner `v//vn` or `v/vt/vn`, if it has one.
    pub(super) fn corner(&mut self, corner: &[u8], vertex: u32) {
        let Some(number) = corner.split(|&b| b == b'/').nth(2).and_then(parse::<i64>) else {
            return;
        };
        let n = self.normals.len() as i64;
        let index = if number < 0 { n.saturating_add(number) } else { number - 1 };
        if let Ok(index) = u32::try_from(index) {
            self.corners.push((vertex, index));
        }
    }

    /// Returns arrays with one row for each of `n` vertices. The normal of a vertex is the sum of
    /// the normals at its corners. If no corner refers to a normal and there are as many normals as
    /// vertices, each vertex gets the normal with the same index. Colors are left out unless every
    /// vertex has one.
    pub(super) fn into_arrays(self, n: usize) -> Vec<DataArray> {
        let mut arrays = Vec::new();
        let mut add = |names: [&str; 3], rows: &[[f64; 3]]| {
            for (k, name) in names.into_iter().enumerate() {
                let values = Values::Float(rows.iter().map(|row| row[k]).collect());
                arrays.push(DataArray { name: name.to_string(), components: 1, values });
            }
        };
        let names = ["nx", "ny", "nz"];
        if self.corners.is_empty() {
            if self.normals.len() == n && n > 0 {
                add(names, &self.normals);
            }
        } else {
            let mut sums = vec![[0.0; 3]; n];
            for (vertex, index) in self.corners {
                let normal = self.normals.get(index as usize);
                if let (Some(sum), Some(normal)) = (sums.get_mut(vertex as usize), normal) {
                    (0..3).for_each(|k| sum[k] += normal[k]);
                }
            }
            add(names, &sums);
        }
        if n > 0 && self.colors.iter().flatten().all(|x| x.is_finite()) {
            add(["red", "green", "blue"], &self.colors);
        }
        arrays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_name_normals_or_these_stand_in_order() {
        let mut found =
            Attributes { normals: vec![[0., 0., 1.], [1., 0., 0.]], ..Default::default() };
        for rest in [&b" 0.5 0 1"[..], b" 1 0.25 0 0"] {
            found.color(rest);
        }
        let names: Vec<String> = found.into_arrays(2).into_iter().map(|a| a.name).collect();
        assert_eq!(names, ["nx", "ny", "nz", "red", "green", "blue"]);
        let mut found =
            Attributes { normals: vec![[0., 0., 1.], [1., 0., 0.]], ..Default::default() };
        for corner in [(&b"1//1"[..], 0), (b"1/7/-1", 0), (b"2", 1), (b"2//9", 1)] {
            found.corner(corner.0, corner.1);
        }
        found.color(b"");
        let arrays = found.into_arrays(2);
        assert_eq!((arrays.len(), arrays[0].values.to_f64()), (3, vec![1.0, 0.0]));
        assert_eq!(arrays[2].values.to_f64(), [1.0, 0.0]);
    }
}
