//! Outward search for the nearest voxel of a line, for several neighboring lines at once.
//!
//! If the nearest voxels are close, a few steps suffice and the search is faster than an envelope.
//! Building an envelope needs a branch that a CPU cannot predict: whether a parabola remains part
//! of it. Lines that step outward together compare without a branch.

use super::LINES;
use super::pass_state::Pair;

/// The number of lines that step together, chosen so that their state fits into registers.
const TOGETHER: usize = 8;

/// The largest mean number of steps for which the search is faster than an envelope. The mean is
/// taken over the voxels along a line, with the maximum over neighboring lines for each voxel.
const FEW: f64 = 14.0;

/// A group of neighboring lines. Its memory is reused.
pub(super) struct Search<P> {
    /// The squared distance found by the previous passes for each voxel, negative inside:
    /// `[n][LINES]`.
    heights: Vec<[f64; LINES]>,
    /// Copies of the voxels before the search overwrites them.
    pairs: Vec<[P; LINES]>,
}

impl<P: Pair> Search<P> {
    /// Creates the memory for lines of `n` voxels.
    pub fn new(n: usize) -> Self {
        Search { heights: vec![[0.0; LINES]; n], pairs: vec![[P::none(); LINES]; n] }
    }

    /// Reads the voxels of new lines. Each row has the voxels at one position of all lines. Returns
    /// false, without reading the rest, if the search could need too many steps.
    pub fn take(&mut self, rows: &[&mut [P]], height: impl Fn(P) -> Option<f64>) -> bool {
        let mut steps = 0.0;
        for ((heights, pairs), row) in self.heights.iter_mut().zip(&mut self.pairs).zip(rows) {
            // An incomplete group of lines is padded with lines that need no search.
            if row.len() < LINES {
                (*heights, *pairs) = ([0.0; LINES], [P::none(); LINES]);
            }
            let mut most = 0.0;
            for ((into, kept), &pair) in heights.iter_mut().zip(pairs).zip(&**row) {
                *kept = pair;
                let height = height(pair).unwrap_or(f64::INFINITY);
                most = larger(most, height);
                *into = if pair.is_inside() { -height } else { height };
            }
            steps += most.sqrt();
            // In a volume with few voxels inside, most lines are rejected early.
            if steps > FEW * rows.len() as f64 {
                return false;
            }
        }
        true
    }

    /// Replaces each voxel by `result` of the nearest voxel in its line and the number of steps to
    /// that voxel. [`Search::take`] must have returned true.
    pub fn find(
        &mut self,
        rows: &mut [&mut [P]],
        signed: bool,
        result: impl Fn(Option<P>, usize) -> P,
    ) {
        for (i, row) in rows.iter_mut().enumerate() {
            for (first, part) in (0..).step_by(TOGETHER).zip(row.chunks_mut(TOGETHER)) {
                let by = outwards(&self.heights, i, first);
                for (lane, (pair, by)) in part.iter_mut().zip(by).enumerate() {
                    let other = self.pairs[(i as isize + by as isize) as usize][first + lane];
                    let is_other_side = pair.is_inside() != other.is_inside();
                    let near = if is_other_side { P::new(0, 0) } else { other };
                    *pair =
                        result(Some(near), by.abs() as usize).on_side(pair.is_inside() && signed);
                }
            }
        }
    }
}

fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// Returns the signed number of steps from voxel `i` to the nearest voxel of its line, for each of
/// the `TOGETHER` lines starting at `first`.
fn outwards(heights: &[[f64; LINES]], i: usize, first: usize) -> [f64; TOGETHER] {
    let of = |i: usize| -> &[f64; TOGETHER] {
        heights[i][first..].first_chunk().expect("lines come in complete groups")
    };
    let side = of(i).map(|height| 1_f64.copysign(height));
    let mut least = of(i).map(f64::abs);
    let mut by = [0.0; TOGETHER];
    for k in 1..heights.len() {
        let square = (k * k) as f64;
        if least.into_iter().fold(0.0, larger) <= square {
            break;
        }
        if let Some(before) = i.checked_sub(k) {
            look(of(before), &side, square, -(k as f64), &mut least, &mut by);
        }
        if i + k < heights.len() {
            look(of(i + k), &side, square, k as f64, &mut least, &mut by);
        }
    }
    by
}

/// Compares the voxels `step` steps away with the nearest voxels found so far.
#[inline(always)]
fn look(
    at: &[f64; TOGETHER],
    side: &[f64; TOGETHER],
    square: f64,
    step: f64,
    least: &mut [f64; TOGETHER],
    by: &mut [f64; TOGETHER],
) {
    for lane in 0..TOGETHER {
        // A voxel on the other side is a target itself, so its own steps do not count.
        let there = larger(0.0, side[lane] * at[lane]) + square;
        let is_nearer = there < least[lane];
        least[lane] = if is_nearer { there } else { least[lane] };
        by[lane] = if is_nearer { step } else { by[lane] };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_nearest_of_a_line_is_that_of_a_look_at_all(
            voxels in proptest::collection::vec(
                proptest::array::uniform9((0_u32..4, any::<bool>())), 1..40,
            ),
            signed in any::<bool>(),
        ) {
            // The distance to the other side is at least one step.
            let pair = |&(steps, inside): &(u32, bool)| {
                let inside = inside && signed;
                u32::new(steps + u32::from(signed), 0).on_side(inside)
            };
            let mut lines: Vec<Vec<u32>> =
                voxels.iter().map(|row| row.iter().map(pair).collect()).collect();
            let before = lines.clone();
            let height = |pair: u32| pair.steps().map(|(x, _)| f64::from(x).powi(2));
            let result = |near: Option<u32>, by: usize| {
                let (x, _) = near.and_then(Pair::steps).expect("all have one");
                u32::ended(None, 0, (f64::from(x).powi(2) + (by * by) as f64) as f32)
            };
            let mut search = Search::new(lines.len());
            let mut rows: Vec<&mut [u32]> = lines.iter_mut().map(Vec::as_mut_slice).collect();
            prop_assert!(search.take(&rows, height));
            search.find(&mut rows, signed, result);
            for (i, row) in before.iter().enumerate() {
                for (lane, &own) in row.iter().enumerate() {
                    let to = |(k, row): (usize, &Vec<u32>)| {
                        let there = row[lane];
                        let is_own_side = there.is_inside() == own.is_inside();
                        let square = if is_own_side { height(there).unwrap_or(f64::INFINITY) } else { 0.0 };
                        square + (i.abs_diff(k) as f64).powi(2)
                    };
                    let least = before.iter().enumerate().map(to).fold(f64::INFINITY, f64::min);
                    let sign = if own.is_inside() { -1.0 } else { 1.0 };
                    prop_assert_eq!(f64::from(lines[i][lane].distance()), sign * least);
                }
            }
        }
    }

    #[test]
    fn far_voxels_are_left_to_an_envelope() {
        let mut far = [u32::new(100, 0); 3];
        let mut search = Search::new(3);
        let rows = far.chunks_mut(1).collect::<Vec<_>>();
        assert!(!search.take(&rows, |pair| pair.steps().map(|(x, _)| f64::from(x).powi(2))));
        assert!(!search.take(&rows, |_| None));
    }
}
