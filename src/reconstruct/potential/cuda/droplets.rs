//! Parts of a surface on a GPU that enclose nothing.

use crate::error::Result;
use crate::gpu::Cuda;
use crate::mesh::Mesh;
use crate::reconstruct::potential::droplets;
use crate::surface::{DeviceParts, DeviceSurface};

/// The mesh of the host that [`droplets::without`] leaves, and how many parts it is without. What is left
/// out is not copied.
///
/// Volumes and areas are known to a thousandth where they decide; a surface with a part nearer to the limit
/// is left to the CPU as a whole.
pub(super) fn without(cuda: &Cuda, surface: DeviceSurface, size: f64) -> Result<(Mesh, usize)> {
    let parts = DeviceParts::new(cuda, &surface)?;
    let extents = parts.extents(cuda, &surface, size)?;
    let verdict = |part| {
        droplets::is_surely_nothing(part, DeviceParts::errors(part, size), size)
            .map(|is_nothing| !is_nothing)
    };
    let Some(kept) = extents.iter().map(verdict).collect::<Option<Vec<bool>>>() else {
        return Ok(droplets::without(surface.mesh(cuda)?, size));
    };
    let dropped = kept.iter().filter(|kept| !**kept).count();
    let left = if dropped == 0 { surface } else { parts.keep(cuda, &surface, &kept)? };
    Ok((left.mesh(cuda)?, dropped))
}
