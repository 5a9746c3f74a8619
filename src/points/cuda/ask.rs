//! Parts of a list and counts of boxes on a GPU: the twins of [`super::super::part`] and [`super::super::counts`].

use std::ops::Range;

use super::{OF_POINT, OF_VOXEL, marks, n_voxels, room};
use crate::backend::cuda::Cuda;
use crate::error::Result;
use crate::expression::Expression;
use crate::points::Points;
use crate::primitives::cuda::DeviceHistoPyramid;
use crate::primitives::{Order, Stored};
use crate::volume::{Condition, Volume};

/// Bytes on the card for a box and its count.
const OF_BOX: u64 = 28;

/// A range of the list of [`find_on`](super::find_on), and how many entries that has, as [`part`](crate::points::part) gives
/// them.
///
/// # Errors
/// Those of [`find_on`](super::find_on).
pub fn part_on(
    cuda: &Cuda,
    volume: &Volume,
    expression: &Expression,
    order: Order,
    entries: Range<usize>,
) -> Result<(Points, usize)> {
    let pyramid = pyramid(cuda, volume, expression, order)?;
    let total = pyramid.len(cuda)?;
    let n = entries.end.min(total).saturating_sub(entries.start);
    room(cuda, OF_POINT * n as u64, "the list")?;
    let voxels = cuda.download(&pyramid.cells(cuda, entries)?)?;
    Ok((Points::of(volume, voxels), total))
}

/// Number of voxels in each box where an expression holds, as [`counts`](crate::points::counts) gives it.
///
/// # Errors
/// Those of [`find_on`](super::find_on).
pub fn counts_on(
    cuda: &Cuda,
    volume: &Volume,
    expression: &Expression,
    boxes: &[[[u32; 3]; 2]],
) -> Result<Vec<u32>> {
    let pyramid = pyramid(cuda, volume, expression, Order::Blocks)?;
    room(cuda, OF_BOX * boxes.len() as u64, "the boxes")?;
    cuda.download(&pyramid.count(cuda, &cuda.upload(boxes)?)?)
}

/// The pyramid over the voxels where an expression holds.
fn pyramid(
    cuda: &Cuda,
    volume: &Volume,
    expression: &Expression,
    order: Order,
) -> Result<DeviceHistoPyramid> {
    Condition::new(volume, expression)?;
    let n = n_voxels(volume)?;
    let uses_values = expression.names().contains(&"v");
    let samples = if uses_values { n * volume.samples().width() } else { 0 };
    room(cuda, samples as u64 + OF_VOXEL * n as u64, "the volume and its marks")?;
    let marks = marks(cuda, volume, expression, uses_values)?;
    let shape = volume.shape().map(|n| n as u32);
    DeviceHistoPyramid::new(cuda, shape, &marks, 1, order, Stored::PartialSums)
}
