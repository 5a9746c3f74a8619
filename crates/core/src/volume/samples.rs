//! The numbers of a volume, in the type in which the file stores them.

use std::ops::Range;

use crate::parallel::*;

macro_rules! samples {
    ($($variant:ident $type:ty, $name:literal, $what:literal;)*) => {
        /// Numbers in their stored type, one per voxel, x fastest.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Samples {
            $(#[doc = $what] $variant(Vec<$type>),)*
        }

        impl Samples {
            /// Returns the number of samples.
            pub fn len(&self) -> usize {
                match self { $(Samples::$variant(v) => v.len(),)* }
            }

            /// Returns the name of the type, such as "uint8", "int16" or "float32".
            pub fn type_name(&self) -> &'static str {
                match self { $(Samples::$variant(_) => $name,)* }
            }

            /// Returns the size of one number in bytes.
            pub fn width(&self) -> usize {
                match self { $(Samples::$variant(_) => size_of::<$type>(),)* }
            }

            /// Returns element `i`. Integers beyond 2^53 are rounded.
            pub fn get(&self, i: usize) -> f64 {
                match self { $(Samples::$variant(v) => v[i] as f64,)* }
            }

            /// Returns the bytes of a range of numbers, little endian.
            pub fn le_bytes(&self, range: Range<usize>) -> Vec<u8> {
                match self {
                    $(Samples::$variant(v) => {
                        v[range].iter().flat_map(|x| x.to_le_bytes()).collect()
                    })*
                }
            }

            /// Fills `out` with the numbers that begin at index `first`, after applying `change` to
            /// each.
            pub(super) fn read(&self, first: usize, out: &mut [f64], change: impl Fn(f64) -> f64) {
                match self {
                    $(Samples::$variant(v) => {
                        out.iter_mut().zip(&v[first..]).for_each(|(x, &v)| *x = change(v as f64));
                    })*
                }
            }

            /// Returns all numbers as `f64` after applying `change` to each.
            pub(super) fn map_f64(&self, change: impl Fn(f64) -> f64 + Sync) -> Vec<f64> {
                match self {
                    $(Samples::$variant(v) => v.par_iter().map(|&x| change(x as f64)).collect(),)*
                }
            }

            /// Returns partial statistics of a range of numbers after applying `change` to each.
            fn facts(&self, range: Range<usize>, change: impl Fn(f64) -> f64) -> Partial {
                let mut facts = Partial::default();
                match self {
                    $(Samples::$variant(v) => {
                        v[range].iter().for_each(|&x| facts.take(change(x as f64)));
                    })*
                }
                facts
            }

            /// Counts the distinct values of a range of numbers after applying `change` to each.
            /// Returns `None` if a value is not an integer with an absolute value below 2^53, or if
            /// there are more than `most` distinct values.
            fn labels(
                &self,
                range: Range<usize>,
                most: usize,
                change: impl Fn(f64) -> f64,
            ) -> Option<Labels> {
                let mut labels = Labels::default();
                match self {
                    $(Samples::$variant(v) => v[range]
                        .iter()
                        .all(|&x| labels.take(change(x as f64), 1, most))
                        .then_some(labels),)*
                }
            }

            /// Reverses the order of the axes: numbers of a given `shape` with the last axis
            /// fastest are reordered so that the first axis is fastest.
            pub fn transposed(self, shape: [usize; 3]) -> Samples {
                match self { $(Samples::$variant(v) => Samples::$variant(transposed(&v, shape)),)* }
            }

            /// Returns the numbers with index `k` along an axis of `n` entries. Neighbors along
            /// this axis are `inner` numbers apart.
            pub fn picked(self, inner: usize, n: usize, k: usize) -> Samples {
                match self {
                    all if n == 1 => all,
                    $(Samples::$variant(v) => {
                        let rows = v.chunks_exact(inner * n);
                        let parts = rows.flat_map(|row| &row[inner * k..][..inner]);
                        Samples::$variant(parts.copied().collect())
                    })*
                }
            }

            /// Concatenates the numbers of `parts`, or returns `None` if their types differ or if
            /// there are no parts.
            pub fn joined(mut parts: Vec<Samples>) -> Option<Samples> {
                match parts.first()? {
                    _ if parts.len() == 1 => parts.pop(),
                    $(Samples::$variant(_) => {
                        let mut all = Vec::with_capacity(parts.iter().map(Samples::len).sum());
                        for part in &parts {
                            let Samples::$variant(v) = part else { return None };
                            all.extend_from_slice(v);
                        }
                        Some(Samples::$variant(all))
                    })*
                }
            }
        }

        $(impl From<Vec<$type>> for Samples {
            fn from(numbers: Vec<$type>) -> Self {
                Samples::$variant(numbers)
            }
        })*
    };
}

