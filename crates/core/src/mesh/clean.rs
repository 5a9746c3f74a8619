//! Cleaning: turns a stored mesh, as read or generated, into a mesh that solvers can rely on.
//!
//! In a clean mesh, every index is valid, every coordinate is finite, no cell is degenerate or
//! duplicate, every tetrahedron has positive volume, and every vertex is used. Defects that can be
//! fixed are fixed and counted. A mesh with other defects is rejected. The orientation of triangles
//! is neither changed nor used, vertices at the same position are not merged, and edges with three
//! or more triangles are kept.

mod validate;

pub(super) use validate::unfit;

use super::repair::Repair;
use super::statistics::facets::{CellsAround, repeats_vertex};
use super::{Group, Kind, Members, Mesh};
use crate::error::{Error, Result};
use crate::geometry::Vec3;
use crate::parallel::*;
use crate::words::counted;

/// A triangle is degenerate if the squared sine of one of its angles is at most this number. The
/// same limit applies to the corresponding measure of a tetrahedron.
const FLAT: f64 = 1e-28;
/// Marks removed items in a map from stored to new indices.
const GONE: u32 = u32::MAX;

/// The vertices and cells that [`clean`] kept, and counts of its changes.
///
/// A dropped cell is counted once, for the first reason that applies: repeating, duplicate,
/// degenerate.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
#[non_exhaustive]
pub struct Cleaning {
    /// The number of vertices in the stored mesh.
    pub n_stored_vertices: usize,
    /// The number of cells in the stored mesh.
    pub n_stored_cells: usize,
    /// The indices of the kept vertices in the stored mesh, in ascending order.
    #[serde(skip)]
    pub kept_vertices: Vec<u32>,
    /// The indices of the kept cells in the stored mesh, in ascending order.
    #[serde(skip)]
    pub kept_cells: Vec<u32>,
    /// The number of tetrahedra of negative volume that were reoriented by swapping their last two
    /// vertices.
    pub inverted: usize,
    /// The number of cells dropped because they contain a vertex twice.
    pub repeating: usize,
    /// The number of cells dropped because an earlier cell has the same vertices.
    pub duplicate: usize,
    /// The number of cells dropped because they are degenerate up to rounding.
    pub degenerate: usize,
    /// The number of vertices left out because no kept cell uses them.
    pub unreferenced: usize,
    /// The number of lower-dimensional group members left out because one of their vertices was
    /// left out.
    pub group_members: usize,
    /// The number of facets with three or more cells. They are kept.
    pub nonmanifold: usize,
}

impl Cleaning {
    /// Returns true if the stored mesh is clean and was not changed.
    pub fn is_nothing(&self) -> bool {
        self.kept_vertices.len() == self.n_stored_vertices
            && self.kept_cells.len() == self.n_stored_cells
            && self.inverted == 0
    }

    /// Returns one line with the counts of dropped and changed items, or `None` if nothing was
    /// changed.
    pub fn summary(&self) -> Option<String> {
        let parts: Vec<String> = [
            (self.inverted, "inverted tetrahedron", "inverted tetrahedra", "reoriented"),
            (self.repeating, "cell that repeats a vertex", "cells that repeat a vertex", "dropped"),
            (self.duplicate, "duplicate cell", "duplicate cells", "dropped"),
            (self.degenerate, "degenerate cell", "degenerate cells", "dropped"),
            (self.unreferenced, "unreferenced vertex", "unreferenced vertices", "left out"),
            (self.group_members, "group member", "group members", "left out"),
        ]
        .into_iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, one, many, done)| format!("{} {done}", counted(n, [one, many])))
        .collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Returns a warning with the number of facets with three or more cells, or `None` if there are
    /// none.
    pub fn doubt(&self, kind: Kind) -> Option<String> {
        let names = match kind {
            Kind::Volume => ["face is", "faces are"],
            Kind::Planar | Kind::Surface => ["edge is", "edges are"],
        };
        (self.nonmanifold > 0).then(|| {
            format!(
                "{} shared by three or more cells; fronts cross into every sheet",
                counted(self.nonmanifold, names)
            )
        })
    }
}

