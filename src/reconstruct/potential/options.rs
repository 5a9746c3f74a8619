//! Options of the level-set method.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::sample_sums::Rule;
use crate::error::{Error, Result};

/// How phi is stored.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Storage {
    /// In 32 bits (default).
    #[default]
    Single,
    /// In 16 bits: two thirds of the memory.
    #[serde(rename = "16-bit")]
    Sixteen,
}

/// The range of valid depths.
pub(in crate::reconstruct) const DEPTHS: RangeInclusive<u32> = 4..=14;

/// Returns the smallest depth at which a cloud with this longest side gets voxels of at most
/// `edge`.
///
/// # Errors
/// Returns [`Error::Case`], with the valid edges, if there is no such depth.
pub(in crate::reconstruct) fn depth_of(edge: f64, longest: f64) -> Result<u32> {
    let depth = (longest / edge).log2().ceil();
    if (f64::from(*DEPTHS.start())..=f64::from(*DEPTHS.end())).contains(&depth) {
        return Ok(depth as u32);
    }
    let edge_of = |depth: u32| longest / f64::from(1_u32 << depth);
    if longest == 0.0 {
        return Err(Error::usage(
            "a cloud whose points coincide has no voxels",
            "give a cloud with distinct points",
        ));
    }
    // The factors keep the printed edges in the valid range when they are rounded.
    let [low, high] = [1.001 * edge_of(*DEPTHS.end()), 0.999 * edge_of(*DEPTHS.start() - 1)];
    let what = format!("voxels of edge {edge:e} in a cloud whose longest side is {longest:.3e}");
    Err(Error::usage(what, format!("use {low:.3e} to {high:.3e}")))
}

/// Options of the level-set method.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// D: the longest axis of the bounding box has 2^D voxels, 4 to 14 (default 8).
    pub depth: u32,
    /// d: the first level, 3 to D (default 5, or D - 1 if that is less). On all levels but the
    /// last, the interface stays one voxel away from the samples, so that thin parts are not lost.
    pub first_level: u32,
    /// theta: a node counts as one sample if the ratio of its edge to its distance is below this, 0
    /// to 1.5 (default 0.5).
    pub theta: f64,
    /// p: samples weigh `d^-p`, 2 to 5. The paper uses 3. With the default 5, distant samples weigh
    /// less, and the error is about a third of the error with 3.
    pub exponent: u32,
    /// s: the softening of distances, in voxels of each level, 0.1 to 10 (default 1).
    pub softening: f64,
    /// alpha: the speed of the interface, in voxels per unit of time, where its curvature is one
    /// per voxel, 0 to 1 (default 0.1).
    pub curvature: f64,
    /// Number of final steps on the finest level with U = 0, 0 to 1,000 (default 0).
    pub smoothing_steps: u64,
    /// Largest number of steps on a level (default 2,000).
    pub most_steps: u64,
    /// How phi is stored.
    pub storage: Storage,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            depth: 8,
            first_level: 5,
            theta: 0.5,
            exponent: 5,
            softening: 1.0,
            curvature: 0.1,
            smoothing_steps: 0,
            most_steps: 2_000,
            storage: Storage::default(),
        }
    }
}

impl Options {
    /// Returns the default options for a depth.
    pub fn of_depth(depth: u32) -> Self {
        Options { depth, first_level: depth.saturating_sub(1).min(5), ..Options::default() }
    }

    /// Returns the rule for the sums over samples.
    pub(super) fn rule(&self) -> Rule {
        Rule { theta: self.theta, exponent: self.exponent, softening: self.softening }
    }

    /// Checks the ranges of all options.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if a number is out of its range.
    pub(super) fn check(&self) -> Result<()> {
        let within = |what: &str, value: f64, low: f64, high: f64| {
            if (low..=high).contains(&value) {
                return Ok(());
            }
            Err(Error::usage(format!("{what} {value}"), format!("use {low} to {high}")))
        };
        within("a depth of", self.depth.into(), (*DEPTHS.start()).into(), (*DEPTHS.end()).into())?;
        within("a first level of", self.first_level.into(), 3.0, self.depth.into())?;
        within("theta =", self.theta, 0.0, 1.5)?;
        within("an exponent of", self.exponent.into(), 2.0, 5.0)?;
        within("a softening in voxels of", self.softening, 0.1, 10.0)?;
        within("a curvature weight of", self.curvature, 0.0, 1.0)?;
        within("a number of smoothing steps of", self.smoothing_steps as f64, 0.0, 1e3)?;
        within("a number of steps of at most", self.most_steps as f64, 1.0, 1e6)
    }
}
