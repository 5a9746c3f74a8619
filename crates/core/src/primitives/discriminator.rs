//! Discriminators: predicates that mark the active cells of a grid (Ziegler et al. 2006, section
//! 3).
//!
//! Grids have up to three axes, x fastest. A picture has one slice. A [`Discriminator`] marks cells
//! as bits. The caller can fuse this with the next step
//! ([`HistoPyramid::new`](super::HistoPyramid::new)) or store the bits ([`Bits`](super::Bits)).

/// The number of cells per word.
pub(super) const WORD: usize = u64::BITS as usize;

/// A predicate on the cells of a grid.
pub trait Discriminator: Sync {
    /// Returns the numbers of cells along x, y and z.
    fn shape(&self) -> [usize; 3];

    /// Marks which of the `n` cells of a row, starting at the cell `first`, satisfy the predicate.
    /// Bit `b` of word `w` of `active` belongs to cell `64 w + b` of these cells, and the remaining
    /// bits are 0. The number of words is `n / 64`, rounded up.
    fn mark(&self, first: [usize; 3], n: usize, active: &mut [u64]);
}

/// Numbers on a grid, in the form in which discriminators read them.
pub trait Values: Sync {
    /// Returns the numbers of cells along x, y and z.
    fn shape(&self) -> [usize; 3];

    /// Reads the `row.len()` numbers of a row, starting at the cell `first`.
    fn read(&self, first: [usize; 3], row: &mut [f64]);
}

impl<V: Values> Values for &V {
    #[inline]
    fn shape(&self) -> [usize; 3] {
        (**self).shape()
    }

    #[inline]
    fn read(&self, first: [usize; 3], row: &mut [f64]) {
        (**self).read(first, row);
    }
}

/// A grid of numbers of one type, x fastest.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a, T> {
    shape: [usize; 3],
    values: &'a [T],
}

impl<'a, T> Grid<'a, T> {
    /// Creates a grid of `shape` from values, x fastest.
    ///
    /// # Panics
    /// Panics if there is not exactly one value per cell.
    #[inline]
    pub fn new(shape: [usize; 3], values: &'a [T]) -> Self {
        assert_eq!(shape.iter().product::<usize>(), values.len(), "one value for each cell");
        Grid { shape, values }
    }

    /// Returns the shape and the values, x fastest.
    #[inline]
    pub fn parts(&self) -> ([usize; 3], &'a [T]) {
        (self.shape, self.values)
    }

    #[inline]
    fn row(&self, first: [usize; 3], n: usize) -> &'a [T] {
        &self.values[place(self.shape, first)..][..n]
    }
}

/// Returns the index of a cell in a grid of `shape`, x fastest.
pub(super) fn place(shape: [usize; 3], [x, y, z]: [usize; 3]) -> usize {
    x + shape[0] * (y + shape[1] * z)
}

impl<T: Copy + Into<f64> + Sync> Values for Grid<'_, T> {
    #[inline]
    fn shape(&self) -> [usize; 3] {
        self.shape
    }

    #[inline]
    fn read(&self, first: [usize; 3], row: &mut [f64]) {
        let given = self.row(first, row.len());
        row.iter_mut().zip(given).for_each(|(x, &v)| *x = v.into());
    }
}

/// Flags of one byte each. Cells with a flag other than 0 are active.
pub type Flags<'a> = Grid<'a, u8>;

impl Discriminator for Flags<'_> {
    #[inline]
    fn shape(&self) -> [usize; 3] {
        self.shape
    }

    fn mark(&self, first: [usize; 3], n: usize, active: &mut [u64]) {
        for (word, flags) in active.iter_mut().zip(self.row(first, n).chunks(WORD)) {
            let (eights, rest) = flags.as_chunks::<8>();
            let packed = eights
                .iter()
                .enumerate()
                .map(|(k, &e)| pack_eight(u64::from_le_bytes(e)) << (8 * k));
            *word = packed.fold(0, |word, bits| word | bits);
            let more = rest.iter().enumerate().map(|(k, &f)| u64::from(f != 0) << k);
            *word |= more.fold(0, |word, bit| word | bit) << (8 * eights.len() % WORD);
        }
    }
}

