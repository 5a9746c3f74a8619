//! The cells of a mesh while some of them are replaced by others.

use std::collections::HashMap;

use super::splits::Splits;
use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::primitives::GatherMatrix;

/// The cells of a mesh, called given cells, followed by new cells.
pub(super) struct CellList {
    arity: usize,
    n_given: usize,
    corners: Vec<u32>,
    is_alive: Vec<bool>,
    /// The given cell that each cell comes from.
    parents: Vec<u32>,
    /// The given cells at each vertex, as corner slots `arity * cell + corner`.
    given_at: GatherMatrix,
    /// New cells at each vertex, and cells that moved to it from a replaced vertex.
    added_at: HashMap<u32, Vec<u32>>,
}

impl CellList {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let n = mesh.n_cells();
        CellList {
            arity: mesh.kind.arity(),
            n_given: n,
            corners: mesh.cells.clone(),
            is_alive: vec![true; n],
            parents: (0..n as u32).collect(),
            given_at: GatherMatrix::new(mesh.n_vertices(), &mesh.cells),
            added_at: HashMap::new(),
        }
    }

    /// Returns the number of cells, including those that were removed.
    pub(super) fn len(&self) -> usize {
        self.is_alive.len()
    }

    pub(super) fn is_alive(&self, cell: u32) -> bool {
        self.is_alive[cell as usize]
    }

    pub(super) fn corners(&self, cell: u32) -> &[u32] {
        &self.corners[cell as usize * self.arity..][..self.arity]
    }

    /// Returns the cells, except removed ones, that contain all vertices of `simplex`, ascending.
    pub(super) fn cells_with(&self, simplex: &[u32]) -> Vec<u32> {
        // Start at the vertex with the fewest cells. Another vertex may belong to all cells of the
        // mesh.
        let added_at = |v: u32| self.added_at.get(&v).map_or(0, Vec::len);
        let n_cells = |&&v: &&u32| self.given_at.row(v as usize).len() + added_at(v);
        let Some(&v) = simplex.iter().min_by_key(n_cells) else { return Vec::new() };
        let given = self.given_at.row(v as usize).iter().map(|&slot| slot / self.arity as u32);
        let added = self.added_at.get(&v).into_iter().flatten().copied();
        let contains = |c: u32| simplex.iter().all(|v| self.corners(c).contains(v));
        let mut cells: Vec<u32> =
            given.chain(added).filter(|&c| self.is_alive(c) && contains(c)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    pub(super) fn remove(&mut self, cell: u32) {
        self.is_alive[cell as usize] = false;
    }

    /// Replaces the vertex `from` of a cell by `to`.
    pub(super) fn move_corner(&mut self, cell: u32, from: u32, to: u32) {
        let corners = &mut self.corners[cell as usize * self.arity..][..self.arity];
        corners.iter_mut().filter(|v| **v == from).for_each(|v| *v = to);
        self.note(to, cell);
    }

    /// Adds a cell to the list of a vertex.
    fn note(&mut self, vertex: u32, cell: u32) {
        let list = self.added_at.entry(vertex).or_default();
        // Cells that are split repeatedly leave removed parts in the list. Without these parts, the
        // list grows only if the number of cells at the vertex grows.
        if list.len() == list.capacity() {
            list.retain(|&c| self.is_alive[c as usize]);
        }
        list.push(cell);
    }

    /// Replaces a cell by its parts around `node`, a vertex inside the simplex `base` of the cell.
    /// Returns the parts.
    pub(super) fn split(&mut self, cell: u32, base: &[u32], node: u32) -> Vec<u32> {
        self.remove(cell);
        let whole = self.corners(cell).to_vec();
        let mut parts = Vec::with_capacity(base.len());
        for &old in base {
            parts.push(self.add(&replaced(&whole, old, node), cell));
        }
        parts
    }

    /// Adds a cell that comes from the same given cell as `cell`, and returns the index of the new
    /// cell.
    pub(super) fn add(&mut self, corners: &[u32], cell: u32) -> u32 {
        let part = self.len() as u32;
        self.corners.extend(corners);
        self.is_alive.push(true);
        self.parents.push(self.parents[cell as usize]);
        corners.iter().for_each(|&v| self.note(v, part));
        part
    }

    /// Returns the given cell that a cell comes from: the cell itself, the one that it is a part of
    /// or, after a flip, the one whose values it takes.
    pub(super) fn parent(&self, cell: u32) -> u32 {
        self.parents[cell as usize]
    }

    /// Writes the cells to the mesh, with the parts of a cell in its place. Cell arrays and groups
    /// are updated. Returns, for each cell of the mesh, the given cell that it comes from.
    pub(super) fn write_to(self, mesh: &mut Mesh, splits: &Splits) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).filter(|&c| self.is_alive(c)).collect();
        order.sort_by_key(|&c| self.parents[c as usize]);
        let parents: Vec<u32> = order.iter().map(|&c| self.parents[c as usize]).collect();
        mesh.cells = order.iter().flat_map(|&c| self.corners(c)).copied().collect();
        mesh.lattice = None;
        mesh.cell_data.iter_mut().for_each(|array| *array = array.select(&parents));
        for group in &mut mesh.groups {
            splits.apply(&mut group.members, &parents, self.n_given);
        }
        parents
    }

    /// Returns the number of given cells that were removed or replaced.
    pub(super) fn n_replaced(&self) -> usize {
        self.is_alive[..self.n_given].iter().filter(|alive| !**alive).count()
    }
}

/// Returns the corners with `old` replaced by `new`.
pub(super) fn replaced(corners: &[u32], old: u32, new: u32) -> Vec<u32> {
    corners.iter().map(|&v| if v == old { new } else { v }).collect()
}

/// Returns the size and orientation of a cell as a vector. For a triangle, it is the normal, and
/// its length is twice the area. For a tetrahedron, its x component is six times the signed volume,
/// and the other components are 0. The scalar product of two such vectors is negative if the
/// orientation changed.
pub(super) fn oriented_measure(vertices: &[[f64; 3]], corners: &[u32]) -> Vec3 {
    let at = |k: usize| Vec3::from(vertices[corners[k] as usize]);
    let normal = (at(1) - at(0)).cross(&(at(2) - at(0)));
    match corners.len() {
        3 => normal,
        _ => Vec3::new(normal.dot(&(at(3) - at(0))), 0.0, 0.0),
    }
}
