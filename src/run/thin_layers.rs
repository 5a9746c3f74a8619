//! Finds layers in which a speed vanishes or changes sign, and which are thinner than a grid
//! resolves.
//!
//! The speed is examined along rows of samples. A layer is a run of samples at which the speed is
//! zero, or has the opposite sign, between samples of equal sign. A front that comes from one side
//! should stop there. The layer counts only if neighboring rows meet it, too, because a row that
//! grazes a round obstacle also has a short run.

use crate::parallel::*;

/// The neighboring rows, in pairs on opposite sides.
const WAYS: [[f64; 2]; 8] = [
    [1.0, 0.0],
    [-1.0, 0.0],
    [0.0, 1.0],
    [0.0, -1.0],
    [2.0, 0.0],
    [-2.0, 0.0],
    [0.0, 2.0],
    [0.0, -2.0],
];
/// A run counts as a layer if it continues in this many neighboring rows.
const CONTINUED: usize = 6;
/// A row with more runs than this is noise. If half of the rows are noise, nothing is a layer.
const MOST_RUNS: usize = 4;
/// Speeds below this fraction of the largest speed are zero.
const ZERO: f64 = 1e-9;
/// Next to a layer with zero speed, the speed must reach this fraction of the largest speed nearby.
/// A speed that vanishes gradually slows a front down before it gets there.
const STEEP: f64 = 0.5;

/// Rows of samples along one axis.
pub(super) struct Rows<'a> {
    /// The distance between samples.
    pub step: f64,
    /// The thickness of a resolved layer.
    pub resolved: f64,
    /// The largest absolute value of the speed.
    pub most: f64,
    /// The distance between a row and its neighbors, along each of the other two axes, in the unit
    /// of their positions.
    pub shift: [f64; 2],
    /// The distance between a row and its neighbors, in the unit of `step`.
    pub apart: f64,
    /// Returns the samples of the row at a position, or nothing if there is no such row.
    pub row: &'a (dyn Fn([f64; 2]) -> Vec<f64> + Sync),
}

/// A layer that is thinner than the grid resolves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Layer {
    pub thickness: f64,
    /// The position of the row.
    pub row: [f64; 2],
    /// The position along the row, in samples.
    pub sample: f64,
}

/// A run of consecutive samples in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    middle: f64,
    length: f64,
}

