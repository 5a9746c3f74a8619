//! Octrees and quadtrees of a volume on a GPU: the counterparts of
//! [`leaves`](zeroset_core::points::leaves()) and
//! [`leaves_where`](zeroset_core::points::leaves_where()).

use super::{check_number, criterion, room};
use crate::primitives::{DeviceTree, Value};
use crate::{Array, Cuda};
use zeroset_core::error::Result;
use zeroset_core::parallel::*;
use zeroset_core::points::leaves::with_values;
use zeroset_core::points::{Criterion, Leaves};
use zeroset_core::primitives::Leaf;
use zeroset_core::volume::{Samples, Volume};

/// The bytes on the GPU to reserve per cell of a tree, in addition to its value.
const OF_CELL: u64 = 2;
/// The bytes on the GPU per leaf.
const OF_LEAF: u64 = 16;

/// Returns the leaves that cover equal values, like [`leaves`](zeroset_core::points::leaves()). NaN
/// differs from every value.
///
/// # Errors
/// Returns [`Error::Device`](zeroset_core::Error::Device) if there are 2^32 voxels or more, if
/// there is not enough memory, or if the GPU does not respond.
pub fn leaves_on(cuda: &Cuda, volume: &Volume) -> Result<Leaves> {
    check_number(volume)?;
    let of_voxel = volume.samples().width() as u64 + OF_CELL;
    room(cuda, of_voxel * volume.n_voxels() as u64, "the volume and its tree")?;
    macro_rules! of {
        ($($variant:ident)*) => {
            match volume.samples() {
                $(Samples::$variant(numbers) => tree(cuda, volume, &cuda.upload(numbers)?)?,)*
            }
        };
    }
    let leaves = of!(U8 I8 U16 I16 U32 I32 U64 I64 F32 F64);
    Ok(with_values(volume, leaves))
}

/// Returns the leaves that cover voxels that meet all criteria, and the number of leaves in the
/// whole tree, like [`leaves_where`](zeroset_core::points::leaves_where()). The tree separates
/// voxels that meet all criteria from those that do not.
///
/// # Errors
/// Returns the errors of [`find_on`](super::find_on).
pub fn leaves_where_on(
    cuda: &Cuda,
    volume: &Volume,
    criteria: &[Criterion],
) -> Result<(Leaves, usize)> {
    let bits = criterion::bits(cuda, volume, criteria)?;
    room(cuda, (1 + OF_CELL) * volume.n_voxels() as u64, "the marks of the voxels and their tree")?;
    let all = tree(cuda, volume, &bits.flags(cuda)?)?;
    let words = bits.download(cuda)?;
    let [nx, ny, _] = volume.shape();
    let is_active = |leaf: &Leaf| {
        let [x, y, z] = leaf.cell.map(|c| c as usize);
        let n = x + nx * (y + ny * z);
        words[n / 32] >> (n % 32) & 1 == 1
    };
    let n_all = all.len();
    let kept = all.into_par_iter().filter(is_active).collect();
    Ok((with_values(volume, kept), n_all))
}

/// Returns the leaves that cover equal values of an array on the GPU.
fn tree<T: Value>(cuda: &Cuda, volume: &Volume, values: &Array<T>) -> Result<Vec<Leaf>> {
    let tree = DeviceTree::new(cuda, volume.shape().map(|n| n as u32), values)?;
    room(cuda, OF_LEAF * tree.count(cuda)? as u64, "the leaves")?;
    tree.leaves(cuda)
}
