//! The largest blocks of voxels of one value: a volume as an octree, a picture as a quadtree (Ziegler et al. 2006, section
//! 7.4).

use rayon::prelude::*;

use crate::error::Result;
use crate::primitives::{Bits, Discriminator, Leaf, Tree};
use crate::volume::{Samples, Volume};

/// Blocks of voxels with the value that all of them have, in Z-order.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaves {
    /// The blocks.
    pub leaves: Vec<Leaf>,
    /// The value of each.
    pub values: Vec<f64>,
}

/// The leaves over equal values. What is no number is equal to nothing.
///
/// # Errors
/// [`Error::Device`](crate::Error::Device) for 2^32 voxels or more, or if there is not enough memory.
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

/// The leaves over what is active and what is not, those of active voxels; the value is that of their first voxel. How many
/// leaves the whole tree has stands beside.
///
/// # Errors
/// As [`leaves`].
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

/// The leaves with the value of the first voxel of each.
pub fn with_values(volume: &Volume, mut leaves: Vec<Leaf>) -> Leaves {
    // A tree has a level above its base, a volume of one voxel no block of more.
    if volume.n_voxels() == 1 {
        leaves.iter_mut().for_each(|leaf| leaf.level = 0);
    }
    let value = |leaf: &Leaf| {
        let [i, j, k] = leaf.cell.map(|c| c as usize);
        volume.value(i, j, k)
    };
    Leaves { values: leaves.par_iter().map(value).collect(), leaves }
}