/// Packs eight flags, the bytes of a word, into one bit each.
pub(super) fn pack_eight(word: u64) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    // The sum and the bitwise OR set the highest bit of each nonzero byte. The shift moves it to
    // the lowest bit, and the product gathers these bits.
    let set = (((word & LOW) + LOW) | word) >> 7 & 0x0101_0101_0101_0101;
    set.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Reads a row word by word and packs the results of `decide`.
fn mark_values(
    values: &impl Values,
    [x, y, z]: [usize; 3],
    n: usize,
    active: &mut [u64],
    decide: impl Fn(f64) -> bool,
) {
    let mut row = [0.0; WORD];
    for (k, word) in active.iter_mut().enumerate() {
        let here = (n - k * WORD).min(WORD);
        values.read([x + k * WORD, y, z], &mut row[..here]);
        *word = pack(row[..here].iter().map(|&v| decide(v)));
    }
}

/// Packs up to 64 booleans into the bits of a word.
pub(crate) fn pack(answers: impl Iterator<Item = bool>) -> u64 {
    answers.enumerate().fold(0, |word, (bit, yes)| word | u64::from(yes) << bit)
}

/// Marks cells whose value is at least `low` (the paper's threshold operator).
#[derive(Clone, Copy, Debug)]
pub struct Threshold<V> {
    /// The values to compare.
    pub values: V,
    /// The smallest active value.
    pub low: f64,
}

impl<V: Values> Discriminator for Threshold<V> {
    #[inline]
    fn shape(&self) -> [usize; 3] {
        self.values.shape()
    }

    #[inline]
    fn mark(&self, first: [usize; 3], n: usize, active: &mut [u64]) {
        mark_values(&self.values, first, n, active, |v| v >= self.low);
    }
}

/// Marks cells whose value lies in a closed range.
#[derive(Clone, Copy, Debug)]
pub struct Within<V> {
    /// The values to compare.
    pub values: V,
    /// The smallest active value.
    pub low: f64,
    /// The largest active value.
    pub high: f64,
}

impl<V: Values> Discriminator for Within<V> {
    #[inline]
    fn shape(&self) -> [usize; 3] {
        self.values.shape()
    }

    #[inline]
    fn mark(&self, first: [usize; 3], n: usize, active: &mut [u64]) {
        mark_values(&self.values, first, n, active, |v| v >= self.low && v <= self.high);
    }
}

/// Marks edges: cells where the magnitude of the gradient is at least `low`. Differences are
/// central, and one-sided at the boundary of the grid. An axis of one cell does not contribute.
#[derive(Clone, Copy, Debug)]
pub struct Edge<V> {
    /// The values whose gradient is taken.
    pub values: V,
    /// The smallest gradient magnitude of an active cell, in values per unit length.
    pub low: f64,
    /// The distance between cells along each axis.
    pub spacing: [f64; 3],
}

impl<V: Values> Discriminator for Edge<V> {
    #[inline]
    fn shape(&self) -> [usize; 3] {
        self.values.shape()
    }

    fn mark(&self, [x, y, z]: [usize; 3], n: usize, active: &mut [u64]) {
        let shape = self.shape();
        let (mut here, mut there) = ([0.0; WORD], [0.0; WORD]);
        for (k, word) in active.iter_mut().enumerate() {
            let count = (n - k * WORD).min(WORD);
            let first = [x + k * WORD, y, z];
            let mut squares = [0.0; WORD];
            for axis in [1, 2] {
                let [back, on] =
                    [first[axis].saturating_sub(1), (first[axis] + 1).min(shape[axis] - 1)];
                if on > back {
                    let at = |c| std::array::from_fn(|k| if k == axis { c } else { first[k] });
                    self.values.read(at(back), &mut here[..count]);
                    self.values.read(at(on), &mut there[..count]);
                    let per = 1.0 / ((on - back) as f64 * self.spacing[axis]);
                    let pairs = here[..count].iter().zip(&there);
                    for (square, (a, b)) in squares.iter_mut().zip(pairs) {
                        *square += ((b - a) * per).powi(2);
                    }
                }
            }
            // Along the row, one more cell on each side is read if it exists.
            let begin = first[0].saturating_sub(1);
            let end = (first[0] + count + 1).min(shape[0]);
            let mut row = [0.0; WORD + 2];
            self.values.read([begin, y, z], &mut row[..end - begin]);
            for (k, square) in squares[..count].iter_mut().enumerate() {
                let at = first[0] + k;
                let [back, on] = [at.saturating_sub(1), (at + 1).min(shape[0] - 1)];
                if on > back {
                    let change = row[on - begin] - row[back - begin];
                    *square += (change / ((on - back) as f64 * self.spacing[0])).powi(2);
                }
            }
            *word = pack(squares[..count].iter().map(|s| s.sqrt() >= self.low));
        }
    }
}

