//! Chooses the depth of the level-set method: the requested depth, or one that suits the cloud.

use std::ops::RangeInclusive;

use super::directed::Cubes;
use super::potential;
use crate::cloud::PointCloud;
use crate::error::Result;

/// The largest voxel edge, as a multiple of the mean distance to the eight nearest samples.
///
/// Let a be the square root of the area per sample. For randomly placed samples, the mean distance
/// to the eight nearest ones is 1.11 a and the mean distance to the nearest one is 0.5 a. For
/// evenly placed samples, these are 1.2 a to 1.3 a and 1.0 a. A rule that uses only the nearest
/// sample would give evenly placed samples voxels of twice the size. With this rule, a voxel edge
/// is at most about a.
const VOXEL: f64 = 0.85;

/// The depths among which the automatic choice is made. Larger depths take gigabytes of memory.
pub(super) const DEPTHS: RangeInclusive<u32> = 5..=10;

/// The largest noise, in voxels, at an automatic depth. The method averages noise over about one
/// voxel. Finer voxels would take many steps and follow the noise.
const NOISE: f64 = 1.2;
/// The noise, in voxels, above which samples far from the surface do not indicate lost detail.
const NOISY: f64 = 0.4;
/// One in this many samples may be far from the surface without a warning.
const LOST: usize = 200;

/// The chosen depth.
#[derive(Debug)]
pub(super) struct Chosen {
    pub depth: u32,
    /// The reason, if the depth is smaller than the density of the samples allows.
    pub why: Option<String>,
}

impl Chosen {
    /// Chooses the depth for a cloud. `around` is its mean distance to the nearest samples.
    ///
    /// # Errors
    /// Returns [`Error::Case`](crate::Error::Case) if the requested voxel edge is impossible.
    pub fn of(cloud: &PointCloud, cubes: Cubes, around: f64, noise: Option<f64>) -> Result<Self> {
        let longest = cloud.longest_side()?;
        let asked = |depth| Ok(Chosen { depth, why: None });
        match cubes {
            Cubes::Depth(depth) => return asked(depth),
            Cubes::Edge(edge) => return asked(potential::depth_of(edge, longest)?),
            Cubes::Safe => {}
        }
        let within = |depth: f64| (depth as u32).clamp(*DEPTHS.start(), *DEPTHS.end());
        let dense = within((longest / (VOXEL * around)).log2().ceil());
        if around == 0.0 || dense == *DEPTHS.start() {
            return asked(*DEPTHS.start());
        }
        let coarse = noise.map(|noise| within((longest * NOISE / noise).log2().floor()));
        let depth = coarse.map_or(dense, |coarse| coarse.min(dense));
        let why = (depth < dense).then(|| {
            let voxel = longest / f64::from(1_u32 << depth);
            format!(
                "the samples have noise of about {:.2e}, which voxels finer than {voxel:.2e} would \
                 follow: depth {depth} is used, although they are dense enough for depth {dense}",
                noise.unwrap_or(0.0)
            )
        });
        Ok(Chosen { depth, why })
    }

    /// Returns a warning if more than one in [`LOST`] of `n` samples is far from the surface and
    /// noise does not explain it. `away` is the number of these samples, and `voxel` is the edge of
    /// a voxel.
    pub fn lost(&self, n: usize, away: usize, noise: Option<f64>, voxel: f64) -> Option<String> {
        if away <= n / LOST || noise.is_some_and(|noise| noise > NOISY * voxel) {
            return None;
        }
        let deeper = match self.depth + 1 {
            deeper if potential::DEPTHS.contains(&deeper) => {
                format!("; compare with depth {deeper}")
            }
            _ => String::new(),
        };
        Some(format!(
            "{away} of {n} samples are more than 1.5 voxels from the surface: they are outliers, \
             or belong to parts thinner than two voxels, which are lost{deeper}"
        ))
    }
}
