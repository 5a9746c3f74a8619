//! Points of a volume or picture where a condition holds: a list with places, values and indices; parts of it, copies, and
//! how many there are; its blocks of one value, and its entries as a sparse matrix.
//!
//! A [`Criterion`] is what is asked of the voxels of a volume, by a [`Discriminator`]; [`find`] lists those that meet it by direct
//! compaction or by a [`HistoPyramid`], in world coordinates. `zeroset_io::write_points` writes the list.

mod copies;
mod counts;
mod criterion;
pub mod entries;
pub mod leaves;

use std::ops::Range;

use rayon::prelude::*;

use crate::error::Result;
use crate::primitives::{Bits, Discriminator, HistoPyramid, Order, Stored, memory};
use crate::volume::Volume;
pub use copies::copies;
pub use counts::{Blocks, counts};
pub use criterion::Criterion;
pub use entries::entries;
pub use leaves::{Leaves, leaves, leaves_where};

/// Voxels with their places and values; all lists have one entry for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Points {
    /// World coordinates of the voxels' centers.
    pub positions: Vec<[f64; 3]>,
    /// Values of the volume.
    pub values: Vec<f64>,
    /// Indices i, j, k.
    pub voxels: Vec<[u32; 3]>,
    /// Which copy of its voxel an entry is, from 0, in a list of [`Points::cloned`].
    pub copies: Option<Vec<u32>>,
}

impl Points {
    /// Places and values of voxels.
    ///
    /// # Panics
    /// If a voxel is not in the volume.
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

    /// Number of points.
    pub fn len(&self) -> usize {
        self.voxels.len()
    }

    /// True without points.
    pub fn is_empty(&self) -> bool {
        self.voxels.is_empty()
    }
}

/// Lists the voxels that a discriminator finds active.
///
/// By lines they come from direct compaction, which for one list does a part of the work of a pyramid
/// (docs/points.md); block by block from the pyramid.
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
/// [`Error::Device`](crate::Error::Device) if there is not enough memory, or for 2^32 or more
/// active voxels.
pub fn find(volume: &Volume, active: &impl Discriminator, order: Order) -> Result<Points> {
    let voxels = match order {
        Order::Lines => Bits::new(active)?.list()?,
        Order::Blocks => HistoPyramid::new(active, order, Stored::PartialSums)?.list()?,
    };
    Ok(Points::of(volume, voxels))
}

/// A range of the list of [`find`] without the list, and how many entries that has: the first is found by a descent in a
/// pyramid, the others from there. Entries beyond the last are left out.
///
/// # Errors
/// As [`find`].
pub fn part(
    volume: &Volume,
    active: &impl Discriminator,
    order: Order,
    entries: Range<usize>,
) -> Result<(Points, usize)> {
    let pyramid = HistoPyramid::new(active, order, Stored::PartialSums)?;
    let cells = pyramid.cells(entries);
    let mut voxels = Vec::new();
    memory::reserve(&mut voxels, cells.len(), "points of a list", "take a smaller range")?;
    voxels.extend(cells);
    Ok((Points::of(volume, voxels), pyramid.len()))
}

#[cfg(test)]
mod tests;
