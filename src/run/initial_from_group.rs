//! The initial level set from the region of a group.

use super::{CleanedMesh, setup};
use crate::error::{Error, Result};
use crate::mesh::{Members, Mesh};
use crate::words::counted;

/// Returns phi of the region of a group: negative inside, positive outside, and zero at the
/// vertices between cells inside and outside. The interface of a group of vertices runs through the
/// midpoints of the edges that leave it.
///
/// Cells of the group whose corners all lie on its boundary are left out of the inside. A warning
/// that counts them is added to `warnings`.
///
/// # Errors
/// Returns the errors of [`CleanedMesh::group`]. Returns [`Error::Case`] for a group of edges or
/// faces, which has no inside.
pub(super) fn from_group(
    cleaned: &CleanedMesh,
    name: &str,
    warnings: &mut Vec<String>,
) -> Result<Vec<f64>> {
    let (simplices, _) = cleaned.group(name)?;
    let mesh = &cleaned.mesh;
    let unit = setup::mean_edge(mesh);
    match mesh.group(name).map(|group| &group.members) {
        Some(Members::Simplices { dimension: 1.., .. }) => {
            let what = format!("the group \"{name}\" consists of edges or faces without an inside");
            Err(Error::usage(what, "choose a group of cells or vertices, see `zeroset info`"))
        }
        Some(Members::Simplices { .. }) => {
            let mut phi = vec![unit; mesh.n_vertices()];
            simplices.iter().for_each(|&v| phi[v as usize] = -unit);
            Ok(phi)
        }
        Some(Members::Cells(cells)) => {
            let phi = between(mesh, cells, unit);
            let is_lost = |&&cell: &&u32| {
                let mut corners = mesh.iter_cells().nth(cell as usize).into_iter().flatten();
                corners.all(|&v| phi[v as usize] == 0.0)
            };
            let lost = cells.iter().filter(is_lost).count();
            if lost > 0 {
                let cells = counted(lost, ["cell", "cells"]);
                let warning = format!(
                    "initial.group: all corners of {cells} of \"{name}\" lie on the boundary of \
                     the group, so the initial interface leaves them out; refine the mesh there"
                );
                tracing::warn!("{warning}");
                warnings.push(warning);
            }
            Ok(phi)
        }
        None => Ok(Vec::new()),
    }
}

/// Returns -unit at vertices whose cells all belong to the region, unit at vertices without a cell
/// of the region, and zero at all others.
fn between(mesh: &Mesh, region: &[u32], unit: f64) -> Vec<f64> {
    let mut is_inside = vec![false; mesh.n_cells()];
    region.iter().for_each(|&cell| is_inside[cell as usize] = true);
    let mut touches = vec![[false; 2]; mesh.n_vertices()];
    for (cell, inside) in mesh.iter_cells().zip(is_inside) {
        cell.iter().for_each(|&v| touches[v as usize][usize::from(inside)] = true);
    }
    let value = |&[outside, inside]: &[bool; 2]| match (inside, outside) {
        (true, true) => 0.0,
        (true, false) => -unit,
        (false, _) => unit,
    };
    touches.iter().map(value).collect()
}
