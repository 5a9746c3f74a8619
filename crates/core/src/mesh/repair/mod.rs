//! Repair of a mesh as stored: vertices that coincide are joined, degenerate cells are removed
//! without disconnecting the mesh, and cells are split at hanging nodes.
//!
//! A repair adds no vertex and moves none. It changes which vertices the cells use, and it replaces
//! some cells by others. [`Repair`] maps the results back to the vertices and cells as stored.

mod apart;
mod cluster;
mod coincident;
mod degenerate;
mod simplices;
mod weld;

use super::hanging::{Hanging, split_hanging};
use super::{Kind, Mesh};
use crate::error::Result;
use crate::words::counted;

pub use coincident::Join;
pub use degenerate::{DEGENERATE, DegenerateCells, SKEWED, THIN};
pub use weld::Weld;

/// The repairs that [`repair`] may do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repairs {
    /// Which coincident vertices are joined.
    pub weld: Weld,
    /// Which cells count as degenerate, or `None` to keep all cells as they are, also at hanging
    /// nodes.
    pub degenerate: Option<Thinness>,
}

impl Default for Repairs {
    /// Joins torn edges and repairs the cells that would falsify distances.
    fn default() -> Self {
        Repairs { weld: Weld::Auto, degenerate: Some(Thinness::Degenerate) }
    }
}

impl Repairs {
    /// No repair at all.
    pub const NONE: Repairs = Repairs { weld: Weld::Never, degenerate: None };
}

/// How thin a cell must be to be repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinness {
    /// Cells without height up to rounding, and caps (see [`repair`]) with a height of at most
    /// [`SKEWED`] of their longest edge. They falsify distances.
    Degenerate,
    /// In addition, cells with a height of at most [`THIN`] of their longest edge, as long as they
    /// are few. They alone would determine the time step.
    Thin,
}

/// The changes of a repair, and the map from repaired to stored vertices and cells.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Repair {
    /// Coincident vertices.
    pub join: Join,
    /// Degenerate cells.
    pub degenerate: DegenerateCells,
    /// Hanging nodes. The map to stored cells is part of `parents`.
    pub hanging: Hanging,
    /// For each stored vertex, the vertex that replaces it in the cells. Empty if no vertex was
    /// replaced.
    #[serde(skip)]
    pub representative: Vec<u32>,
    /// For each repaired cell, the stored cell that it is or is a part of. Empty if no cell was
    /// replaced.
    #[serde(skip)]
    pub parents: Vec<u32>,
    /// The corners of the repaired cells before vertices were joined, so that each cell refers to
    /// its own copy of a vertex, `[n_cells * arity]`. Empty if no vertex was replaced.
    #[serde(skip)]
    pub own_corners: Vec<u32>,
}

impl Repair {
    /// Returns true if the mesh was not changed.
    pub fn is_nothing(&self) -> bool {
        self.representative.is_empty() && self.parents.is_empty()
    }

    /// Returns the counts alone, without the maps.
    pub fn counts(&self) -> Repair {
        let Repair { join, degenerate, hanging, .. } = self.clone();
        Repair { join, degenerate, hanging, ..Repair::default() }
    }

    /// Returns the number of vertices that were replaced by others.
    pub fn n_replaced(&self) -> usize {
        (0..).zip(&self.representative).filter(|&(v, &other)| v != other).count()
    }

    /// Returns the stored vertex that replaces a stored vertex in the cells.
    pub fn representative(&self, vertex: u32) -> u32 {
        self.representative.get(vertex as usize).copied().unwrap_or(vertex)
    }

    /// Returns the stored cell of which a repaired cell is a part.
    pub fn parent(&self, cell: u32) -> u32 {
        self.parents.get(cell as usize).copied().unwrap_or(cell)
    }

    /// Returns one line with the repairs and their counts, or `None` if nothing was changed.
    pub fn summary(&self) -> Option<String> {
        let parts: Vec<String> =
            [self.join.summary(), self.degenerate.summary(), self.hanging.summary()]
                .into_iter()
                .flatten()
                .collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Returns the doubts about the mesh that remain, one sentence each.
    pub fn doubts(&self) -> Vec<String> {
        let doubts = self.join.doubts().into_iter().chain(self.degenerate.doubts());
        doubts.chain(self.hanging.doubts()).collect()
    }
}

/// Repairs a mesh as stored. The vertices, their data and their numbers do not change.
///
/// First, coincident vertices are joined (see [`Weld`]). Then degenerate cells are removed:
///
/// - A *cap* is a cell with one vertex inside another of its simplices, for example a triangle with
///   one vertex on the opposite edge. That vertex is a hanging node of the neighbors that contain
///   this simplex, so they are split at it.
/// - A *needle* has two vertices at the same place. One replaces the other in all cells.
/// - A tetrahedron whose opposite edges cross is left out. Its neighbors share its four vertices.
///
/// Then the cells at hanging nodes are split (see [`split_hanging`]).
///
/// Cell arrays and groups follow the cells.
///
/// # Errors
/// Returns [`Error::Mesh`](crate::Error::Mesh) if the mesh cannot be used at all, as in
/// [`clean`](super::clean()).
pub fn repair(mesh: Mesh, repairs: Repairs) -> Result<(Mesh, Repair)> {
    super::clean::unfit(&mesh)?;
    let mut mesh = mesh;
    let mut repair = Repair::default();
    let own = (repairs.weld != Weld::Never).then(|| coincident::join(&mut mesh, repairs.weld));
    let joined = own.flatten();
    let mut representative = Vec::new();
    if let Some(joined) = joined {
        repair.join = joined.join;
        repair.own_corners = joined.own_corners;
        representative = joined.representative;
    }
    if let Some(thinness) = repairs.degenerate {
        let found =
            degenerate::remove(&mut mesh, thinness, &mut repair.own_corners, &mut representative);
        repair.degenerate = found.counts;
        repair.parents = found.parents;
    }
    repair.representative = representative;
    if repairs.degenerate.is_some() {
        mesh = split_at_nodes(mesh, &mut repair);
    }
    Ok((mesh, repair))
}

/// Splits cells at hanging nodes and updates the maps of `repair`.
fn split_at_nodes(mesh: Mesh, repair: &mut Repair) -> Mesh {
    let arity = mesh.kind.arity();
    let joined = (!repair.own_corners.is_empty()).then(|| mesh.cells.clone());
    let (mesh, mut hanging) = split_hanging(mesh);
    let parents = std::mem::take(&mut hanging.parents);
    if let Some(joined) = joined.filter(|_| !parents.is_empty()) {
        // A part has its cell's own copies of the corners. A node on its edges has no copy there.
        let own = parents.iter().zip(mesh.iter_cells()).flat_map(|(&parent, part)| {
            let corners = parent as usize * arity..(parent as usize + 1) * arity;
            let cell = joined[corners.clone()].iter().zip(&repair.own_corners[corners]);
            part.iter()
                .map(move |v| cell.clone().find(|(w, _)| *w == v).map_or(*v, |(_, own)| *own))
        });
        repair.own_corners = own.collect();
    }
    if !parents.is_empty() {
        repair.parents = parents.iter().map(|&cell| repair.parent(cell)).collect();
    }
    repair.hanging = hanging;
    mesh
}

/// Returns the name of a facet of a mesh, in singular and plural.
fn facet_names(kind: Kind) -> [&'static str; 2] {
    if kind == Kind::Volume { ["face", "faces"] } else { ["edge", "edges"] }
}

/// Returns a count with the name of a facet.
fn facets(kind: Kind, n: usize) -> String {
    counted(n, facet_names(kind))
}
