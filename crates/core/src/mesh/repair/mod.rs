//! Repair of a stored mesh: coincident vertices are joined, degenerate cells are removed without
//! disconnecting the mesh, and cells are split at hanging nodes.
//!
//! A repair adds no vertex and moves none. It changes which vertices the cells use, and it replaces
//! some cells by others. [`Repair`] maps the repaired vertices and cells back to the stored ones.

pub(crate) mod apart;
mod cell_list;
mod cluster;
mod coarse;
mod coincident;
mod degenerate;
mod duplicates;
mod flips;
mod hanging;
mod joined_values;
mod overlap;
mod sheets;
mod simplices;
mod splits;
mod unmatched;
mod weld;

use super::statistics::facets::boundary_facets;
use super::{Kind, Mesh};
use crate::error::Result;
use crate::words::counted;
use coincident::Stored;

pub use apart::materials;
pub use coarse::Coarse;
pub use coincident::Join;
pub use degenerate::{DEGENERATE, DegenerateCells, SKEWED, THIN};
pub use duplicates::Duplicates;
pub use hanging::Hanging;
pub use joined_values::{Conflict, conflicts};
pub use overlap::Overlap;
pub use unmatched::Unmatched;
pub use weld::Weld;

/// The repairs that [`repair`] is allowed to make.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repairs {
    /// Which coincident vertices are joined.
    pub weld: Weld,
    /// Which cells count as degenerate, or `None` to leave all cells as they are, even at hanging
    /// nodes.
    pub degenerate: Option<Thinness>,
}

impl Default for Repairs {
    /// Returns the default repairs: torn edges are joined, and cells that would distort distances
    /// are repaired.
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
    /// Cells whose height is zero up to rounding, and caps and slivers (see [`repair`]) whose
    /// height is at most [`SKEWED`] times their longest edge. They distort distances.
    Degenerate,
    /// In addition, caps and slivers whose height is at most [`THIN`] times their longest edge, and
    /// needles that are equally thin if there are only a few of them or if they are extremely thin.
    /// Such cells alone would determine the time step.
    Thin,
}

