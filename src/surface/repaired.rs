//! All repairs of a mesh that is written to a file.

use super::{Outward, orient_outward};
use crate::error::Result;
use crate::mesh::repair::{Conflict, Repair, Repairs, conflicts, repair};
use crate::mesh::{Cleaning, Mesh, clean_repaired};

/// The changes that [`repaired`] made.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Repaired {
    /// Coincident vertices, degenerate cells and hanging nodes.
    pub repair: Repair,
    /// Cells and vertices that were left out, and tetrahedra whose orientation was reversed.
    pub cleaning: Cleaning,
    /// Triangles whose orientation was reversed.
    pub outward: Outward,
}

impl Repaired {
    /// Returns true if the mesh was not changed.
    pub fn is_nothing(&self) -> bool {
        self.repair.is_nothing() && self.cleaning.is_nothing() && self.outward.turned == 0
    }
}

/// Repairs the cells of a mesh as read from a file, leaves out what the repaired mesh does not use,
/// and orients its triangles outward. Warnings state what was done, with counts.
///
/// See [`repair`], [`clean_repaired`] and [`orient_outward`].
///
/// ```
/// use zeroset::mesh::repair::Repairs;
/// use zeroset::mesh::{Kind, Mesh};
///
/// // Two triangles that face opposite ways and have separate vertices.
/// let [a, b, c, d] = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [1., 1., 1.]];
/// let vertices = [a, b, c, b, c, d];
/// let mesh = Mesh::new(Kind::Surface, vertices.into(), (0..6).collect());
/// let (mesh, done) = zeroset::surface::repaired(mesh, Repairs::default())?;
/// assert_eq!((mesh.n_vertices(), done.repair.join.vertices, done.outward.turned), (4, 2, 1));
/// # Ok::<(), zeroset::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Mesh`](crate::Error::Mesh) if the mesh has a defect that cannot be repaired.
pub fn repaired(mesh: Mesh, repairs: Repairs) -> Result<(Mesh, Repaired)> {
    let (mesh, repair) = repair(mesh, repairs)?;
    let kept = |found: &Conflict| found.warning("the value of the first vertex is kept");
    let done = repair.summary().map(|summary| format!("mesh repaired: {summary}"));
    let differ = conflicts(&mesh, &repair);
    for text in done.into_iter().chain(repair.doubts()).chain(differ.iter().map(kept)) {
        tracing::warn!("{text}");
    }
    let (mut mesh, cleaning) = clean_repaired(mesh, &repair)?;
    let mut outward = orient_outward(&mut mesh);
    outward.one_sided_edge =
        outward.one_sided_edge.map(|edge| edge.map(|v| cleaning.kept_vertices[v as usize]));
    let done = outward.summary().map(|summary| format!("mesh oriented: {summary}"));
    for text in done.into_iter().chain(outward.doubts()) {
        tracing::warn!("{text}");
    }
    Ok((mesh, Repaired { repair, cleaning, outward }))
}
