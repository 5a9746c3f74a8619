//! Values over some axes of a lattice, and the loops that combine values over different axes.
//!
//! A value over the axes of a [`Mask`] is an array whose size is the product of the axis lengths,
//! with the first axis fastest. An operation runs over the rows of its result. Along a row of the
//! result, an operand either varies as well or is a single number.

/// The axes x, y, z that a value depends on, as bits 0, 1, 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mask(u8);

impl Mask {
    /// The number of different masks.
    pub(super) const COUNT: usize = 8;
    pub(super) const ALL: Mask = Mask(7);

    pub(super) fn axis(k: usize) -> Self {
        Mask(1 << k)
    }

    pub(super) fn with(self, other: Self) -> Self {
        Mask(self.0 | other.0)
    }

    pub(super) fn has(self, axis: usize) -> bool {
        self.0 >> axis & 1 == 1
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Returns the number of values over these axes of a lattice with `lengths` coordinates per
    /// axis.
    pub(super) fn size(self, lengths: [usize; 3]) -> usize {
        (0..3).filter(|&k| self.has(k)).map(|k| lengths[k]).product()
    }
}

/// An operand along one row of a result.
#[derive(Clone, Copy)]
pub(super) enum Row<'a, T> {
    Many(&'a [T]),
    One(T),
}

/// The order in which a result and `N` operands are traversed together.
///
/// Neighboring axes are merged if each operand is either contiguous in memory or constant along
/// both axes. For example, a product of a value over x and y with a value over z has one row per z.
pub(super) struct Walk<const N: usize> {
    /// The number of values of the result along each of its merged axes, fastest first; 1 for a
    /// missing axis.
    lengths: [usize; 3],
    /// The strides of the operands along the merged axes of the result. Along the first axis, they
    /// are 0 or 1.
    strides: [[usize; N]; 3],
}

impl<const N: usize> Walk<N> {
    /// Plans the traversal. `result` must contain all axes of the `operands`.
    pub(super) fn new(lengths: [usize; 3], result: Mask, operands: [Mask; N]) -> Self {
        let mut walk = Walk { lengths: [1; 3], strides: [[0; N]; 3] };
        if operands.iter().all(|&mask| mask == result || mask == Mask::default()) {
            walk.lengths[0] = result.size(lengths);
            walk.strides[0] = operands.map(|mask| usize::from(mask != Mask::default()));
            return walk;
        }
        // The stride of the next axis of each operand.
        let mut next = [1; N];
        let mut axes = 0;
        for axis in (0..3).filter(|&axis| result.has(axis)) {
            let mut strides = [0; N];
            for (k, mask) in operands.iter().enumerate() {
                if mask.has(axis) {
                    strides[k] = next[k];
                    next[k] *= lengths[axis];
                }
            }
            let goes_on = |last: usize| {
                (0..N).all(|k| strides[k] == walk.strides[last][k] * walk.lengths[last])
            };
            if axes > 0 && goes_on(axes - 1) {
                walk.lengths[axes - 1] *= lengths[axis];
            } else {
                walk.lengths[axes] = lengths[axis];
                walk.strides[axes] = strides;
                axes += 1;
            }
        }
        walk
    }

    /// Calls `work` for each row of `result` with the operands along it. No length may be 0.
    #[inline(always)]
    pub(super) fn rows<T: Copy, V>(
        &self,
        result: &mut [V],
        operands: [&[T]; N],
        mut work: impl FnMut(&mut [V], [Row<'_, T>; N]),
    ) {
        let [n, rows, planes] = self.lengths;
        let [along, up, out] = self.strides;
        let mut rest = result;
        for k in 0..planes {
            for j in 0..rows {
                let (row, more) = rest.split_at_mut(n);
                rest = more;
                let operand = |i: usize| {
                    let first = j * up[i] + k * out[i];
                    match along[i] {
                        0 => Row::One(operands[i][first]),
                        _ => Row::Many(&operands[i][first..first + n]),
                    }
                };
                work(row, std::array::from_fn(operand));
            }
        }
    }
}

#[inline(always)]
pub(super) fn map<T: Copy, V: Copy>(result: &mut [V], a: Row<'_, T>, f: impl Fn(T) -> V) {
    match a {
        Row::Many(a) => result.iter_mut().zip(a).for_each(|(r, &a)| *r = f(a)),
        Row::One(a) => result.fill(f(a)),
    }
}

#[inline(always)]
pub(super) fn map2<T: Copy>(result: &mut [T], a: Row<'_, T>, b: Row<'_, T>, f: impl Fn(T, T) -> T) {
    match (a, b) {
        (a, Row::One(b)) => map(result, a, |a| f(a, b)),
        (Row::One(a), b) => map(result, b, |b| f(a, b)),
        (Row::Many(a), Row::Many(b)) => {
            result.iter_mut().zip(a).zip(b).for_each(|((r, &a), &b)| *r = f(a, b));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the value of an operand at a point of the lattice.
    fn at(lengths: [usize; 3], mask: Mask, values: &[f64], point: [usize; 3]) -> f64 {
        let mut place = 0;
        for axis in (0..3).rev().filter(|&axis| mask.has(axis)) {
            place = place * lengths[axis] + point[axis];
        }
        values[place]
    }

    #[test]
    fn operands_of_all_masks_meet_at_the_same_point() {
        for lengths in [[3, 4, 5], [1, 1, 1], [1, 2, 3], [2, 1, 3], [3, 2, 1], [8, 8, 8]] {
            for (p, q) in (0..8).flat_map(|p| (0..8).map(move |q| (Mask(p), Mask(q)))) {
                let operand = |mask: Mask, sign: f64| -> Vec<f64> {
                    (0..mask.size(lengths)).map(|k| sign * (k + 1) as f64).collect()
                };
                let (a, b) = (operand(p, 1.0), operand(q, -1000.0));
                for mask in [p.with(q), Mask::ALL] {
                    let mut result = vec![0.0; mask.size(lengths)];
                    let walk = Walk::new(lengths, mask, [p, q]);
                    walk.rows(&mut result, [&a, &b], |row, [a, b]| map2(row, a, b, |a, b| a + b));
                    for point in (0..lengths.iter().product()).map(|k: usize| {
                        let [nx, ny, _] = lengths;
                        [k % nx, k / nx % ny, k / (nx * ny)]
                    }) {
                        let expected = at(lengths, p, &a, point) + at(lengths, q, &b, point);
                        let found = at(lengths, mask, &result, point);
                        assert_eq!(found, expected, "{p:?} {q:?} {lengths:?} {point:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn axes_that_go_on_are_one_row() {
        let (x, xy, z) = (Mask(1), Mask(3), Mask(4));
        let lengths = |result, operands| Walk::<2>::new([8, 4, 2], result, operands).lengths;
        assert_eq!(lengths(Mask::ALL, [Mask::ALL, Mask::ALL]), [64, 1, 1]);
        assert_eq!(lengths(Mask::ALL, [xy, z]), [32, 2, 1]);
        assert_eq!(lengths(Mask::ALL, [x, Mask(6)]), [8, 8, 1]);
        assert_eq!(lengths(Mask::ALL, [Mask(5), Mask(2)]), [8, 4, 2]);
        assert_eq!(lengths(Mask(6), [Mask(2), z]), [4, 2, 1]);
        assert_eq!(lengths(Mask(0), [Mask(0), Mask(0)]), [1, 1, 1]);
    }
}
