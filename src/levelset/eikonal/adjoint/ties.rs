//! Vertices at which two sources arrive almost at the same time.

use super::super::source::Source;
use super::super::{NO_SOURCE, Nearest};
use super::update::{KINK, Origin, Update};

/// The earliest arrival time of each vertex, and that of any other source.
pub(super) struct Ties<'a> {
    nearest: &'a Nearest,
    /// The earliest time of a source other than the first one, `[n_vertices]`.
    later: Vec<f64>,
    /// The difference between the two times at which a vertex counts as a tie, `[n_vertices]`.
    tolerance: Vec<f64>,
}

impl<'a> Ties<'a> {
    pub fn new(nearest: &'a Nearest) -> Self {
        let n = nearest.u.len();
        Ties { nearest, later: vec![f64::INFINITY; n], tolerance: vec![0.0; n] }
    }

    /// Takes the arrival times `u` from source number `k`, `[n_vertices]` in mesh order, and the
    /// updates that gave them. There are none if the function does not depend on this source.
    pub fn add(&mut self, k: u32, source: &Source, u: &[f64], updates: &[Update]) {
        for (later, (u, first)) in self.later.iter_mut().zip(u.iter().zip(&self.nearest.source)) {
            if *first != k {
                *later = later.min(*u);
            }
        }
        let start = source.values.iter().map(|&(_, value)| value).fold(f64::INFINITY, f64::min);
        for (v, update) in updates.iter().enumerate() {
            if self.nearest.source[v] == k {
                self.tolerance[v] = KINK
                    * match update.origin {
                        Origin::Front { time, .. } => time,
                        // There is no cell. This is the time from the source itself.
                        Origin::Source | Origin::Unreached => u[v] - start,
                    };
            }
        }
    }

    /// Returns the ties among the vertices with a weight other than 0. As every source is solved
    /// separately, a tie has no effect at vertices that only lie on the way to others.
    pub fn kinks(&self, weights: &[f64]) -> impl Iterator<Item = u32> {
        let (u, first) = (&self.nearest.u, &self.nearest.source);
        let is_tie = |v: usize| {
            first[v] != NO_SOURCE && weights[v] != 0.0 && self.later[v] - u[v] <= self.tolerance[v]
        };
        (0..u.len()).filter(move |&v| is_tie(v)).map(|v| v as u32)
    }
}
