//! Joins the torn faces of tetrahedra before their boundary is used.

use std::path::Path;

use super::Ui;
use crate::error::Result;
use crate::mesh::repair::{Repairs, Weld, repair};
use crate::mesh::{Kind, Mesh};

/// Joins coincident vertices of a tetrahedral mesh from `file`, and warns about what was done.
/// Without this, every torn face would belong to the boundary. Triangle meshes do not change.
///
/// # Errors
/// Returns [`crate::Error::Mesh`] if the mesh has a defect that cannot be repaired.
pub fn joined(mesh: Mesh, weld: Weld, file: &Path, ui: &Ui) -> Result<Mesh> {
    if mesh.kind != Kind::Volume {
        return Ok(mesh);
    }
    let (mesh, repair) = repair(mesh, Repairs { weld, degenerate: None })?;
    let done = repair.summary().map(|summary| format!("mesh repaired: {summary}"));
    ui.warn_of(file, done.into_iter().chain(repair.doubts()));
    Ok(mesh)
}
