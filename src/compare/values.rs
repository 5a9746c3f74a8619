//! The differences between two arrays of numbers.

use serde::Serialize;

use crate::mesh::Values;

/// The differences that count as equal.
///
/// By default, values are equal only if they are bitwise identical. NaN equals only NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Tolerance {
    /// Largest difference, in the unit of the array.
    pub absolute: f64,
    /// Largest difference, as a fraction of the range of the finite values of both arrays.
    pub relative: f64,
}

impl Tolerance {
    /// Returns whether only bitwise identical values are equal.
    pub fn is_exact(self) -> bool {
        self.absolute == 0.0 && self.relative == 0.0
    }

    /// Returns the largest difference that counts as equal for an array with this range.
    pub(super) fn allowed(self, range: f64) -> f64 {
        self.absolute.max(self.relative * range)
    }
}

/// The differences between two arrays of the same name, over all states if there are several.
/// Differences are in the unit of the array.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ArrayDifference {
    /// Name of the array or column.
    pub name: String,
    /// Number of values compared.
    pub values: u64,
    /// Number of values that differ by more than the tolerance.
    pub beyond: u64,
    /// Number of values, among those beyond the tolerance, whose difference is not finite: one of
    /// the two is NaN or infinite.
    pub not_finite: u64,
    /// Sum of the finite differences, divided by the number of values.
    pub mean: f64,
    /// Largest finite difference.
    pub largest: f64,
    /// Where the difference is largest. `None` if all values are equal.
    pub largest_at: Option<Place>,
    /// The first value beyond the tolerance.
    pub first_at: Option<Place>,
}

/// A value that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Place {
    /// The row, such as "vertex 12" or "row 3", numbered from 0 as in file A. Empty for a single
    /// number.
    pub row: String,
    /// Component of the row, if it has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<usize>,
    /// Position in A, in its unit of length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// Time of the state, for a series, in its unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// The value in A, in the unit of the array.
    pub a: f64,
    /// The value in B, in the same unit.
    pub b: f64,
}

/// The values of an array in A and in B.
pub(super) struct Paired<'a> {
    pub name: &'a str,
    pub a: &'a Values,
    pub b: &'a Values,
    /// Number of values per row.
    pub components: usize,
    /// The row in B for each row of A. `None` if the rows are the same.
    pub rows: Option<&'a [u32]>,
    /// Size to which a relative tolerance refers. `None` means the range of the values.
    pub scale: Option<f64>,
}

/// Two values, and their difference.
struct Pair {
    a: f64,
    b: f64,
    difference: f64,
    is_same: bool,
}

impl Paired<'_> {
    /// Compares all values. `locate` returns the name and the position of a row of A.
    pub(super) fn compare(
        &self,
        tolerance: Tolerance,
        locate: impl Fn(usize) -> (String, Option<[f64; 3]>),
    ) -> ArrayDifference {
        let n = self.a.len();
        let scale = self.scale.unwrap_or_else(|| range(self.a, self.b));
        let allowed = tolerance.allowed(scale);
        let place = |i: usize, pair: &Pair| {
            let (row, position) = locate(i / self.components);
            let component = (self.components > 1).then_some(i % self.components);
            Place { row, component, position, time: None, a: pair.a, b: pair.b }
        };
        let (mut sum, mut largest, mut largest_at) = (0.0, 0.0, None);
        let (mut beyond, mut not_finite, mut first_at) = (0, 0, None);
        for i in 0..n {
            let pair = self.pair(i);
            if pair.is_same {
                continue;
            }
            let is_finite = pair.difference.is_finite();
            if is_finite {
                sum += pair.difference;
            }
            // Of several equal differences, the first one is reported. The difference between 0 and
            // -0 counts, too.
            if is_finite && (pair.difference > largest || largest_at.is_none()) {
                largest = pair.difference;
                largest_at = Some(i);
            }
            // A NaN is beyond every tolerance.
            if tolerance.is_exact() || pair.difference.is_nan() || pair.difference > allowed {
                beyond += 1;
                not_finite += u64::from(!is_finite);
                first_at.get_or_insert(i);
            }
        }
        let at = |i: usize| place(i, &self.pair(i));
        ArrayDifference {
            name: self.name.into(),
            values: n as u64,
            beyond,
            not_finite,
            mean: if n == 0 { 0.0 } else { sum / n as f64 },
            largest,
            largest_at: largest_at.or(first_at).map(at),
            first_at: first_at.map(at),
        }
    }

    fn pair(&self, i: usize) -> Pair {
        let j = match self.rows {
            None => i,
            Some(rows) => {
                rows[i / self.components] as usize * self.components + i % self.components
            }
        };
        if let (Values::Int(a), Values::Int(b)) = (self.a, self.b) {
            // Doubles cannot represent every difference of large integers exactly, but they are
            // accurate enough here.
            let (a, b) = (a[i], b[j]);
            let difference = a.abs_diff(b) as f64;
            return Pair { a: a as f64, b: b as f64, difference, is_same: a == b };
        }
        let (a, b) = (number(self.a, i), number(self.b, j));
        let is_same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        Pair { a, b, difference: (a - b).abs(), is_same }
    }
}