samples! {
    U8 u8, "uint8", "Unsigned 8-bit integers.";
    I8 i8, "int8", "Signed 8-bit integers.";
    U16 u16, "uint16", "Unsigned 16-bit integers.";
    I16 i16, "int16", "Signed 16-bit integers.";
    U32 u32, "uint32", "Unsigned 32-bit integers.";
    I32 i32, "int32", "Signed 32-bit integers.";
    U64 u64, "uint64", "Unsigned 64-bit integers.";
    I64 i64, "int64", "Signed 64-bit integers.";
    F32 f32, "float32", "Single-precision numbers.";
    F64 f64, "float64", "Double-precision numbers.";
}

/// The number of samples per task.
const BLOCK: usize = 1 << 16;

impl Samples {
    /// Returns true if there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if every number of the type is representable in `f32`.
    pub(super) fn fits_f32(&self) -> bool {
        self.width() <= 2 || matches!(self, Samples::F32(_))
    }

    /// Returns the distinct values after applying `change` to each number, in ascending order and
    /// with the number of occurrences. Returns `None` if a value is not an integer with an absolute
    /// value below 2^53, or if there are more than `most` distinct values.
    pub(super) fn labels_of(
        &self,
        most: usize,
        change: impl Fn(f64) -> f64 + Sync,
    ) -> Option<Vec<(f64, usize)>> {
        let blocks = (0..self.len().div_ceil(BLOCK)).into_par_iter();
        let of =
            |k: usize| self.labels(k * BLOCK..((k + 1) * BLOCK).min(self.len()), most, &change);
        let merged = |mut a: Labels, b: Labels| {
            b.counts.iter().all(|&(x, n)| a.take(x, n, most)).then_some(a)
        };
        let none = || Some(Labels::default());
        let all = blocks.map(of).reduce(none, |a, b| a.zip(b).and_then(|(a, b)| merged(a, b)));
        let mut counts = all?.counts;
        counts.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        Some(counts)
    }

    /// Returns statistics of all numbers after applying `change` to each. The bits of the mean do
    /// not depend on the number of threads.
    pub(super) fn statistics(&self, change: impl Fn(f64) -> f64 + Sync) -> Statistics {
        let blocks: Vec<Partial> = (0..self.len().div_ceil(BLOCK))
            .into_par_iter()
            .map(|k| self.facts(k * BLOCK..((k + 1) * BLOCK).min(self.len()), &change))
            .collect();
        let all = blocks.iter().fold(Partial::default(), Partial::with);
        let finite = self.len() - all.nan - all.infinite;
        let known = |x: f64| (finite > 0).then_some(x);
        Statistics {
            min: known(all.min),
            max: known(all.max),
            mean: known(all.sum / finite as f64),
            nan: all.nan,
            infinite: all.infinite,
        }
    }
}

/// The absolute value of a label is below this number, 2^53.
const LARGEST: f64 = 9_007_199_254_740_992.0;

/// Distinct integers with the number of occurrences of each.
#[derive(Clone, Default)]
struct Labels {
    counts: Vec<(f64, usize)>,
    /// The index of the most recent label in the list. It is tried first, because neighbors are
    /// usually equal.
    last: usize,
}

impl Labels {
    /// Adds `n` occurrences of a number. Returns false if the number is not an integer with an
    /// absolute value below [`LARGEST`], or if it is new and there are already `most` labels.
    fn take(&mut self, x: f64, n: usize, most: usize) -> bool {
        if self.counts.get(self.last).is_none_or(|(known, _)| *known != x) {
            let known = self.counts.iter().position(|(known, _)| *known == x);
            self.last = known.unwrap_or(self.counts.len());
            if known.is_none() {
                // The fractional part of NaN and infinity is not 0. Not all integers of 2^53 or
                // more are distinguishable.
                if x.fract() != 0.0 || x.abs() >= LARGEST || self.counts.len() == most {
                    return false;
                }
                // Adding zero turns -0 into 0.
                self.counts.push((x + 0.0, 0));
            }
        }
        self.counts[self.last].1 += n;
        true
    }
}

/// Statistics of the values of a volume, in their unit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Statistics {
    /// The smallest finite value, or `None` if there is none.
    pub min: Option<f64>,
    /// The largest finite value, or `None` if there is none.
    pub max: Option<f64>,
    /// The mean of the finite values, or `None` if there are none.
    pub mean: Option<f64>,
    /// The number of NaN values.
    pub nan: usize,
    /// The number of infinite values.
    pub infinite: usize,
}

