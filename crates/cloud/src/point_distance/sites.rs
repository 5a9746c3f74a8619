//! The set of points to which distances are measured.

use super::coordinate::Coordinate;
use zeroset_core::error::{Error, Result};

/// Feature points ("sites"), stored as one array per coordinate. There are fewer than 2^32 - 1
/// sites, identified by their index.
#[derive(Clone, Debug)]
pub struct Sites<C> {
    axes: [Vec<C>; 3],
}

impl<C: Coordinate> Sites<C> {
    /// Creates sites from points, `[n_sites, 3]`. There may be none.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if a coordinate is not finite, or if there are too many points.
    pub fn new(points: &[[C; 3]]) -> Result<Self> {
        if points.len() >= u32::MAX as usize {
            let what = format!("{} sites, but the number must be below 2^32 - 1", points.len());
            return Err(Error::usage(what, "split the sites, and use the smallest distances"));
        }
        check_finite(points, "site")?;
        Ok(Sites::by_axis([0, 1, 2].map(|k| points.iter().map(|x| x[k]).collect())))
    }

    pub(super) fn by_axis(axes: [Vec<C>; 3]) -> Self {
        Sites { axes }
    }

    /// Returns the number of sites.
    pub fn len(&self) -> usize {
        self.axes[0].len()
    }

    /// Returns true if there are no sites.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the coordinates of a site, in the unit of the points.
    ///
    /// # Panics
    /// Panics if the site does not exist.
    pub fn point(&self, site: usize) -> [C; 3] {
        [0, 1, 2].map(|k| self.axes[k][site])
    }

    pub(super) fn axis(&self, k: usize) -> &[C] {
        &self.axes[k]
    }

    /// Returns the smallest and the largest coordinate along each axis, in the unit of the points,
    /// or `None` if there are no sites.
    pub fn bounds(&self) -> Option<([C; 3], [C; 3])> {
        let mut bounds = None;
        for k in 0..3 {
            for &x in &self.axes[k] {
                let (low, high) = bounds.get_or_insert_with(|| (self.point(0), self.point(0)));
                low[k] = if x < low[k] { x } else { low[k] };
                high[k] = if x > high[k] { x } else { high[k] };
            }
        }
        bounds
    }

    /// Returns the sites 0, k, 2k, ...
    pub(super) fn every(&self, k: usize) -> Self {
        Sites::by_axis(self.axes.each_ref().map(|axis| axis.iter().step_by(k).copied().collect()))
    }
}

/// Checks that all coordinates are finite.
pub(super) fn check_finite<C: Coordinate>(points: &[[C; 3]], what: &str) -> Result<()> {
    let broken = |x: &[C; 3]| x.iter().any(|x| !x.is_finite());
    match points.iter().position(broken) {
        Some(i) => {
            let what = format!("{what} {i} lies at {:?}", points[i]);
            Err(Error::usage(what, "give finite coordinates"))
        }
        None => Ok(()),
    }
}
