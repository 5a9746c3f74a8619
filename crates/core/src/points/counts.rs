//! Counts of the voxels that satisfy a condition, per box or block, computed without a list.

use crate::error::{Error, Result};
use crate::parallel::*;
use crate::primitives::{Discriminator, HistoPyramid, Order, Stored, memory};
use crate::volume::{Samples, Volume};

/// Returns the number of active voxels in each box. A box includes its first corner and excludes
/// its second corner along each axis.
///
/// The function evaluates every voxel once to build a [`HistoPyramid`]. For each box, it then
/// examines only the blocks of voxels that the surface of the box cuts.
///
/// # Errors
/// Returns [`Error::Device`] if there are 2^32 or more active voxels, or if there is not enough
/// memory.
pub fn counts(active: &impl Discriminator, boxes: &[[[u32; 3]; 2]]) -> Result<Vec<u32>> {
    let pyramid = HistoPyramid::new(active, Order::Blocks, Stored::Sums)?;
    // A single box has at most as many active voxels as the volume, which has fewer than 2^32.
    Ok(boxes.par_iter().map(|&[low, high]| pyramid.count(low, high) as u32).collect())
}

/// A volume divided into blocks of voxels. The last block along an axis is smaller if the size of
/// the volume is not a multiple of the block size.
///
/// ```
/// use zeroset_core::points::{Blocks, counts};
/// use zeroset_core::primitives::{Grid, Threshold};
/// use zeroset_core::volume::{Placement, Volume};
///
/// let volume = Volume::new([3, 2, 1], vec![1_u8, 0, 1, 1, 0, 0].into(), Placement::identity())?;
/// let blocks = Blocks::new(&volume, 2)?;
/// assert_eq!(blocks.boxes()?, [[[0, 0, 0], [2, 2, 1]], [[2, 0, 0], [3, 2, 1]]]);
/// let found = counts(&Threshold { values: &volume, low: 1.0 }, &blocks.boxes()?)?;
/// let density = blocks.volume(found)?;
/// assert_eq!((density.shape(), density.placement().origin()), ([2, 1, 1], [0.5, 0.5, 0.0]));
/// # Ok::<(), zeroset_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    volume: &'a Volume,
    /// The number of voxels in a block along each axis, which is 1 along an axis of one voxel.
    edges: [usize; 3],
    /// The number of blocks along each axis.
    shape: [usize; 3],
}

impl<'a> Blocks<'a> {
    /// Divides a volume into blocks of `edge` voxels along each axis.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if `edge` is 0.
    pub fn new(volume: &'a Volume, edge: usize) -> Result<Self> {
        if edge == 0 {
            return Err(Error::usage("blocks of 0 voxels", "use an edge of at least 1 voxel"));
        }
        let sizes = volume.shape();
        let edges = sizes.map(|n| if n == 1 { 1 } else { edge });
        let shape = std::array::from_fn(|k| sizes[k].div_ceil(edges[k]));
        Ok(Blocks { volume, edges, shape })
    }

    /// Returns the corners of all blocks, x fastest, in the form that [`counts`] expects.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if there is not enough memory.
    pub fn boxes(&self) -> Result<Vec<[[u32; 3]; 2]>> {
        let ([nx, ny, nz], sizes) = (self.shape, self.volume.shape());
        let mut boxes = Vec::new();
        memory::reserve(&mut boxes, nx * ny * nz, "blocks of voxels", "use larger blocks")?;
        boxes.par_extend((0..nx * ny * nz).into_par_iter().map(|n| {
            let block = [n % nx, n / nx % ny, n / nx / ny];
            let low: [usize; 3] = std::array::from_fn(|k| block[k] * self.edges[k]);
            let high: [usize; 3] = std::array::from_fn(|k| sizes[k].min(low[k] + self.edges[k]));
            [low.map(|c| c as u32), high.map(|c| c as u32)]
        }));
        Ok(boxes)
    }

    /// Returns the counts of all blocks as a volume. It has one voxel per block, which lies at the
    /// center of the block. Smaller blocks at the ends are placed as if they had full size.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there is not exactly one count per block, or if the placement of
    /// the volume cannot be scaled.
    pub fn volume(&self, counts: Vec<u32>) -> Result<Volume> {
        let place = self.volume.placement();
        let middle = self.edges.map(|n| (n - 1) as f64 / 2.0);
        let edges = self.edges.map(|n| n as f64);
        let steps = std::array::from_fn(|k| place.steps()[k].map(|x| x * edges[k]));
        let mut blocks = Volume::new(self.shape, Samples::from(counts), *place)?
            .placed(place.world(middle), steps)?;
        (blocks.units, blocks.frame) = (self.volume.units.clone(), self.volume.frame.clone());
        blocks.name = "count".into();
        Ok(blocks)
    }
}
