//! Selection of points by an expression in their coordinates, normals, colors and attributes.

use std::sync::Arc;

use super::{PointCloud, key};
use crate::error::{Error, Result};
use crate::expression::{Expression, Field, is_true};
use crate::words::suggest;

/// The number of points for which an expression is evaluated at a time.
const PIECE: usize = 1 << 20;

/// The names of the components of normals and colors.
const NORMALS: [&str; 3] = ["nx", "ny", "nz"];
const COLORS: [&str; 3] = ["red", "green", "blue"];

impl PointCloud {
    /// Returns, for each point, whether an expression is true there, `[n]`. The expression may
    /// contain x, y, z, nx, ny, nz, red, green, blue (0 to 255) and the names of attributes.
    ///
    /// `others` are the names of attributes that the file has, but that were not read. They only
    /// appear in messages.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the expression depends on time, or if it names an attribute that
    /// does not exist. The message lists the attributes that exist.
    pub fn select(&self, expression: &Expression, others: &[String]) -> Result<Vec<bool>> {
        if expression.uses_time() {
            let what = "--where must not depend on the time t";
            return Err(Error::usage(what, "for an attribute called t write {t}"));
        }
        let mut kept = Vec::with_capacity(self.len());
        let mut begin = 0;
        loop {
            let end = (begin + PIECE).min(self.len());
            let rows = |name: &str| self.numbers(name, begin..end, others);
            let values = Field::bind(expression, rows)?.values(&self.points[begin..end], 0.0);
            kept.extend(values.into_iter().map(is_true));
            begin = end;
            if begin == self.len() {
                return Ok(kept);
            }
        }
    }

    /// Returns the numbers of an attribute, or of a component of the normals or colors, for a range
    /// of points.
    fn numbers(
        &self,
        name: &str,
        range: std::ops::Range<usize>,
        others: &[String],
    ) -> Result<Arc<[f64]>> {
        let exact = self.attributes.iter().find(|attribute| attribute.name == name);
        let found = exact.or_else(|| self.attributes.iter().find(|attribute| attribute.is(name)));
        if let Some(attribute) = found {
            return Ok(range.map(|i| attribute.numbers.get(i)).collect());
        }
        let place = |names: [&str; 3]| names.iter().position(|other| *other == key(name));
        if let (Some(k), Some(normals)) = (place(NORMALS), &self.normals) {
            return Ok(normals[range].iter().map(|normal| f64::from(normal[k])).collect());
        }
        if let (Some(k), Some(colors)) = (place(COLORS), &self.colors) {
            return Ok(colors[range].iter().map(|color| f64::from(color[k])).collect());
        }
        let mut names = vec!["x", "y", "z"];
        names.extend(self.normals.iter().flat_map(|_| NORMALS));
        names.extend(self.colors.iter().flat_map(|_| COLORS));
        names.extend(self.attributes.iter().map(|attribute| attribute.name.as_str()));
        names.extend(others.iter().map(String::as_str));
        names.dedup();
        let what = format!("the points have no attribute \"{name}\"");
        Err(Error::usage(what, suggest(name, &names).replace("allowed:", "there are:")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Attribute, Numbers};
    use super::*;

    #[test]
    fn points_are_selected_by_anything_that_they_have() {
        let mut cloud = PointCloud::new((0..5).map(|k| [f64::from(k), 0.0, 0.0]).collect());
        cloud.colors = Some((0..5).map(|k| [50 * k, 0, 9]).collect());
        cloud.normals = Some(vec![[0.0, 0.0, -1.0]; 5]);
        let numbers = Numbers::U8(vec![2, 2, 6, 2, 7]);
        cloud.attributes.push(Attribute { name: "scalar_Classification".into(), numbers });
        let of = |text: &str| cloud.select(&text.parse().unwrap(), &["gps_time".to_string()]);
        for (text, expected) in [
            ("classification == 2", [true, true, false, true, false]),
            ("{scalar_Classification} == 2 && x > 0", [false, true, false, true, false]),
            ("red >= 100 && blue == 9 && nz < 0", [false, false, true, true, true]),
        ] {
            assert_eq!(of(text).unwrap(), expected, "{text}");
        }
        for (text, found) in [
            ("clasification == 2", "no attribute \"clasification\""),
            ("intensity > 1", "gps_time"),
            ("t > 1", "must not depend on the time"),
        ] {
            let error = of(text).unwrap_err().to_string();
            assert!(error.contains(found), "{error}");
        }
        cloud.retain(&of("classification == 2").unwrap());
        assert_eq!((cloud.len(), cloud.colors.unwrap()[2]), (3, [150, 0, 9]));
        assert_eq!(cloud.attributes[0].numbers, Numbers::U8(vec![2; 3]));
    }
}