/// Statistics of a part of the values.
#[derive(Clone, Copy)]
struct Partial {
    min: f64,
    max: f64,
    sum: f64,
    nan: usize,
    infinite: usize,
}

impl Default for Partial {
    fn default() -> Self {
        Partial { min: f64::INFINITY, max: f64::NEG_INFINITY, sum: 0.0, nan: 0, infinite: 0 }
    }
}

impl Partial {
    fn take(&mut self, x: f64) {
        if x.is_finite() {
            self.min = self.min.min(x);
            self.max = self.max.max(x);
            self.sum += x;
        } else if x.is_nan() {
            self.nan += 1;
        } else {
            self.infinite += 1;
        }
    }

    fn with(self, other: &Partial) -> Partial {
        Partial {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            sum: self.sum + other.sum,
            nan: self.nan + other.nan,
            infinite: self.infinite + other.infinite,
        }
    }
}

/// Reorders numbers `[x][y][z]` with z fastest into `[z][y][x]` with x fastest.
fn transposed<T: Copy + Send + Sync>(v: &[T], [nx, ny, nz]: [usize; 3]) -> Vec<T> {
    let rows = (0..nz * ny).into_par_iter();
    rows.flat_map_iter(|row| {
        let (k, j) = (row / ny, row % ny);
        (0..nx).map(move |i| v[(i * ny + j) * nz + k])
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_leave_out_what_is_not_finite_and_count_it() {
        let numbers = vec![1.0, f64::NAN, -3.0, f64::INFINITY, 4.0, f64::NAN];
        let found = Samples::from(numbers).statistics(|x| 2.0 * x + 1.0);
        assert_eq!((found.min, found.max), (Some(-5.0), Some(9.0)));
        assert_eq!((found.nan, found.infinite), (2, 1));
        assert!((found.mean.unwrap() - 7.0 / 3.0).abs() < 1e-15);
        let none = Samples::from(vec![f32::NAN; 3]).statistics(|x| x);
        assert_eq!((none.min, none.mean, none.nan), (None, None, 3));
        let many: Vec<u8> = (0..200_000).map(|k| (k % 251) as u8).collect();
        let mean = many.iter().map(|&x| f64::from(x)).sum::<f64>() / 200_000.0;
        assert_eq!(Samples::from(many).statistics(|x| x).mean, Some(mean));
    }

    #[test]
    fn few_whole_numbers_are_labels() {
        let numbers: Vec<i16> = (0..200_000).map(|k| if k % 7 == 0 { 3 } else { -1 }).collect();
        let found = Samples::from(numbers.clone()).labels_of(2, |x| x);
        assert_eq!(found, Some(vec![(-1.0, 171_428), (3.0, 28_572)]));
        assert_eq!(Samples::from(numbers.clone()).labels_of(1, |x| x), None);
        assert_eq!(Samples::from(numbers).labels_of(2, |x| x / 2.0), None);
        let zeros = Samples::from(vec![-0.0_f32, 0.0]).labels_of(2, |x| x);
        assert_eq!(zeros.map(|found| found[0].0.to_bits()), Some(0));
        for odd in [f32::NAN, f32::INFINITY, f32::MAX] {
            assert_eq!(Samples::from(vec![1.0, odd]).labels_of(9, |x| x), None);
        }
        // Integers of 2^53 or more are not labels, because 2^53 and 2^53 + 1 are equal as f64.
        let ids = vec![1_u64 << 52, (1 << 53) - 1];
        assert_eq!(Samples::from(ids).labels_of(9, |x| x).map(|found| found.len()), Some(2));
        assert_eq!(Samples::from(vec![1_u64 << 53, (1 << 53) + 1]).labels_of(9, |x| x), None);
    }

    #[test]
    fn axes_are_turned_round_and_parts_joined() {
        // The number 100 x + 10 y + z is at [x][y][z] of an array of 2 x 3 x 4.
        let at = |x: u16, y: u16, z: u16| 100 * x + 10 * y + z;
        let c: Vec<u16> = (0..24).map(|n: u16| at(n / 12, n / 4 % 3, n % 4)).collect();
        let fortran: Vec<u16> = (0..24).map(|n: u16| at(n % 2, n / 2 % 3, n / 6)).collect();
        assert_eq!(Samples::from(c).transposed([2, 3, 4]), Samples::from(fortran));
        let parts = || vec![Samples::from(vec![1_i16, 2]), Samples::from(vec![3_i16])];
        assert_eq!(Samples::joined(parts()), Some(Samples::from(vec![1_i16, 2, 3])));
        assert_eq!(Samples::joined([parts(), vec![vec![1_u8].into()]].concat()), None);
        assert_eq!(Samples::from(vec![1_i16, -2]).le_bytes(1..2), [254, 255]);
    }
}
