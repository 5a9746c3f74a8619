//! Point clouds: samples of a surface, for example from a scanner.
//!
//! `zeroset-io` reads and writes point clouds, and `zeroset-cloud` cleans them.

mod attribute;
mod merge;
mod projection;
mod selection;

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::parallel::*;

pub use attribute::{Attribute, NumberType, Numbers, key};
pub use projection::LocalProjection;

/// A point cloud in the coordinates of its file, with optional normals, colors and attributes.
///
/// All coordinates are finite. Readers leave out points whose coordinates are not finite, and count
/// them.
///
/// ```
/// use zeroset_core::cloud::PointCloud;
/// let mut cloud = PointCloud::new(vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]);
/// cloud.colors = Some(vec![[255, 0, 0]; 3]);
/// cloud.retain(&[true, false, true]);
/// assert_eq!((cloud.len(), cloud.colors.map(|colors| colors.len())), (2, Some(2)));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointCloud {
    /// Coordinates, `[n]`, in the units of the file.
    pub points: Vec<[f64; 3]>,
    /// Outward unit normals, `[n]`, if known.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Red, green and blue values, `[n]`, if known.
    pub colors: Option<Vec<[u8; 3]>>,
    /// Additional numbers per point. Readers fill in only the attributes that are requested.
    pub attributes: Vec<Attribute>,
}

impl From<PointCloud> for Cow<'_, PointCloud> {
    fn from(cloud: PointCloud) -> Self {
        Cow::Owned(cloud)
    }
}

impl<'a> From<&'a PointCloud> for Cow<'a, PointCloud> {
    fn from(cloud: &'a PointCloud) -> Self {
        Cow::Borrowed(cloud)
    }
}

impl PointCloud {
    /// Creates a point cloud from coordinates, `[n]`, without normals, colors or attributes.
    pub fn new(points: Vec<[f64; 3]>) -> Self {
        PointCloud { points, ..PointCloud::default() }
    }

    /// Keeps the points for which `kept`, `[n]`, is true.
    pub fn retain(&mut self, kept: &[bool]) {
        retain(&mut self.points, kept);
        if let Some(normals) = &mut self.normals {
            retain(normals, kept);
        }
        if let Some(colors) = &mut self.colors {
            retain(colors, kept);
        }
        self.attributes.iter_mut().for_each(|attribute| attribute.numbers.retain(kept));
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Returns true if there are no points.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Checks that the arrays have one row per point and that all coordinates are finite.
    ///
    /// # Errors
    /// Returns [`Error::Case`] with the lengths that differ, or with the first point that is not
    /// finite.
    pub fn check(&self) -> Result<()> {
        let n = self.len();
        let rows = [self.normals.as_ref().map(Vec::len), self.colors.as_ref().map(Vec::len)];
        let more = self.attributes.iter().map(|attribute| attribute.numbers.len());
        if let Some(rows) = rows.into_iter().flatten().chain(more).find(|&rows| rows != n) {
            let what =
                format!("the point cloud has {n} points, but {rows} normals, colors or attributes");
            return Err(Error::usage(what, "give one per point, or none"));
        }
        match self.points.par_iter().position_first(|x| !x.iter().all(|c| c.is_finite())) {
            None => Ok(()),
            Some(i) => {
                let what = format!("point {i} is at {:?}", self.points[i]);
                Err(Error::usage(what, "remove the points with coordinates that are not finite"))
            }
        }
    }

    /// Returns the center of the bounding box, and each point relative to it, rounded once to
    /// `f32`, `[n]`, both in the units of the file. Computations in `f32` therefore lose no
    /// accuracy even if the cloud is far from the origin.
    pub fn centered(&self) -> ([f64; 3], Vec<[f32; 3]>) {
        let (low, high) = self.bounds();
        let center = [0, 1, 2].map(|k| 0.5 * low[k] + 0.5 * high[k]);
        let moved = |x: &[f64; 3]| [0, 1, 2].map(|k| (x[k] - center[k]) as f32);
        (center, self.points.par_iter().map(moved).collect())
    }

    /// Returns the smallest and the largest coordinate along each axis, in the units of the file,
    /// or zeros for an empty cloud.
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        bounds(&self.points)
    }

    /// Returns the longest side of the bounding box, which is greater than 0, in the units of the
    /// file.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there are no points, if they all coincide, or if the longest side
    /// is not finite.
    pub fn longest_side(&self) -> Result<f64> {
        if self.is_empty() {
            return Err(Error::usage("the point cloud has no points", "give samples of a surface"));
        }
        let (low, high) = self.bounds();
        let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        if longest > 0.0 && longest.is_finite() {
            return Ok(longest);
        }
        let what = match (self.len(), longest == 0.0) {
            (1, _) => "the point cloud has only one point".to_string(),
            (n, true) => format!("all {n} points of the point cloud coincide"),
            _ => "the extent of the point cloud is not finite".to_string(),
        };
        Err(Error::usage(what, "give samples that cover a surface"))
    }
}

/// Keeps the rows for which `kept` is true.
fn retain<T>(rows: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    rows.retain(|_| kept.next().is_some_and(|kept| *kept));
}

/// Returns the smallest and the largest coordinate along each axis, in the unit of the points, or
/// zeros if there are no points.
pub fn bounds(points: &[[f64; 3]]) -> ([f64; 3], [f64; 3]) {
    let Some(&first) = points.first() else { return ([0.0; 3], [0.0; 3]) };
    let wider = |(mut low, mut high): ([f64; 3], [f64; 3]), (l, h): ([f64; 3], [f64; 3])| {
        for k in 0..3 {
            low[k] = f64::min(low[k], l[k]);
            high[k] = f64::max(high[k], h[k]);
        }
        (low, high)
    };
    let of = |points: &[[f64; 3]]| points.iter().fold((first, first), |all, &x| wider(all, (x, x)));
    let parts: Vec<_> = points.par_chunks(1 << 16).map(of).collect();
    parts.into_iter().fold((first, first), wider)
}
