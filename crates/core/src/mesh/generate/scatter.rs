//! Random points with a minimum distance from each other (dart throwing).

use super::limits::room;
use crate::error::Result;

/// The number of consecutive rejected darts after which the minimum distance is halved. Halving
/// guarantees termination even if there is no room.
const PATIENCE: u32 = 1000;

/// Points in R^3, binned by x and y.
pub(super) struct Scatter {
    points: Vec<[f64; 3]>,
    next: Vec<u32>,
    first: Vec<u32>,
    low: [f64; 2],
    bins: [usize; 2],
    bin: f64,
    distance: f64,
}

const END: u32 = u32::MAX;

impl Scatter {
    /// Creates an empty set with room for `n` points, whose x and y lie in the rectangle from `low`
    /// to `high`. The points drawn by [`Scatter::throw`] are to be at least `distance` apart.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the system refuses the memory.
    pub(super) fn new(n: usize, low: [f64; 2], high: [f64; 2], distance: f64) -> Result<Self> {
        let bins = [0, 1].map(|k| ((high[k] - low[k]) / distance) as usize + 1);
        let mut first = room("bins of points", bins[0] * bins[1])?;
        first.resize(bins[0] * bins[1], END);
        let (points, next) = (room("vertices", n)?, room("links of points", n)?);
        Ok(Scatter { points, next, first, low, bins, bin: distance, distance })
    }

    /// Adds a point regardless of its distance from others.
    pub(super) fn put(&mut self, point: [f64; 3]) {
        let [i, j] = self.bin_of(point);
        let head = &mut self.first[j * self.bins[0] + i];
        self.next.push(*head);
        *head = self.points.len() as u32;
        self.points.push(point);
    }

    /// Draws points until `n` more points have been found that keep the minimum distance.
    pub(super) fn throw(&mut self, n: usize, mut draw: impl FnMut() -> [f64; 3]) {
        let wanted = self.points.len() + n;
        let mut rejected = 0;
        while self.points.len() < wanted {
            let point = draw();
            if self.is_free(point) {
                self.put(point);
                rejected = 0;
                continue;
            }
            rejected += 1;
            if rejected == PATIENCE {
                self.distance *= 0.5;
                rejected = 0;
            }
        }
    }

    /// Returns all points in the order in which they were added.
    pub(super) fn into_points(self) -> Vec<[f64; 3]> {
        self.points
    }

    fn is_free(&self, p: [f64; 3]) -> bool {
        let [i, j] = self.bin_of(p);
        for jj in j.saturating_sub(1)..=(j + 1).min(self.bins[1] - 1) {
            for ii in i.saturating_sub(1)..=(i + 1).min(self.bins[0] - 1) {
                let mut at = self.first[jj * self.bins[0] + ii];
                while at != END {
                    let q = self.points[at as usize];
                    let d = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
                    if d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < self.distance * self.distance {
                        return false;
                    }
                    at = self.next[at as usize];
                }
            }
        }
        true
    }

    fn bin_of(&self, p: [f64; 3]) -> [usize; 2] {
        [0, 1].map(|k| (((p[k] - self.low[k]) / self.bin) as usize).min(self.bins[k] - 1))
    }
}
