//! The cube of an octree and its voxels.

use crate::error::{Error, Result};
use crate::surface::cubes::Placement;

/// The cube around a cloud: `2^depth` cells along the longest axis of the cloud.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Number of levels below the root.
    pub depth: u32,
    /// Center of the bounding box of the cloud, in input units.
    pub middle: [f64; 3],
    /// Half the extents of the bounding box, in input units.
    pub half: [f64; 3],
    /// Edge of a finest voxel, in input units.
    pub voxel: f64,
}

impl Frame {
    /// Creates the cube around points, in input units.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there are no points, if all points coincide up to rounding, or if
    /// one is not finite.
    pub fn new(points: &[[f64; 3]], depth: u32) -> Result<Self> {
        let Some(&first) = points.first() else {
            return Err(Error::usage("a cloud without points", "give samples of a closed surface"));
        };
        let (mut low, mut high) = (first, first);
        for (n, x) in points.iter().enumerate() {
            if !x.iter().all(|c| c.is_finite()) {
                let what = format!("sample {n} is at {x:?}");
                return Err(Error::usage(what, "remove samples that are not finite"));
            }
            for k in 0..3 {
                low[k] = low[k].min(x[k]);
                high[k] = high[k].max(x[k]);
            }
        }
        let half: [f64; 3] = std::array::from_fn(|k| 0.5 * high[k] - 0.5 * low[k]);
        let middle: [f64; 3] = std::array::from_fn(|k| low[k] + half[k]);
        let longest = half.into_iter().fold(0.0, f64::max);
        let voxel = longest / f64::from(1_u32 << (depth - 1));
        // A cell must be larger than the rounding of a coordinate.
        let size = middle.into_iter().fold(0.0, |size: f64, c| size.max(c.abs()));
        if !(voxel > size * 4.0 * f64::EPSILON && voxel > f64::MIN_POSITIVE) {
            let what = match longest == 0.0 {
                true if points.len() == 1 => format!("there is only one point, at {first:?}"),
                true => format!("all {} samples lie at {first:?}", points.len()),
                false => format!("the samples extend over only {:e}, at {first:?}", 2.0 * longest),
            };
            return Err(Error::usage(what, "give samples of a closed surface"));
        }
        Ok(Frame { depth, middle, half, voxel })
    }

    /// Converts a point to voxels of the finest level, relative to the center of the cube. The
    /// absolute value along any axis is at most 2^(depth - 1).
    pub fn voxel(&self, x: [f64; 3]) -> [f64; 3] {
        std::array::from_fn(|k| (x[k] - self.middle[k]) / self.voxel)
    }

    /// Returns the cell that contains a point, which is given in voxels of the finest level.
    pub fn cell(&self, u: [f64; 3]) -> [u32; 3] {
        let most = (1_u32 << self.depth) - 1;
        let half = f64::from(1_u32 << (self.depth - 1));
        u.map(|u| (u + half).floor().clamp(0.0, f64::from(most)) as u32)
    }

    /// Returns the edge of a voxel of a level, in voxels of the finest level.
    pub fn edge(&self, level: u32) -> f64 {
        f64::from(1_u32 << (self.depth - level))
    }

    /// Returns half the extents of the cloud, in voxels of a level.
    pub fn half_at(&self, level: u32) -> [f64; 3] {
        self.half.map(|half| half / self.voxel / self.edge(level))
    }

    /// Returns the placement of the voxels of a level.
    pub fn placement(&self, level: u32) -> Placement {
        Placement { origin: self.middle, spacing: self.voxel * self.edge(level) }
    }

    /// Returns the diagonal of the cloud's bounding box, in voxels of the finest level.
    pub fn diagonal(&self) -> f64 {
        2.0 * self.half.iter().map(|h| (h / self.voxel).powi(2)).sum::<f64>().sqrt()
    }
}
