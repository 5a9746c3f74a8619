//! Splits cells at hanging nodes.

use super::Hanging;
use super::find::{END, Found};
use crate::geometry::Vec3;
use crate::mesh::Mesh;
use crate::mesh::repair::cell_list::{CellList, oriented_measure, replaced};
use crate::mesh::repair::splits::Splits;

/// The smallest allowed part of a split cell, as a fraction of the area or volume of the cell.
const SMALLEST_PART: f64 = 1e-9;

/// Splits the cells of `mesh` at the vertices that were found. Returns the counts and, if a cell
/// was split, the original cell of each cell.
pub(super) fn split(mesh: &mut Mesh, found: Found) -> (Hanging, Vec<u32>) {
    let mut work = Work::new(mesh);
    for (edge, nodes) in &found.edges {
        work.split_edge(*edge, nodes);
    }
    for (face, nodes) in &found.faces {
        nodes.iter().for_each(|&node| work.split_face(*face, node));
    }
    let Work { cells, splits, mut nodes, left, left_at, .. } = work;
    nodes.sort_unstable();
    nodes.dedup();
    let n_split = cells.n_replaced();
    let parents = if n_split > 0 { cells.write_to(mesh, &splits) } else { Vec::new() };
    let n_nodes = nodes.len();
    (Hanging { nodes: n_nodes, cells: n_split, left, left_at, ..Hanging::default() }, parents)
}

/// The state of the splitting.
struct Work<'a> {
    vertices: &'a [[f64; 3]],
    cells: CellList,
    splits: Splits,
    /// The nodes at which cells were split.
    nodes: Vec<u32>,
    left: usize,
    left_at: Option<u32>,
}

impl<'a> Work<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let (cells, splits) = (CellList::new(mesh), Splits::default());
        let vertices = &mesh.vertices;
        Work { vertices, cells, splits, nodes: Vec::new(), left: 0, left_at: None }
    }

    /// Splits all cells that share an edge. They are split at the `nodes` inside the edge, which
    /// are listed from its first end to its last.
    fn split_edge(&mut self, [a, b]: [u32; 2], nodes: &[u32]) {
        let mut pending = vec![(a, b, nodes)];
        while let Some((a, b, nodes)) = pending.pop() {
            let Some(middle) = nodes.get(nodes.len() / 2).copied() else { continue };
            // The edge may already have been split as part of a longer edge with nodes of its own.
            let earlier = self.splits.node_of(&[a, b]);
            let node = earlier.unwrap_or(middle);
            if earlier.is_some() || self.split_at(&[a, b], middle) {
                let (before, after) = self.around(a, b, node, nodes);
                pending.push((node, b, after));
                pending.push((a, node, before));
            }
        }
    }

    /// Returns the `nodes` inside an edge before and after one of them, or before and after another
    /// vertex at the same place as one of them.
    fn around<'n>(&self, a: u32, b: u32, node: u32, nodes: &'n [u32]) -> (&'n [u32], &'n [u32]) {
        let at = |v: u32| Vec3::from(self.vertices[v as usize]);
        let edge = at(b) - at(a);
        let along = |v: u32| (at(v) - at(a)).dot(&edge) / edge.norm_squared();
        let place = along(node);
        let before = nodes.partition_point(|&v| along(v) < place - END);
        let after = nodes.partition_point(|&v| along(v) <= place + END);
        (&nodes[..before], &nodes[after..])
    }

    /// Splits the cells that contain a face, or the part of it around `node`, at this node. If
    /// earlier splits made `node` a vertex of a part, nothing is left to do.
    fn split_face(&mut self, face: [u32; 3], node: u32) {
        let mut parts = Vec::new();
        self.splits.parts_of(&face, &mut parts);
        let at = |v: u32| Vec3::from(self.vertices[v as usize]);
        let p = at(node);
        let mut best: Option<(f64, Vec<u32>)> = None;
        for part in parts.as_chunks::<3>().0 {
            if part.contains(&node) {
                return;
            }
            let x = part.map(at);
            let normal = (x[1] - x[0]).cross(&(x[2] - x[0]));
            // The barycentric weight of corner k: the area opposite the corner, divided by the area
            // of the part.
            let weight = |k: usize| {
                let (from, to) = (x[(k + 1) % 3], x[(k + 2) % 3]);
                (to - from).cross(&(p - from)).dot(&normal) / normal.norm_squared()
            };
            let weights = [0, 1, 2].map(weight);
            let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
            if best.as_ref().is_none_or(|(other, _)| least > *other) {
                // The node may lie on the edge between two parts.
                let base = (0..3).filter(|&k| weights[k] > 1e-3).map(|k| part[k]).collect();
                best = Some((least, base));
            }
        }
        if let Some((least, base)) = best
            && least > -1e-3
        {
            self.split_at(&base, node);
        }
    }

    /// Splits all cells that contain the simplex `base` at `node`, a vertex inside `base`. Returns
    /// false if there are no such cells or if a part would be degenerate or reversed.
    fn split_at(&mut self, base: &[u32], node: u32) -> bool {
        let cells = self.cells.cells_with(base);
        let is_possible = |&cell: &u32| {
            let corners = self.cells.corners(cell);
            let whole = oriented_measure(self.vertices, corners);
            !corners.contains(&node)
                && base.iter().all(|&old| {
                    let part = oriented_measure(self.vertices, &replaced(corners, old, node));
                    part.dot(&whole) > SMALLEST_PART * whole.norm_squared()
                })
        };
        if cells.is_empty() || !cells.iter().all(is_possible) {
            self.left += 1;
            self.left_at.get_or_insert(node);
            return false;
        }
        for cell in cells {
            self.cells.split(cell, base, node);
        }
        self.splits.note(base, node);
        self.nodes.push(node);
        true
    }
}
