//! Selection of voxels of a volume or picture: lists of points, counts, octree leaves and sparse
//! matrices.
//!
//! A [`Criterion`] selects voxels with a [`Discriminator`]. [`find`] lists the selected voxels in
//! world coordinates, by direct compaction or by a [`HistoPyramid`]. Parts of the list, repeated
//! points and counts are available without the full list. `zeroset_io::write_points` writes a list.

mod counts;
mod criterion;
pub mod leaves;
mod repeated_points;
pub mod sparse_slice;

use std::ops::Range;

use crate::error::Result;
use crate::parallel::*;
use crate::primitives::{Bits, Discriminator, HistoPyramid, Order, Stored, memory};
use crate::volume::Volume;
pub use counts::{Blocks, counts};
pub use criterion::Criterion;
pub use leaves::{Leaves, leaves, leaves_where};
pub use repeated_points::copies;
pub use sparse_slice::entries;

/// Voxels with their positions and values. All lists have one entry per point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// The world coordinates of the voxel centers, `[points]`, in the unit of the volume.
    pub positions: Vec<[f64; 3]>,
    /// The value of each voxel, `[points]`.
    pub values: Vec<f64>,
    /// The indices i, j, k of each voxel, `[points]`.
    pub voxels: Vec<[u32; 3]>,
    /// The index of each entry among the copies of its voxel, counted from 0, if [`Points::cloned`]
    /// created the list.
    pub copies: Option<Vec<u32>>,
}

impl Points {
    /// Returns the positions and values of voxels, given by their indices i, j, k.
    ///
    /// # Panics
    /// Panics if a voxel is not in the volume.
    pub fn of(volume: &Volume, voxels: Vec<[u32; 3]>) -> Self {
        let index = |v: &[u32; 3]| v.map(|n| n as usize);
        let position = |v: &[u32; 3]| volume.placement().world(v.map(f64::from));
        let value = |v: &[u32; 3]| {
            let [i, j, k] = index(v);
            volume.value(i, j, k)
        };
        Points {
            positions: voxels.par_iter().map(position).collect(),
            values: voxels.par_iter().map(value).collect(),
            voxels,
            copies: None,
        }
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.voxels.len()
    }

    /// Returns true if there are no points.
    pub fn is_empty(&self) -> bool {
        self.voxels.is_empty()
    }
}

/// Lists the active voxels of a discriminator.
///
/// [`Order::Lines`] uses direct compaction, which for a single list does only part of the work of a
/// pyramid (docs/points.md). [`Order::Blocks`] uses a pyramid.
///
/// ```
/// use zeroset_core::expression::Expression;
/// use zeroset_core::points::find;
/// use zeroset_core::primitives::Order;
/// use zeroset_core::volume::{Condition, Placement, Samples, Volume};
///
/// let samples = Samples::from(vec![100_i16, 400, 350, 0]);
/// let volume = Volume::new([2, 2, 1], samples, Placement::identity())?;
/// let above: Expression = "v > 300 && x > 0".parse().unwrap();
/// let found = find(&volume, &Condition::new(&volume, &above)?, Order::Lines)?;
/// assert_eq!((found.positions, found.values), (vec![[1.0, 0.0, 0.0]], vec![400.0]));
/// # Ok::<(), zeroset_core::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory, or if there are
/// 2^32 or more active voxels.
pub fn find(volume: &Volume, active: &impl Discriminator, order: Order) -> Result<Points> {
    let voxels = match order {
        Order::Lines => Bits::new(active)?.list()?,
        Order::Blocks => HistoPyramid::new(active, order, Stored::PartialSums)?.list()?,
    };
    Ok(Points::of(volume, voxels))
}

/// Returns a range of the list of [`find`] and the length of that list, without building the list.
/// A descent in a pyramid finds the first entry, and an iteration from there finds the others. The
/// range may reach beyond the end of the list.
///
/// # Errors
/// Returns the errors of [`find`].
pub fn part(
    volume: &Volume,
    active: &impl Discriminator,
    order: Order,
    entries: Range<usize>,
) -> Result<(Points, usize)> {
    let pyramid = HistoPyramid::new(active, order, Stored::PartialSums)?;
    let cells = pyramid.cells(entries);
    let mut voxels = Vec::new();
    memory::reserve(&mut voxels, cells.len(), "points in a list", "use a smaller range")?;
    voxels.extend(cells);
    Ok((Points::of(volume, voxels), pyramid.len()))
}

#[cfg(test)]
mod tests;