/// Turns a stored mesh into a mesh that solvers can rely on, and reports the changes.
///
/// - Cells that contain a vertex twice, cells with the vertices of an earlier cell, and cells that
///   are degenerate up to rounding are dropped. A cell is degenerate if `det G <= 1e-28 prod
///   |e_k|^2`, where G is the Gram matrix of the edges `e_k` that meet at one of its vertices. All
///   vertices are examined, so the result does not depend on their order.
/// - Tetrahedra of negative volume are reoriented by swapping their last two vertices.
/// - Vertices that no remaining cell uses are left out. Data arrays and groups are adapted. A group
///   may become empty but is kept. Vertices and cells keep their order.
///
/// One warning lists the counts. A second warning counts the facets with three or more cells.
/// Cleaning a clean mesh changes nothing.
///
/// ```
/// use zeroset_core::mesh::{Kind, Mesh, clean};
/// let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [9.0, 9.0, 0.0]];
/// let (mesh, cleaning) = clean(Mesh::new(Kind::Planar, corners, vec![0, 1, 2, 0, 1, 1]))?;
/// assert_eq!((mesh.n_vertices(), mesh.n_cells()), (3, 1)); // without the flat cell
/// assert_eq!(cleaning.kept_vertices, [0, 1, 2]);
/// # Ok::<(), zeroset_core::Error>(())
/// ```
///
/// # Errors
/// Returns [`Error::Mesh`] with the vertex or cell if the mesh cannot be fixed: it has no cells or
/// none remain, an index is out of range, a coordinate of a used vertex is not finite, the length
/// of an array does not match, or there are more vertices or indices than fit in 32 bits.
pub fn clean(mesh: Mesh) -> Result<(Mesh, Cleaning)> {
    clean_repaired(mesh, &Repair::default())
}

/// Cleans a repaired mesh like [`clean`]. Vertices that were replaced by others are left out, but
/// are not counted as unreferenced.
///
/// # Errors
/// Returns the errors of [`clean`].
pub fn clean_repaired(mesh: Mesh, repair: &Repair) -> Result<(Mesh, Cleaning)> {
    let mut cleaning = assess(&mesh)?;
    cleaning.unreferenced -= repair.n_replaced();
    if let Some(summary) = cleaning.summary() {
        tracing::warn!("mesh cleaned: {summary}");
    }
    if let Some(doubt) = cleaning.doubt(mesh.kind) {
        tracing::warn!("{doubt}");
    }
    let cleaned = if cleaning.is_nothing() { mesh } else { apply(mesh, &cleaning) };
    Ok((cleaned, cleaning))
}

/// Returns the changes that [`clean`] would make to a mesh, without making them and without
/// warnings.
///
/// # Errors
/// Returns the errors of [`clean`].
pub fn assess(mesh: &Mesh) -> Result<Cleaning> {
    let arity = mesh.kind.arity();
    validate::unfit(mesh)?;

    let mut fate: Vec<Fate> =
        mesh.cells.par_chunks_exact(arity).map(|cell| Fate::of(mesh, cell)).collect();
    let around = CellsAround::new(mesh.n_vertices(), &mesh.cells, arity);
    for index in around.duplicates() {
        let fate = &mut fate[index as usize];
        if *fate != Fate::Repeating {
            *fate = Fate::Duplicate;
        }
    }
    let count = |which| fate.iter().filter(|&&f| f == which).count();
    let mut cleaning = Cleaning {
        n_stored_vertices: mesh.n_vertices(),
        n_stored_cells: mesh.n_cells(),
        inverted: count(Fate::Inverted),
        repeating: count(Fate::Repeating),
        duplicate: count(Fate::Duplicate),
        degenerate: count(Fate::Degenerate),
        ..Cleaning::default()
    };
    cleaning.kept_cells =
        (0_u32..).zip(&fate).filter(|(_, fate)| fate.is_kept()).map(|(cell, _)| cell).collect();
    if cleaning.kept_cells.is_empty() {
        let what = format!(
            "none of its {} {} can be used: {}",
            mesh.n_cells(),
            cells_of(mesh.kind),
            cleaning.summary().unwrap_or_default()
        );
        return Err(Error::mesh("", what, "check how the mesh was created"));
    }
    let mut used = vec![false; mesh.n_vertices()];
    for (cell, _) in mesh.iter_cells().zip(&fate).filter(|(_, fate)| fate.is_kept()) {
        cell.iter().for_each(|&v| used[v as usize] = true);
    }
    cleaning.kept_vertices =
        (0_u32..).zip(&used).filter(|(_, used)| **used).map(|(v, _)| v).collect();
    cleaning.unreferenced = mesh.n_vertices() - cleaning.kept_vertices.len();
    cleaning.group_members = mesh
        .groups
        .iter()
        .map(|group| match &group.members {
            Members::Simplices { dimension, vertices } => vertices
                .chunks_exact(dimension + 1)
                .filter(|simplex| simplex.iter().any(|&v| !used[v as usize]))
                .count(),
            Members::Cells(_) => 0,
        })
        .sum();
    cleaning.nonmanifold = around.count_nonmanifold(|cell| fate[cell].is_kept());
    Ok(cleaning)
}