/// Marks cells where a template matches: the sum of absolute differences is at most `most` (the
/// paper's Figure 4).
///
/// The middle of the template lies on the cell. Along an axis of even size, the middle is the upper
/// of the two middle cells. Cells where the template reaches beyond the grid are not active.
#[derive(Clone, Copy, Debug)]
pub struct Template<'a, V> {
    /// The values to search.
    pub values: V,
    /// The template to find.
    pub template: Grid<'a, f64>,
    /// The largest sum of differences of an active cell.
    pub most: f64,
}

impl<V: Values> Discriminator for Template<'_, V> {
    #[inline]
    fn shape(&self) -> [usize; 3] {
        self.values.shape()
    }

    fn mark(&self, first: [usize; 3], n: usize, active: &mut [u64]) {
        let (shape, size) = (self.shape(), self.template.shape);
        let back = size.map(|n| n / 2);
        // Whether the template lies inside the grid at cell `c` along axis `k`.
        let fits = |k: usize, c: usize| c >= back[k] && c - back[k] + size[k] <= shape[k];
        active.fill(0);
        if size.contains(&0) || !fits(1, first[1]) || !fits(2, first[2]) {
            return;
        }
        let inside = (first[0]..first[0] + n).filter(|&x| fits(0, x));
        let (Some(begin), Some(last)) = (inside.clone().min(), inside.max()) else { return };
        let mut sums = vec![0.0; last + 1 - begin];
        let mut row = vec![0.0; sums.len() + size[0] - 1];
        for (z, y) in (0..size[2]).flat_map(|z| (0..size[1]).map(move |y| (z, y))) {
            let from = [begin - back[0], first[1] - back[1] + y, first[2] - back[2] + z];
            self.values.read(from, &mut row);
            for (dx, wanted) in self.template.row([0, y, z], size[0]).iter().enumerate() {
                sums.iter_mut().zip(&row[dx..]).for_each(|(s, v)| *s += (v - wanted).abs());
            }
        }
        for (x, sum) in (begin - first[0]..).zip(sums) {
            active[x / WORD] |= u64::from(sum <= self.most) << (x % WORD);
        }
    }
}

/// Marks cells for which a function returns true.
#[derive(Clone, Copy, Debug)]
pub struct Chosen<F> {
    /// The numbers of cells along x, y and z.
    pub shape: [usize; 3],
    /// The function, which receives the indices of a cell.
    pub choose: F,
}

impl<F: Fn([usize; 3]) -> bool + Sync> Discriminator for Chosen<F> {
    #[inline]
    fn shape(&self) -> [usize; 3] {
        self.shape
    }

