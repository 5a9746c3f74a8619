//! Removes components of a surface that enclose nothing, on a GPU.

use crate::error::Result;
use crate::gpu::Cuda;
use crate::mesh::Mesh;
use crate::reconstruct::potential::droplets;
use crate::surface::{DeviceParts, DeviceSurface};

/// Returns the mesh that [`droplets::without`] would return, and the number of removed components.
/// Removed components are not copied to the host.
///
/// Volumes and areas of components near the limit are accurate to a thousandth. If a component is
/// closer to the limit than that, the CPU processes the whole surface.
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