/// Returns the part of a clean mesh that consists of the cells to `keep`, `[n_cells]`, and the
/// original indices of its vertices and cells. Arrays and groups are adapted. The part does not
/// count as a lattice.
pub fn part(mesh: Mesh, keep: &[bool]) -> (Mesh, Vec<u32>, Vec<u32>) {
    let mut used = vec![false; mesh.n_vertices()];
    for (cell, _) in mesh.iter_cells().zip(keep).filter(|(_, keep)| **keep) {
        cell.iter().for_each(|&v| used[v as usize] = true);
    }
    let numbers = |flags: &[bool]| -> Vec<u32> {
        (0_u32..).zip(flags).filter(|(_, flag)| **flag).map(|(k, _)| k).collect()
    };
    let (kept_vertices, kept_cells) = (numbers(&used), numbers(keep));
    let cleaning = Cleaning { kept_vertices, kept_cells, ..Cleaning::default() };
    let mut part = apply(mesh, &cleaning);
    part.lattice = None;
    (part, cleaning.kept_vertices, cleaning.kept_cells)
}

/// The effect of cleaning on a cell.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Kept,
    Inverted,
    Repeating,
    Duplicate,
    Degenerate,
}

impl Fate {
    fn of(mesh: &Mesh, cell: &[u32]) -> Self {
        if repeats_vertex(cell) {
            return Fate::Repeating;
        }
        match Orientation::of(&mesh.vertices, cell) {
            Orientation::Flat => Fate::Degenerate,
            Orientation::Negative => Fate::Inverted,
            Orientation::Positive => Fate::Kept,
        }
    }

    fn is_kept(self) -> bool {
        matches!(self, Fate::Kept | Fate::Inverted)
    }
}

/// The sign of the area or volume of a cell.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Orientation {
    /// The area or volume is zero up to rounding.
    Flat,
    /// The volume is negative. This never occurs for triangles.
    Negative,
    /// The area or volume is positive.
    Positive,
}

impl Orientation {
    /// Returns the same result as [`Orientation::of`], but faster, if the cell is far from
    /// degenerate and the powers of its size do not overflow. Returns `None` otherwise.
    fn far_from_flat(n: usize, [e1, e2, e3]: &[Vec3; 3]) -> Option<Self> {
        // No edge is longer than twice the square root of this sum.
        let size = e1.norm_squared() + e2.norm_squared() + e3.norm_squared();
        if !(1e-60..1e60).contains(&size) {
            return None;
        }
        let normal = e1.cross(e2);
        if n == 3 {
            return (normal.norm_squared() > 1e-18 * size * size).then_some(Orientation::Positive);
        }
        let det = normal.dot(e3);
        let sure = det * det > 1e-18 * size * size * size;
        sure.then_some(if det < 0.0 { Orientation::Negative } else { Orientation::Positive })
    }

