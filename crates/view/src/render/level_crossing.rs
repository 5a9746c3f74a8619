//! Intersection of a ray with an isosurface inside a cube. Values between eight voxels are
//! interpolated linearly along each axis. Therefore, they are a cubic polynomial along the ray.

use super::vector::V;

/// The number of bisections. They shrink the interval until it is smaller than the rounding error
/// at its upper end.
const HALVINGS: usize = 60;

/// The polynomial of the values along a ray in a cube, `c[0] + c[1] t + c[2] t^2 + c[3] t^3`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    c: [f64; 4],
}

impl Along {
    /// Computes the polynomial. `values` are the values at the corners, x fastest. The ray starts
    /// at `start`, with coordinates between 0 and 1, and moves by `along` as `t` increases by 1.
    pub(super) fn new(values: &[f64; 8], start: V, along: V) -> Self {
        // Interpolation along x gives degree one in t, interpolation along y degree two, and
        // interpolation along z degree three.
        let mix = |a: [f64; 4], b: [f64; 4], k: usize| {
            let d = [0, 1, 2, 3].map(|n| b[n] - a[n]);
            let shifted = [0.0, d[0], d[1], d[2]];
            [0, 1, 2, 3].map(|n| a[n] + start[k] * d[n] + along[k] * shifted[n])
        };
        let edge = |n: usize| {
            let constant = |value: f64| [value, 0.0, 0.0, 0.0];
            mix(constant(values[n]), constant(values[n + 1]), 0)
        };
        let face = |n: usize| mix(edge(n), edge(n + 2), 1);
        Along { c: mix(face(0), face(4), 2) }
    }

    fn value(&self, t: f64) -> f64 {
        let [a, b, c, d] = self.c;
        a + t * (b + t * (c + t * d))
    }

    /// Returns the first `t` from 0 to `last` at which the values cross `level`, or `None` if they
    /// do not cross it.
    pub(super) fn first(&self, level: f64, last: f64) -> Option<f64> {
        // Between two extrema, the polynomial crosses a level at most once.
        let mut ends = [0.0, last, last, last];
        let mut n = 1;
        for turn in self.turns() {
            if turn > 0.0 && turn < last {
                ends[n] = turn;
                n += 1;
            }
        }
        let height = |t: f64| self.value(t) - level;
        for pair in ends[..=n].windows(2) {
            let (mut low, mut high) = (pair[0], pair[1]);
            let side = height(low) < 0.0;
            if height(low) == 0.0 {
                return Some(low);
            }
            if side == (height(high) < 0.0) {
                continue;
            }
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if (height(middle) < 0.0) == side {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            return Some(high);
        }
        None
    }

    /// Returns the positions of the extrema in ascending order.
    fn turns(&self) -> impl Iterator<Item = f64> {
        let [_, b, c, d] = self.c;
        let (a, b, c) = (3.0 * d, 2.0 * c, b);
        let root = (b * b - 4.0 * a * c).sqrt();
        // This form avoids cancellation. A root that does not exist is NaN and is dropped.
        let q = -0.5 * (b + if b < 0.0 { -root } else { root });
        let (one, other) = (q / a, c / q);
        [one.min(other), one.max(other)].into_iter().filter(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn trilinear(values: &[f64; 8], at: V) -> f64 {
        let weight = |n: usize| {
            let share = |k: usize| if n >> k & 1 == 1 { at[k] } else { 1.0 - at[k] };
            share(0) * share(1) * share(2)
        };
        (0..8).map(|n| weight(n) * values[n]).sum()
    }

    proptest! {
        #[test]
        fn the_first_crossing_is_where_fine_steps_find_it(
            values in proptest::array::uniform8(-1.0f64..1.0),
            start in proptest::array::uniform3(0.0f64..1.0),
            along in proptest::array::uniform3(-1.0f64..1.0),
            level in -0.5f64..0.5,
        ) {
            let at = |t: f64| [0, 1, 2].map(|k| start[k] + t * along[k]);
            let ray = Along::new(&values, start, along);
            for t in [0.0, 0.3, 1.0] {
                prop_assert!((ray.value(t) - trilinear(&values, at(t))).abs() < 1e-12);
            }
            let side = |t: f64| trilinear(&values, at(t)) < level;
            let stepped = (1..=2000).map(|k| f64::from(k) / 2000.0).find(|&t| side(t) != side(0.0));
            let found = ray.first(level, 1.0);
            if let Some(t) = stepped {
                // Sampling can miss a pair of crossings, but `first` cannot.
                prop_assert!(found.is_some_and(|x| x <= t + 1e-12), "{found:?} {t}");
            }
            if let Some(t) = found {
                prop_assert!((trilinear(&values, at(t)) - level).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn flat_and_touching_values() {
        let at = |values: [f64; 8], level| {
            Along::new(&values, [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]).first(level, 1.0)
        };
        assert_eq!(at([1.0; 8], 0.0), None);
        assert_eq!(at([1.0; 8], 1.0), Some(0.0));
        let rising = [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
        assert_eq!(at(rising, 0.0), Some(0.0));
        assert_eq!(at(rising, 1.0), Some(1.0));
        assert_eq!(at(rising, 0.25), Some(0.25));
    }
}
