//! The largest blocks of equal voxels: a volume as an octree, a picture as a quadtree (Ziegler et
//! al. 2006, section 7.4).

use crate::error::Result;
use crate::parallel::*;
use crate::primitives::{Bits, Discriminator, Leaf, Tree};
use crate::volume::{Samples, Volume};

/// Blocks of voxels, each with the common value of its voxels, in Z-order.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaves {
    /// The blocks, `[blocks]`.
    pub leaves: Vec<Leaf>,
    /// The value of each block, `[blocks]`.
    pub values: Vec<f64>,
}

/// Returns the largest blocks of equal values. NaN is not equal to any value.
///
/// # Errors
/// Returns [`Error::Device`](crate::Error::Device) if there are 2^32 voxels or more, or if there is
/// not enough memory.
pub fn leaves(volume: &Volume) -> Result<Leaves> {
    let shape = volume.shape();
    macro_rules! of {
        ($($variant:ident)*) => {
            match volume.samples() {
                $(Samples::$variant(numbers) => Tree::new(shape, numbers)?.leaves()?,)*
            }
        };
    }
    let leaves = of!(U8 I8 U16 I16 U32 I32 U64 I64 F32 F64);
    Ok(with_values(volume, leaves))
}

/// Returns the leaves of active voxels in the tree that separates active from inactive voxels, and
/// the number of leaves in the whole tree. The value of a leaf is the value of its first voxel.
///
/// # Errors
/// Returns the errors of [`leaves`].
pub fn leaves_where(volume: &Volume, active: &impl Discriminator) -> Result<(Leaves, usize)> {
    let shape = volume.shape();
    let bits = Bits::new(active)?;
    let number = |[x, y, z]: [usize; 3]| x + shape[0] * (y + shape[1] * z);
    let is_set = |n: usize| bits.words()[n / 64] >> (n % 64) & 1 == 1;
    let marks: Vec<bool> = (0..volume.n_voxels()).into_par_iter().map(is_set).collect();
    let all = Tree::new(shape, &marks)?.leaves()?;
    let n_all = all.len();
    let is_active = |leaf: &Leaf| marks[number(leaf.cell.map(|c| c as usize))];
    let kept = all.into_par_iter().filter(is_active).collect();
    Ok((with_values(volume, kept), n_all))
}

/// Adds to each leaf the value of its first voxel.
pub fn with_values(volume: &Volume, mut leaves: Vec<Leaf>) -> Leaves {
    // A tree always has a level above its base, but a volume of one voxel has no larger block.
    if volume.n_voxels() == 1 {
        leaves.iter_mut().for_each(|leaf| leaf.level = 0);
    }
    let value = |leaf: &Leaf| {
        let [i, j, k] = leaf.cell.map(|c| c as usize);
        volume.value(i, j, k)
    };
    Leaves { values: leaves.par_iter().map(value).collect(), leaves }
}
