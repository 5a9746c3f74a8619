//! The depth of the level-set method: what is asked for, or what the cloud allows.

use std::ops::RangeInclusive;

use super::Device;
use super::directed::Cubes;
use super::potential;
use crate::cloud::{PointCloud, Spacing, noise};
use crate::error::Result;

/// Voxels at most, in mean distances to the eight nearest samples. That mean is 1.11 and the mean
/// distance to the nearest one 0.5 of the root of the area of a sample where these lie by chance, and 1.2 to 1.3 and 1.0
/// where they lie evenly: by the nearest alone, even samples would get voxels of twice the size. A voxel is thus
/// about the root of that area at most.
const VOXEL: f64 = 0.85;

/// Depths that are taken by themselves: deeper ones take gigabytes.
const DEPTHS: RangeInclusive<u32> = 5..=10;

/// Voxels of noise at most: it is averaged over about a voxel, and what is finer than it takes many steps and follows
/// it.
const NOISE: f64 = 1.2;
/// Voxels of noise from which on samples away from the surface say nothing.
const NOISY: f64 = 0.4;
/// One sample in so many may be away from the surface.
const LOST: usize = 200;

/// The depth that is taken.
#[derive(Debug)]
pub(super) struct Chosen {
    pub depth: u32,
    /// Why, if it is less than the density allows.
    pub why: Option<String>,
}

impl Chosen {
    /// # Errors
    /// [`Error::Case`](crate::Error::Case) for voxels of an edge that cannot be, and those of the device.
    pub fn of(
        cloud: &PointCloud,
        cubes: Cubes,
        spacing: Option<Spacing>,
        device: Device<'_>,
    ) -> Result<Self> {
        let longest = cloud.longest_side()?;
        let asked = |depth| Ok(Chosen { depth, why: None });
        match cubes {
            Cubes::Depth(depth) => return asked(depth),
            Cubes::Edge(edge) => return asked(potential::depth_of(edge, longest)?),
            Cubes::Safe => {}
        }
        // It is not known where all points are kept.
        let spacing = match spacing {
            None => device.far_from_others(&cloud.points, f64::INFINITY)?.1,
            known => known,
        };
        let within = |depth: f64| (depth as u32).clamp(*DEPTHS.start(), *DEPTHS.end());
        let around = spacing.map_or(0.0, |spacing| spacing.around);
        let dense = within((longest / (VOXEL * around)).log2().ceil());
        if around == 0.0 || dense == *DEPTHS.start() {
            return asked(*DEPTHS.start());
        }
        let noise = noise(&cloud.points)?;
        let coarse = noise.map(|noise| within((longest * NOISE / noise).log2().floor()));
        let depth = coarse.map_or(dense, |coarse| coarse.min(dense));
        let why = (depth < dense).then(|| {
            let voxel = longest / f64::from(1_u32 << depth);
            format!(
                "samples lie about {:.2e} off a surface, which finer voxels than {voxel:.2e} would \
                 follow: depth {depth} is taken, though they are dense enough for depth {dense}",
                noise.unwrap_or(0.0)
            )
        });
        Ok(Chosen { depth, why })
    }

    /// What to say if more than a few of the samples are away from the surface on voxels of an edge, and are not
    /// for noise.
    ///
    /// # Errors
    /// Those of the estimate of noise.
    pub fn lost(&self, cloud: &PointCloud, away: usize, voxel: f64) -> Result<Option<String>> {
        let n = cloud.len();
        if away <= n / LOST || noise(&cloud.points)?.is_some_and(|noise| noise > NOISY * voxel) {
            return Ok(None);
        }
        let deeper = match self.depth + 1 {
            deeper if potential::DEPTHS.contains(&deeper) => {
                format!("; compare with depth {deeper}")
            }
            _ => String::new(),
        };
        Ok(Some(format!(
            "{away} of {n} samples are more than 1.5 voxels from the surface: outliers, or parts \
             thinner than two voxels, which are lost{deeper}"
        )))
    }
}
