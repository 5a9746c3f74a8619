//! Clouds of points: samples of a surface, as a scanner gives them.
//!
//! `zeroset-io` reads and writes them, `zeroset-cloud` cleans them.

use rayon::prelude::*;

use crate::error::{Error, Result};

/// Points of a surface, in the coordinates of their file, with what is known of each.
///
/// All coordinates are finite: a reader counts points that are not and leaves them out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointCloud {
    /// Coordinates, `[n]`, in units of the file.
    pub points: Vec<[f64; 3]>,
    /// Outward unit normals, `[n]`, if there are any.
    pub normals: Option<Vec<[f32; 3]>>,
    /// Red, green and blue, `[n]`, if there are any.
    pub colors: Option<Vec<[u8; 3]>>,
}

impl PointCloud {
    /// A cloud of points of which only the places are known.
    pub fn new(points: Vec<[f64; 3]>) -> Self {
        PointCloud { points, normals: None, colors: None }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// True without points.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Says that the arrays have one row per point and that no number is infinite or none.
    ///
    /// # Errors
    /// [`Error::Case`] with the array or the point at fault.
    pub fn check(&self) -> Result<()> {
        let n = self.len();
        let rows = [self.normals.as_ref().map(Vec::len), self.colors.as_ref().map(Vec::len)];
        if let Some(&rows) = rows.iter().flatten().find(|&&rows| rows != n) {
            let what = format!("a cloud of {n} points with {rows} normals or colors");
            return Err(Error::usage(what, "give one for each point, or none"));
        }
        match self.points.par_iter().position_first(|x| !x.iter().all(|c| c.is_finite())) {
            None => Ok(()),
            Some(i) => {
                let what = format!("point {i} is at {:?}", self.points[i]);
                Err(Error::usage(what, "leave points out that are not finite"))
            }
        }
    }

    /// The middle of the box of all points, and each point less it, rounded once to 32 bits, `[n]`: what is computed in
    /// f32 loses nothing by where in the world the cloud lies.
    pub fn centered(&self) -> ([f64; 3], Vec<[f32; 3]>) {
        let (low, high) = self.bounds();
        let center = [0, 1, 2].map(|k| 0.5 * low[k] + 0.5 * high[k]);
        let moved = |x: &[f64; 3]| [0, 1, 2].map(|k| (x[k] - center[k]) as f32);
        (center, self.points.par_iter().map(moved).collect())
    }

    /// Smallest and largest coordinate along each axis; zeros for an empty cloud.
    pub fn bounds(&self) -> ([f64; 3], [f64; 3]) {
        bounds(&self.points)
    }

    /// The longest side of the box of all points, which is more than 0.
    ///
    /// # Errors
    /// [`Error::Case`] without points, and for those that have no extent or one beyond the range of numbers.
    pub fn longest_side(&self) -> Result<f64> {
        if self.is_empty() {
            return Err(Error::usage("the cloud has no point", "give samples of a surface"));
        }
        let (low, high) = self.bounds();
        let longest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        if longest > 0.0 && longest.is_finite() {
            return Ok(longest);
        }
        let what = match (self.len(), longest == 0.0) {
            (1, _) => "the cloud has one point".to_string(),
            (n, true) => format!("all {n} points of the cloud are at one place"),
            _ => "the extent of the cloud is beyond the range of numbers".to_string(),
        };
        Err(Error::usage(what, "a surface has an extent: give more samples of it"))
    }
}

/// Smallest and largest coordinate along each axis; zeros without points.
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