    #[inline]
    fn mark(&self, [x, y, z]: [usize; 3], n: usize, active: &mut [u64]) {
        for (k, word) in active.iter_mut().enumerate() {
            let here = k * WORD..((k + 1) * WORD).min(n);
            *word = pack(here.map(|dx| (self.choose)([x + dx, y, z])));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns pseudorandom values from 0 to 255.
    fn scattered(shape: [usize; 3]) -> Vec<u8> {
        let n = shape.iter().product::<usize>() as u32;
        (0..n).map(|k| (k.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
    }

    /// Compares a discriminator with a function of the cell, over pieces of rows.
    fn check(found: &impl Discriminator, expected: impl Fn([usize; 3]) -> bool) {
        let shape = found.shape();
        for (z, y) in (0..shape[2]).flat_map(|z| (0..shape[1]).map(move |y| (z, y))) {
            for first in [0, 1, shape[0] / 2, shape[0] - 1] {
                let n = shape[0] - first;
                let mut active = vec![u64::MAX; n.div_ceil(WORD)];
                found.mark([first, y, z], n, &mut active);
                for (k, word) in active.iter().enumerate() {
                    for bit in 0..WORD {
                        let x = first + k * WORD + bit;
                        let wanted = x < shape[0] && expected([x, y, z]);
                        assert_eq!(word >> bit & 1 == 1, wanted, "{shape:?}: {:?}", [x, y, z]);
                    }
                }
            }
        }
    }

    const SHAPES: [[usize; 3]; 6] =
        [[1, 1, 1], [64, 2, 1], [65, 3, 2], [7, 5, 3], [130, 1, 1], [1, 9, 4]];

    #[test]
    fn values_are_judged_one_by_one() {
        for shape in SHAPES {
            let bytes = scattered(shape);
            let values = Grid::new(shape, &bytes);
            let at = |c| bytes[place(shape, c)];
            check(&Threshold { values, low: 100.0 }, |c| at(c) >= 100);
            check(&Within { values, low: 50.0, high: 60.0 }, |c| (50..=60).contains(&at(c)));
            let odd = |c: [usize; 3]| c.iter().sum::<usize>() % 2 == 1;
            check(&Chosen { shape, choose: odd }, odd);
            let flags: Vec<u8> = bytes.iter().map(|b| b & 0x81).collect();
            check(&Flags::new(shape, &flags), |c| at(c) & 0x81 != 0);
        }
    }

    #[test]
    fn edges_are_those_of_differences() {
        for shape in SHAPES {
            let bytes = scattered(shape);
            let at = |c: [usize; 3]| f64::from(bytes[place(shape, c)]);
            let spacing = [1.0, 0.5, 2.0];
            let size = |c: [usize; 3]| {
                let along = |k: usize| {
                    let (mut a, mut b) = (c, c);
                    a[k] = c[k].saturating_sub(1);
                    b[k] = (c[k] + 1).min(shape[k] - 1);
                    let steps = (b[k] - a[k]) as f64;
                    if steps == 0.0 { 0.0 } else { (at(b) - at(a)) / (steps * spacing[k]) }
                };
                (0..3).map(|k| along(k).powi(2)).sum::<f64>().sqrt()
            };
            let edge = Edge { values: Grid::new(shape, &bytes), low: 90.01, spacing };
            check(&edge, |c| size(c) >= 90.01);
        }
    }

    #[test]
    fn templates_fit_where_the_differences_are_small() {
        for shape in SHAPES {
            let bytes = scattered(shape);
            for size in [[1, 1, 1], [3, 1, 1], [3, 3, 1], [2, 2, 2]] {
                let wanted: Vec<f64> =
                    (0..size.iter().product::<usize>()).map(|k| 40.0 * k as f64).collect();
                let most = 60.0 * wanted.len() as f64;
                let fits = |c: [usize; 3]| {
                    let mut sum = 0.0;
                    for (k, value) in wanted.iter().enumerate() {
                        let d = [k % size[0], k / size[0] % size[1], k / size[0] / size[1]];
                        let at: [isize; 3] = std::array::from_fn(|a| {
                            c[a] as isize + d[a] as isize - size[a] as isize / 2
                        });
                        if (0..3).any(|a| at[a] < 0 || at[a] as usize >= shape[a]) {
                            return false;
                        }
                        sum +=
                            (f64::from(bytes[place(shape, at.map(|a| a as usize))]) - value).abs();
                    }
                    sum <= most
                };
                let template = Grid::new(size, &wanted);
                check(&Template { values: Grid::new(shape, &bytes), template, most }, fits);
            }
        }
    }
}
