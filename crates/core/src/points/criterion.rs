//! What is asked of the voxels of a volume.

use crate::error::Result;
use crate::expression::Expression;
use crate::primitives::{All, Discriminator, Edge, Grid, Template};
use crate::volume::{Condition, Volume};

/// What is asked of the voxels of a volume, on the CPU or a GPU.
#[derive(Clone, Copy, Debug)]
pub enum Criterion<'a> {
    /// An expression of v, x, y, z, i, j and k is neither 0 nor no number: a [`Condition`].
    Holds(&'a Expression),
    /// The gradient has this size or more, in units of the values per length: an [`Edge`].
    Edge(f64),
    /// This fits but for a sum of differences: a [`Template`].
    Fits(Grid<'a, f64>, f64),
}

impl<'a> Criterion<'a> {
    /// Over the values of a volume, and its places or spacing.
    ///
    /// # Errors
    /// Those of [`Condition::new`].
    pub fn over(&self, volume: &'a Volume) -> Result<Box<dyn Discriminator + 'a>> {
        let values = volume;
        Ok(match *self {
            Criterion::Holds(expression) => Box::new(Condition::new(volume, expression)?),
            Criterion::Edge(low) => {
                Box::new(Edge { values, low, spacing: volume.placement().spacing() })
            }
            Criterion::Fits(template, most) => Box::new(Template { values, template, most }),
        })
    }

    /// The voxels of a volume that meet all of some criteria.
    ///
    /// ```
    /// use zeroset_core::points::{Criterion, find};
    /// use zeroset_core::primitives::Order;
    /// use zeroset_core::volume::{Placement, Volume};
    ///
    /// let volume = Volume::new([4, 1, 1], vec![1_u8, 1, 9, 9].into(), Placement::identity())?;
    /// let bright = "v > 5".parse()?;
    /// let both = [Criterion::Holds(&bright), Criterion::Edge(3.0)];
    /// let found = find(&volume, &Criterion::all(&both, &volume)?, Order::Lines)?;
    /// assert_eq!(found.voxels, [[2, 0, 0]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Criterion::over`], and those of [`All::new`] without criteria.
    pub fn all(criteria: &[Criterion<'a>], volume: &'a Volume) -> Result<All<'a>> {
        All::new(criteria.iter().map(|criterion| criterion.over(volume)).collect::<Result<_>>()?)
    }
}
