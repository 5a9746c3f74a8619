//! The criteria by which voxels of a volume are selected.

use crate::error::Result;
use crate::expression::Expression;
use crate::primitives::{All, Discriminator, Edge, Grid, Template};
use crate::volume::{Condition, Volume};

/// A criterion that selects voxels of a volume, on the CPU or on a GPU.
#[derive(Clone, Copy, Debug)]
pub enum Criterion<'a> {
    /// The value of an expression in v, x, y, z, i, j and k is neither 0 nor NaN. See
    /// [`Condition`].
    Holds(&'a Expression),
    /// The magnitude of the gradient is at least this number, in values per unit length. See
    /// [`Edge`].
    Edge(f64),
    /// The sum of absolute differences between the neighborhood and a template is at most the given
    /// number, in the unit of the values. See [`Template`].
    Fits(Grid<'a, f64>, f64),
}

impl<'a> Criterion<'a> {
    /// Binds the criterion to the values of a volume and to its placement or spacing.
    ///
    /// # Errors
    /// Returns the errors of [`Condition::new`].
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

    /// Binds several criteria to a volume. A voxel is active if it meets all of them.
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
    /// Returns the errors of [`Criterion::over`], and the error of [`All::new`] if there are no
    /// criteria.
    pub fn all(criteria: &[Criterion<'a>], volume: &'a Volume) -> Result<All<'a>> {
        All::new(criteria.iter().map(|criterion| criterion.over(volume)).collect::<Result<_>>()?)
    }
}
