//! The points that distances are measured to.

use super::coordinate::Coordinate;
use zeroset_core::error::{Error, Result};

/// Feature points ("sites"), an array per coordinate, fewer than 2^32 - 1 of them. A site is named
/// by its number.
#[derive(Clone, Debug)]
pub struct Sites<C> {
    axes: [Vec<C>; 3],
}

impl<C: Coordinate> Sites<C> {
    /// Of points `[n_sites, 3]`; there may be none.
    ///
    /// # Errors
    /// [`Error::Case`] for a coordinate that is not finite, and for too many points.
    pub fn new(points: &[[C; 3]]) -> Result<Self> {
        if points.len() >= u32::MAX as usize {
            let what = format!("{} sites, fewer than 2^32 - 1 can be numbered", points.len());
            return Err(Error::usage(what, "give them in parts, and take the smallest distances"));
        }
        check_finite(points, "site")?;
        Ok(Sites::by_axis([0, 1, 2].map(|k| points.iter().map(|x| x[k]).collect())))
    }

    pub(super) fn by_axis(axes: [Vec<C>; 3]) -> Self {
        Sites { axes }
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.axes[0].len()
    }

    /// True if there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Coordinates of a site.
    ///
    /// # Panics
    /// If there is no such site.
    pub fn point(&self, site: usize) -> [C; 3] {
        [0, 1, 2].map(|k| self.axes[k][site])
    }

    pub(super) fn axis(&self, k: usize) -> &[C] {
        &self.axes[k]
    }

    /// Smallest and largest coordinates; `None` without sites.
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

    /// Sites 0, k, 2k, ...
    pub(super) fn every(&self, k: usize) -> Self {
        Sites::by_axis(self.axes.each_ref().map(|axis| axis.iter().step_by(k).copied().collect()))
    }
}

/// Refuses points with a coordinate that is not finite.
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