fn number(values: &Values, i: usize) -> f64 {
    match values {
        Values::Float(values) => values[i],
        Values::Int(values) => values[i] as f64,
    }
}

/// Returns the size to which relative tolerances of two arrays refer: the range of their finite
/// values, or, if each has a single value, the magnitude of that value.
fn range(a: &Values, b: &Values) -> f64 {
    let all = || [a, b].into_iter().flat_map(|v| (0..v.len()).map(move |i| number(v, i)));
    let finite = || all().filter(|x| x.is_finite());
    if a.len() == 1 {
        return finite().fold(0.0, |most: f64, x| most.max(x.abs()));
    }
    let (low, high) = finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (f64::min(low, x), f64::max(high, x))
    });
    if low <= high { high - low } else { 0.0 }
}

impl ArrayDifference {
    /// Adds the same array of a later state.
    pub(super) fn add(&mut self, later: ArrayDifference) {
        let total = self.values + later.values;
        if total > 0 {
            let weighted = self.mean * self.values as f64 + later.mean * later.values as f64;
            self.mean = weighted / total as f64;
        }
        let is_worse = later.largest > self.largest || self.largest_at.is_none();
        if is_worse && later.largest_at.is_some() {
            (self.largest, self.largest_at) = (later.largest, later.largest_at);
        }
        self.values = total;
        self.beyond += later.beyond;
        self.not_finite += later.not_finite;
        self.first_at = self.first_at.take().or(later.first_at);
    }

    /// Sets the time of the state.
    pub(super) fn date(&mut self, time: f64) {
        let places = [&mut self.largest_at, &mut self.first_at];
        places.into_iter().flatten().for_each(|place| place.time = Some(time));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(a: Values, b: Values, tolerance: Tolerance) -> ArrayDifference {
        let paired = Paired { name: "v", a: &a, b: &b, components: 1, rows: None, scale: None };
        paired.compare(tolerance, |row| (format!("vertex {row}"), None))
    }

    #[test]
    fn nan_is_equal_to_nan_only_and_zeros_have_signs() {
        let a = || Values::Float(vec![f64::NAN, f64::NAN, 0.0, 1.0, f64::INFINITY]);
        let b = Values::Float(vec![f64::NAN, 2.0, -0.0, 1.25, f64::INFINITY]);
        let found = compared(a(), b.clone(), Tolerance::default());
        assert_eq!((found.beyond, found.not_finite, found.values), (3, 1, 5));
        assert_eq!((found.largest, found.mean), (0.25, 0.05));
        assert_eq!(found.largest_at.unwrap().row, "vertex 3");
        assert_eq!(found.first_at.unwrap().row, "vertex 1");
        let found = compared(a(), b.clone(), Tolerance { absolute: 0.25, relative: 0.0 });
        assert_eq!((found.beyond, found.not_finite), (1, 1), "a NaN is beyond every tolerance");
        // The range of both is 2.
        for (relative, beyond) in [(0.125, 1), (0.124, 2)] {
            let found = compared(a(), b.clone(), Tolerance { absolute: 0.0, relative });
            assert_eq!(found.beyond, beyond, "{relative}");
        }
    }

    #[test]
    fn large_integers_are_compared_exactly() {
        let large = 1_i64 << 60;
        let found = compared(
            Values::Int(vec![large, i64::MIN]),
            Values::Int(vec![large + 1, i64::MAX]),
            Tolerance::default(),
        );
        assert_eq!((found.beyond, found.first_at.unwrap().row.as_str()), (2, "vertex 0"));
        assert_eq!(found.largest, 2f64.powi(64));
    }

    #[test]
    fn states_are_joined_and_the_worst_keeps_its_time() {
        let mut all = compared(
            Values::Float(vec![0.0, 0.0]),
            Values::Float(vec![0.0, 1.0]),
            Tolerance::default(),
        );
        all.date(0.5);
        let mut later =
            compared(Values::Float(vec![0.0]), Values::Float(vec![3.0]), Tolerance::default());
        later.date(1.0);
        all.add(later);
        assert_eq!((all.values, all.beyond, all.largest), (3, 2, 3.0));
        assert!((all.mean - 4.0 / 3.0).abs() < 1e-15);
        assert_eq!(all.largest_at.unwrap().time, Some(1.0));
        assert_eq!(all.first_at.unwrap().time, Some(0.5));
    }
}
