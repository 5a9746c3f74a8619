//! The lower envelope of parabolas over a line of voxels.

use std::ops::Range;

/// The lower envelope of the parabolas `height + (x - place)^2` of a line, from left to right. Its
/// memory is reused from line to line.
///
/// See Felzenszwalb and Huttenlocher, Distance transforms of sampled functions, 2012, section 2.1.
pub(super) struct Envelope<T> {
    parabolas: Vec<Parabola<T>>,
    /// The values `0.5 / i`. They are tabulated because a division would take longer than all other
    /// operations together.
    half: Vec<f64>,
}

#[derive(Clone, Copy)]
struct Parabola<T> {
    /// The position where the parabola becomes the lowest.
    from: f64,
    /// The value of the parabola at 0, `height + place^2`.
    at_zero: f64,
    place: u32,
    /// The data that belongs to the parabola.
    with: T,
}

impl<T: Copy> Envelope<T> {
    /// Creates the memory for lines of `n` voxels.
    pub fn new(n: usize) -> Self {
        let half = (0..n).map(|i| 0.5 / i as f64).collect();
        Envelope { parabolas: Vec::with_capacity(n), half }
    }

    /// Builds the envelope of a new line. For each voxel from left to right, `line` yields the
    /// height of its parabola and the data that belongs to it, if there is a parabola.
    pub fn build(&mut self, line: impl Iterator<Item = (Option<f64>, T)>) {
        let parabolas = &mut self.parabolas;
        parabolas.clear();
        for (i, (height, with)) in line.enumerate() {
            let Some(height) = height else { continue };
            let at_zero = height + (i * i) as f64;
            let mut from = f64::NEG_INFINITY;
            while let Some(last) = parabolas.last() {
                let crossing = (at_zero - last.at_zero) * self.half[i - last.place as usize];
                if crossing > last.from {
                    from = crossing;
                    break;
                }
                parabolas.pop();
            }
            parabolas.push(Parabola { from, at_zero, place: i as u32, with });
        }
    }

    /// Returns true if the line has no parabola.
    pub fn is_empty(&self) -> bool {
        self.parabolas.is_empty()
    }

    /// Returns the intervals of a line of `n` voxels in which one parabola is the lowest, from left
    /// to right, with the position and the data of that parabola. There are none if the line has no
    /// parabola.
    ///
    /// Integer heights give exact results. Where two parabolas are equal at a voxel, either may be
    /// returned. Elsewhere, their intersection is farther from every voxel than the rounding error.
    pub fn stretches(&self, n: usize) -> impl Iterator<Item = (Range<usize>, usize, T)> {
        let ends = self.parabolas.iter().skip(1).map(move |next| {
            // This rounds up without a library call. A negative float becomes 0.
            let whole = next.from as usize;
            (whole + usize::from(next.from > whole as f64)).min(n)
        });
        let mut first = 0;
        self.parabolas.iter().zip(ends.chain([n])).map(move |(p, end)| {
            let stretch = first..end;
            first = end;
            (stretch, p.place as usize, p.with)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_lowest_parabola_is_that_of_a_search_through_all(
            height in proptest::collection::vec(proptest::option::of(0_u32..2_000), 1..80),
        ) {
            let n = height.len();
            let height: Vec<Option<f64>> = height.into_iter().map(|h| h.map(f64::from)).collect();
            let value = |i: usize, k: usize| height[k].map(|h| h + (i.abs_diff(k) as f64).powi(2));
            let mut envelope = Envelope::new(n);
            envelope.build(height.iter().copied().zip(0..n));
            let mut seen = 0;
            for (stretch, place, with) in envelope.stretches(n) {
                prop_assert_eq!(place, with);
                for i in stretch {
                    prop_assert_eq!(i, seen, "stretches must be in order from left to right");
                    seen += 1;
                    let least = (0..n).filter_map(|k| value(i, k)).fold(f64::INFINITY, f64::min);
                    prop_assert_eq!(value(i, place), Some(least), "voxel {}", i);
                }
            }
            prop_assert_eq!(seen, if height.iter().any(Option::is_some) { n } else { 0 });
        }
    }
}