/// The changes that a repair made, and the maps from repaired to stored vertices and cells.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Repair {
    /// The cells that were stored twice with separate vertices.
    pub duplicates: Duplicates,
    /// The numbers of coincident vertices and facets that were joined or kept apart.
    pub join: Join,
    /// The numbers of degenerate cells that were removed or left.
    pub degenerate: DegenerateCells,
    /// The number of hanging nodes and the number of cells that were split at them.
    pub hanging: Hanging,
    /// The numbers of boundary facets that lie along others without matching them.
    pub unmatched: Unmatched,
    /// The cells that overlap with other parts of the mesh.
    pub overlap: Overlap,
    /// The rounding of the coordinates, if it is coarse compared with the edges.
    pub coarse: Coarse,
    /// For each stored vertex, the vertex that replaces it in the cells. Empty if no vertex was
    /// replaced.
    #[serde(skip)]
    pub representative: Vec<u32>,
    /// For each repaired cell, the stored cell that it comes from. Empty if no cell was replaced.
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
        Repair {
            duplicates: self.duplicates.clone(),
            join: self.join.clone(),
            degenerate: self.degenerate.clone(),
            hanging: self.hanging.clone(),
            unmatched: self.unmatched.clone(),
            overlap: self.overlap.clone(),
            coarse: self.coarse.clone(),
            ..Repair::default()
        }
    }

    /// Returns the number of vertices that were replaced by other vertices.
    pub fn n_replaced(&self) -> usize {
        (0..).zip(&self.representative).filter(|&(v, &other)| v != other).count()
    }

    /// Returns the stored vertex that replaces a stored vertex in the cells.
    pub fn representative(&self, vertex: u32) -> u32 {
        self.representative.get(vertex as usize).copied().unwrap_or(vertex)
    }

    /// Returns the stored cell that a repaired cell comes from.
    pub fn parent(&self, cell: u32) -> u32 {
        self.parents.get(cell as usize).copied().unwrap_or(cell)
    }

    /// Updates the origin of the cells after some were replaced. `parents` lists the previous cell
    /// of each cell, and is empty if none was replaced.
    fn follow(&mut self, parents: &[u32]) {
        if !parents.is_empty() {
            self.parents = parents.iter().map(|&cell| self.parent(cell)).collect();
        }
    }

    /// Joins coincident vertices of the mesh. `boundary` lists its boundary facets, and `stored`
    /// lists the corners of the stored cells. Returns true if a vertex was joined.
    fn join(&mut self, mesh: &mut Mesh, weld: Weld, boundary: &[[u32; 3]], stored: &[u32]) -> bool {
        let origin = Stored { cells: stored, parents: &self.parents };
        let (join, representative) = coincident::join(mesh, weld, boundary, &origin);
        self.join.add(join);
        if representative.is_empty() {
            return false;
        }
        if self.representative.is_empty() {
            self.representative = representative;
        } else {
            self.representative.iter_mut().for_each(|v| *v = representative[*v as usize]);
        }
        true
    }

    /// Returns the faces next to the gaps where tetrahedra were left out, in ascending order. These
    /// tetrahedra have already been counted. `stored` lists the boundary facets of the stored mesh.
    fn gaps(&self, mesh: &Mesh, stored: &[[u32; 3]]) -> Vec<[u32; 3]> {
        if mesh.kind != Kind::Volume || self.parents.is_empty() {
            return Vec::new();
        }
        let joined = |face: &[u32; 3]| apart::key(&face.map(|v| self.representative(v)));
        let mut before: Vec<[u32; 3]> = stored.iter().map(joined).collect();
        before.sort_unstable();
        let mut gaps = boundary_facets(mesh);
        gaps.retain(|face| before.binary_search(face).is_err());
        gaps
    }

    /// Splits cells at hanging nodes. `boundary` lists the boundary facets of the stored mesh. They
    /// are used only if the mesh has not been changed since.
    ///
    /// If the two sides have separate vertices, their facets coincide only after the split, so
    /// vertices are joined again. That may uncover further hanging nodes, and so may a split of an
    /// edge with many of them. The search is therefore repeated until it splits no cell. Returns
    /// the boundary facets after the last split.
    fn split_hanging(
        &mut self,
        mesh: &mut Mesh,
        weld: Weld,
        boundary: Vec<[u32; 3]>,
        stored: &[u32],
    ) -> Vec<[u32; 3]> {
        let mut boundary = if self.is_nothing() { boundary } else { boundary_facets(mesh) };
        loop {
            let (hanging, parents) = hanging::split_hanging(mesh, &boundary, weld);
            self.hanging.add(hanging);
            if parents.is_empty() {
                return boundary;
            }
            self.follow(&parents);
            boundary = boundary_facets(mesh);
            if weld == Weld::Auto && self.join(mesh, weld, &boundary, stored) {
                boundary = boundary_facets(mesh);
            }
        }
    }

    /// Returns one line with the repairs and their counts, or `None` if nothing was changed.
    pub fn summary(&self) -> Option<String> {
        let parts: Vec<String> = [
            self.duplicates.summary(),
            self.join.summary(),
            self.degenerate.summary(),
            self.hanging.summary(),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Returns warnings about the repaired mesh, one sentence each.
    pub fn doubts(&self) -> Vec<String> {
        let doubts = self.coarse.doubts().chain(self.duplicates.doubts());
        let doubts = doubts.chain(self.join.doubts()).chain(self.degenerate.doubts());
        let doubts = doubts.chain(self.hanging.doubts()).chain(self.unmatched.doubts());
        doubts.chain(self.overlap.doubts()).collect()
    }
}

/// Repairs the cells of a mesh. Its vertices, their data and their indices do not change.
///
/// First, cells that are stored twice with separate vertices are removed, and coincident vertices
/// are joined (see [`Weld`]). Then degenerate cells are removed:
///
/// - A *cap* is a cell with one vertex inside an edge or face between its other vertices, for
///   example a triangle with one vertex on the opposite edge. That vertex is a hanging node of the
///   neighbors that contain this edge or face, so they are split at it.
/// - A *needle* has two vertices at the same place. One replaces the other in all cells.
/// - A tetrahedron whose opposite edges nearly cross is a *sliver*. The tetrahedra around one of
///   its edges are replaced by others that fill the same space. If this is not possible, the sliver
///   is left out. Its neighbors share its four vertices.
///
/// A repair of a cell is not made if it would make other cells worse.
///
/// Then cells are split at *hanging nodes*. A hanging node is a vertex of the boundary that lies
/// inside a boundary edge or, in a tetrahedral mesh, inside a boundary face of another cell. If the
/// two sides have separate vertices, they coincide after the split, and are joined as well.
///
/// Cell arrays and groups are updated to match the new cells.
///
/// # Errors
/// Returns [`Error::Mesh`](crate::Error::Mesh) if the mesh has a defect that
/// [`clean`](super::clean()) cannot fix, or if degenerate cells are to be repaired and 32-bit
/// coordinates are rounded to a quarter of the edges or more (see [`Coarse`]).
pub fn repair(mut mesh: Mesh, repairs: Repairs) -> Result<(Mesh, Repair)> {
    super::clean::unfit(&mesh)?;
    let mut repair = Repair { coarse: Coarse::find(&mesh), ..Repair::default() };
    if repairs.degenerate.is_some() {
        repair.coarse.refuse()?;
    }
    if repairs == Repairs::NONE {
        return Ok((mesh, repair));
    }
    let stored = mesh.cells.clone();
    let place = match repairs.weld {
        Weld::Never => Vec::new(),
        Weld::Auto | Weld::Within(_) => duplicates::places_of(&mesh),
    };
    (repair.duplicates, repair.representative, repair.parents) =
        duplicates::remove(&mut mesh, repairs.weld, &place);
    let boundary = boundary_facets(&mesh);
    let is_joined = repair.join(&mut mesh, repairs.weld, &boundary, &stored);
    if let Some(thinness) = repairs.degenerate {
        let (degenerate, parents) =
            degenerate::remove(&mut mesh, thinness, &mut repair.representative);
        repair.degenerate = degenerate;
        repair.follow(&parents);
        let gaps = repair.gaps(&mesh, &boundary);
        let mut boundary = repair.split_hanging(&mut mesh, repairs.weld, boundary, &stored);
        boundary.retain(|face| gaps.binary_search(face).is_err());
        repair.unmatched = Unmatched::find(&mesh, &boundary, repairs.weld);
        // A sheet may also be folded upon itself.
        let place = match place.is_empty() && is_joined {
            true => duplicates::places_after(&mesh, &repair.representative),
            false => place,
        };
        repair.overlap = Overlap::find(&mesh, &boundary, &place);
        repair.overlap.at = repair.overlap.at.map(|cell| repair.parent(cell));
    }
    if !repair.representative.is_empty() {
        repair.own_corners = own_corners(&mesh, &stored, &repair);
    }
    Ok((mesh, repair))
}

/// Returns the corners of the cells of a repaired mesh, with each cell's own copies of vertices
/// that were joined. A vertex at which a cell was split has no such copy and keeps its index.
fn own_corners(mesh: &Mesh, stored: &[u32], repair: &Repair) -> Vec<u32> {
    let arity = mesh.kind.arity();
    let mut own = Vec::with_capacity(mesh.cells.len());
    for (cell, corners) in (0..).zip(mesh.iter_cells()) {
        let copies = &stored[repair.parent(cell) as usize * arity..][..arity];
        own.extend(corners.iter().map(|v| {
            let copy = copies.iter().find(|&&copy| repair.representative(copy) == *v);
            copy.unwrap_or(v)
        }));
    }
    own
}

/// Returns the name of a facet of a mesh, in the singular and the plural.
fn facet_names(kind: Kind) -> [&'static str; 2] {
    if kind == Kind::Volume { ["face", "faces"] } else { ["edge", "edges"] }
}

/// Returns a count with the name of a facet.
fn facets(kind: Kind, n: usize) -> String {
    counted(n, facet_names(kind))
}