impl Rows<'_> {
    /// Returns the thinnest layer that rows at these positions meet, if any is not resolved.
    pub fn thinnest(&self, positions: &[[f64; 2]]) -> Option<Layer> {
        let found: Vec<(bool, Option<Layer>)> =
            positions.par_iter().map(|&position| self.in_row(position)).collect();
        let noisy = found.iter().filter(|(is_noise, _)| *is_noise).count();
        if 2 * noisy >= positions.len() {
            return None;
        }
        let thinner = |a: Layer, b: Layer| if b.thickness < a.thickness { b } else { a };
        found.into_iter().filter_map(|(_, layer)| layer).reduce(thinner)
    }

    /// Returns whether a row is noise, and the thinnest layer that it meets.
    fn in_row(&self, position: [f64; 2]) -> (bool, Option<Layer>) {
        let runs = self.runs(&(self.row)(position));
        if runs.is_empty() || runs.len() > MOST_RUNS {
            return (runs.len() > MOST_RUNS, None);
        }
        let neighbors: Vec<(f64, Vec<Run>)> = WAYS
            .iter()
            .map(|way| {
                let at = std::array::from_fn(|k| position[k] + way[k] * self.shift[k]);
                (way[0].abs() + way[1].abs(), self.runs(&(self.row)(at)))
            })
            .collect();
        let layers = runs.into_iter().filter_map(|run| {
            // A layer may be tilted, but not by much more than 60 degrees.
            let reach = 2.0 * self.apart / self.step;
            let is_same = |times: f64, other: &Run| {
                (other.middle - run.middle).abs() <= times * reach
                    && other.length < 2.0 * run.length + self.step
                    && run.length < 2.0 * other.length + self.step
            };
            let next: Vec<Option<f64>> = neighbors
                .iter()
                .map(|(times, runs)| {
                    let same = runs.iter().filter(|other| is_same(*times, other));
                    let moved = same.map(|other| other.middle - run.middle);
                    moved.min_by(|a, b| a.abs().total_cmp(&b.abs()))
                })
                .collect();
            if next.iter().flatten().count() < CONTINUED {
                return None;
            }
            // In the two rows on opposite sides of a row, a layer is shifted by opposite amounts.
            // Noise is not.
            let is_bent = |(pair, row): (&[Option<f64>], &(f64, Vec<Run>))| match *pair {
                [Some(a), Some(b)] => {
                    (a + b).abs() > 1.0 + 0.25 * row.0 * row.0 * self.apart / self.step
                }
                _ => false,
            };
            if next.chunks(2).zip(neighbors.iter().step_by(2)).any(is_bent) {
                return None;
            }
            let slope = |a: Option<f64>, b: Option<f64>| {
                let moved = match (a, b) {
                    (Some(a), Some(b)) => 0.5 * (a - b),
                    (a, b) => a.or(b).unwrap_or(0.0),
                };
                moved * self.step / self.apart
            };
            let (u, v) = (slope(next[0], next[1]), slope(next[2], next[3]));
            let thickness = run.length / (1.0 + u * u + v * v).sqrt();
            let layer = Layer { thickness, row: position, sample: run.middle };
            (thickness < self.resolved).then_some(layer)
        });
        (false, layers.min_by(|a, b| a.thickness.total_cmp(&b.thickness)))
    }

    /// Returns the runs of a row that may be layers.
    fn runs(&self, values: &[f64]) -> Vec<Run> {
        let zero = ZERO * self.most;
        let class = |v: f64| match v {
            v if v > zero => 1_i8,
            v if v < -zero => -1,
            v if v.is_nan() => 2,
            _ => 0,
        };
        let classes: Vec<i8> = values.iter().map(|&v| class(v)).collect();
        // Along the axis closest to its normal, a layer looks thicker by a factor of up to the
        // square root of 3.
        let longest = 3.0_f64.sqrt() * self.resolved;
        let window = (self.resolved / self.step).ceil() as usize;
        let mut found = Vec::new();
        let mut end = 0;
        let mut before = None;
        for run in classes.chunk_by(|a, b| a == b) {
            let start = end;
            end += run.len();
            let (here, after) = (run[0], classes.get(end).copied());
            let enclosed =
                before == after && before.is_some_and(|c| c.abs() == 1) && here.abs() < 2;
            before = Some(here);
            let length = run.len() as f64 * self.step;
            if !enclosed || length >= longest {
                continue;
            }
            let largest = |from: usize, to: usize| {
                values[from..to].iter().fold(0.0, |most: f64, v| most.max(v.abs()))
            };
            let is_steep = || {
                let left = largest(start.saturating_sub(window), start);
                let right = largest(end, (end + window).min(values.len()));
                values[start - 1].abs() >= STEEP * left && values[end].abs() >= STEEP * right
            };
            if here != 0 || is_steep() {
                found.push(Run { middle: 0.5 * (start + end - 1) as f64, length });
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples a speed at multiples of 1/8 in the cube [0, 8]^3 along z, for a grid of spacing 1.
    fn find(speed: impl Fn([f64; 3]) -> f64 + Sync) -> Option<Layer> {
        let row = |[x, y]: [f64; 2]| (0..=128).map(|k| speed([x, y, f64::from(k) / 8.0])).collect();
        let rows = Rows {
            step: 0.125,
            resolved: 2.0,
            most: 1.0,
            shift: [3.0, 3.0],
            apart: 3.0,
            row: &row,
        };
        let positions: Vec<[f64; 2]> =
            (0..64).map(|k| [f64::from(k % 8) + 0.37, f64::from(k / 8) + 0.41]).collect();
        rows.thinnest(&positions)
    }

    #[test]
    fn thin_layers_are_measured() {
        let layer = |from: f64, to: f64, inside: f64| {
            move |[_, _, z]: [f64; 3]| if z > from && z < to { inside } else { 1.0 }
        };
        let found = find(layer(5.05, 6.05, 0.0)).unwrap();
        assert!((found.thickness - 1.0).abs() < 0.13, "{found:?}");
        assert!((found.sample / 8.0 - 5.55).abs() < 0.1, "{found:?}");
        assert!(find(layer(5.05, 6.05, -0.5)).is_some());
        assert_eq!(find(layer(5.05, 9.05, 0.0)), None);
        assert_eq!(find(layer(5.0, 99.0, 0.0)), None, "everything below stays");
        let tilted = find(|[x, _, z]| if (z - 0.5 * x - 4.0).abs() < 0.5 { 0.0 } else { 1.0 });
        let exact = 1.0 / 1.25_f64.sqrt();
        assert!((tilted.unwrap().thickness - exact).abs() < 0.15, "{tilted:?}");
    }

    #[test]
    fn gradual_zeros_and_round_obstacles_are_resolved() {
        assert_eq!(find(|[_, _, z]| (0.2 * (z - 5.0)).abs().min(1.0)), None);
        assert_eq!(find(|[_, _, z]| 0.2 * (z - 5.0)), None);
        assert_eq!(find(|[_, _, z]| (0.1 * z).sin()), None);
        let obstacle = |[x, y, z]: [f64; 3]| {
            let r2 = (x - 4.0_f64).powi(2) + (y - 4.0).powi(2) + (z - 8.0).powi(2);
            if r2 < 9.0 { 0.0 } else { 1.0 }
        };
        assert_eq!(find(obstacle), None);
        let noise = |[x, y, z]: [f64; 3]| {
            let mixed = (12.9898 * x + 78.233 * y + 37.719 * z).sin() * 43_758.545;
            mixed - mixed.floor() - 0.1
        };
        assert_eq!(find(noise), None);
    }
}