    /// Returns the orientation of a cell. It is flat if `det G <= 1e-28 prod |e_k|^2` at one of its
    /// vertices.
    ///
    /// `det G` is computed from the cross product of the edges. If it were computed from their
    /// scalar products, rounding would dominate it long before it reaches 1e-28. Reorienting the
    /// cell does not change any bit of `det G`.
    pub(super) fn of(vertices: &[[f64; 3]], cell: &[u32]) -> Self {
        let n = cell.len();
        let mut x = [Vec3::zeros(); 4];
        cell.iter().zip(&mut x).for_each(|(&v, x)| *x = Vec3::from(vertices[v as usize]));
        let [o, x1, x2, x3] = x;
        let edges = [x1 - o, x2 - o, if n == 4 { x3 - o } else { Vec3::zeros() }];
        if let Some(orientation) = Self::far_from_flat(n, &edges) {
            return orientation;
        }
        // Lengths are measured in units of the largest component of an edge, so that none of their
        // powers overflows or underflows.
        let unit = edges.iter().fold(0.0_f64, |unit, e| unit.max(e.amax()));
        if unit == 0.0 {
            return Orientation::Flat;
        }
        let [e1, e2, e3] = edges.map(|e| e / unit);
        let normal = e1.cross(&e2);
        let det = if n == 4 { e1.dot(&e2.cross(&e3)) } else { normal.norm() };
        let mut worst = 0.0_f64;
        for at in 0..n {
            // The first n - 1 entries hold the squared lengths of the edges at this vertex. They
            // are sorted, so that the order of the products does not change if the cell is
            // reoriented.
            let mut incident = [1.0; 3];
            for (slot, to) in (0..n).filter(|&k| k != at).enumerate() {
                incident[slot] = ((x[to] - x[at]) / unit).norm_squared();
            }
            incident.sort_unstable_by(f64::total_cmp);
            worst = worst.max(incident.iter().product());
        }
        if det * det <= FLAT * worst {
            Orientation::Flat
        } else if det < 0.0 {
            Orientation::Negative
        } else {
            Orientation::Positive
        }
    }
}

fn cells_of(kind: Kind) -> &'static str {
    if kind == Kind::Volume { "tetrahedra" } else { "triangles" }
}

/// Creates the mesh that `cleaning` describes.
fn apply(mesh: Mesh, cleaning: &Cleaning) -> Mesh {
    let Mesh { kind, vertices, cells, groups, vertex_data, cell_data, lattice } = mesh;
    let arity = kind.arity();
    let new_vertex = inverse(&cleaning.kept_vertices, vertices.len());
    let new_cell = inverse(&cleaning.kept_cells, cells.len() / arity);
    let mut kept = Vec::with_capacity(cleaning.kept_cells.len() * arity);
    for &index in &cleaning.kept_cells {
        let start = index as usize * arity;
        let cell = &cells[start..start + arity];
        kept.extend(cell.iter().map(|&v| new_vertex[v as usize]));
        if Orientation::of(&vertices, cell) == Orientation::Negative {
            let end = kept.len();
            kept.swap(end - 2, end - 1);
        }
    }
    Mesh {
        kind,
        vertices: cleaning.kept_vertices.iter().map(|&v| vertices[v as usize]).collect(),
        cells: kept,
        groups: groups.into_iter().map(|group| follow(group, &new_vertex, &new_cell)).collect(),
        vertex_data: vertex_data.iter().map(|a| a.select(&cleaning.kept_vertices)).collect(),
        cell_data: cell_data.iter().map(|a| a.select(&cleaning.kept_cells)).collect(),
        lattice: lattice.filter(|_| cleaning.unreferenced == 0),
    }
}

/// Returns the new index of each stored item, or [`GONE`] if it was not kept.
fn inverse(kept: &[u32], n_stored: usize) -> Vec<u32> {
    let mut new = vec![GONE; n_stored];
    (0_u32..).zip(kept).for_each(|(index, &stored)| new[stored as usize] = index);
    new
}

fn follow(group: Group, new_vertex: &[u32], new_cell: &[u32]) -> Group {
    let members = match group.members {
        Members::Cells(cells) => Members::Cells(
            cells.iter().map(|&c| new_cell[c as usize]).filter(|&c| c != GONE).collect(),
        ),
        Members::Simplices { dimension, vertices } => {
            let renumbered: Vec<u32> = vertices.iter().map(|&v| new_vertex[v as usize]).collect();
            let whole = renumbered.chunks_exact(dimension + 1).filter(|s| !s.contains(&GONE));
            Members::Simplices { dimension, vertices: whole.flatten().copied().collect() }
        }
    };
    Group { name: group.name, members }
}
