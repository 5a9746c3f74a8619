//! Bisection of cells at hanging nodes.

use std::collections::HashMap;

use super::Hanging;
use super::find::Found;
use crate::geometry::Vec3;
use crate::mesh::{DataArray, Members, Mesh, Values};
use crate::primitives::GatherMatrix;

/// A part smaller than this fraction of the cell that is split is flat.
const FLAT: f64 = 1e-9;

/// Splits the cells of `mesh` at the vertices that were found.
pub(super) fn split(mesh: &mut Mesh, found: Found) -> Hanging {
    let mut nodes: Vec<u32> = Vec::new();
    nodes.extend(found.edges.iter().flat_map(|(_, nodes)| nodes));
    nodes.extend(found.faces.iter().flat_map(|(_, nodes)| nodes));
    nodes.sort_unstable();
    nodes.dedup();
    let mut work = Work::new(mesh);
    for (edge, nodes) in &found.edges {
        work.split_edge(*edge, nodes);
    }
    for (face, nodes) in &found.faces {
        nodes.iter().for_each(|&node| work.split_face(*face, node));
    }
    let Work { n_given, cells, alive, parents, splits, left, left_at, .. } = work;
    let mut order: Vec<u32> = (0..alive.len() as u32).filter(|&c| alive[c as usize]).collect();
    // Parts take the place of their cell.
    order.sort_by_key(|&cell| parents[cell as usize]);
    let arity = mesh.kind.arity();
    let corners = |&cell: &u32| &cells[cell as usize * arity..][..arity];
    let new_cells: Vec<u32> = order.iter().flat_map(corners).copied().collect();
    let parents: Vec<u32> = order.iter().map(|&cell| parents[cell as usize]).collect();
    let n_split = alive[..n_given].iter().filter(|alive| !**alive).count();
    let mut hanging = Hanging { nodes: nodes.len(), cells: n_split, left, left_at, parents };
    if n_split == 0 {
        hanging.parents = Vec::new();
        return hanging;
    }
    mesh.cells = new_cells;
    mesh.lattice = None;
    let arrays = std::mem::take(&mut mesh.cell_data).into_iter();
    mesh.cell_data = arrays.map(|array| rows(array, &hanging.parents)).collect();
    for group in &mut mesh.groups {
        follow(&mut group.members, &hanging.parents, n_given, &splits);
    }
    hanging
}

/// The simplices that were split, by ascending vertices (an edge repeats its last one): the number
/// of the split, and the vertex inside.
type Splits = HashMap<[u32; 3], (usize, u32)>;

/// The cells during the work, with new ones at the end.
struct Work<'a> {
    vertices: &'a [[f64; 3]],
    arity: usize,
    n_given: usize,
    cells: Vec<u32>,
    alive: Vec<bool>,
    parents: Vec<u32>,
    around: GatherMatrix,
    /// New cells at each vertex.
    added: HashMap<u32, Vec<u32>>,
    splits: Splits,
    left: usize,
    left_at: Option<u32>,
}

impl<'a> Work<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let n = mesh.n_cells();
        Work {
            vertices: &mesh.vertices,
            arity: mesh.kind.arity(),
            n_given: n,
            cells: mesh.cells.clone(),
            alive: vec![true; n],
            parents: (0..n as u32).collect(),
            around: GatherMatrix::new(mesh.n_vertices(), &mesh.cells),
            added: HashMap::new(),
            splits: Splits::new(),
            left: 0,
            left_at: None,
        }
    }

    /// Splits the cells at an edge at all `nodes` inside of it, which run from its first end to its
    /// last.
    fn split_edge(&mut self, [a, b]: [u32; 2], nodes: &[u32]) {
        let mut waiting = vec![(a, b, nodes)];
        while let Some((a, b, nodes)) = waiting.pop() {
            let Some(middle) = nodes.get(nodes.len() / 2).copied() else { continue };
            let (first, last) = nodes.split_at(nodes.len() / 2);
            if self.split_at(&[a, b], middle) {
                waiting.push((middle, b, &last[1..]));
                waiting.push((a, middle, first));
            }
        }
    }

    /// Splits the part of a face around a node. If earlier splits made the node a vertex of the
    /// face, nothing is left to do.
    fn split_face(&mut self, face: [u32; 3], node: u32) {
        let mut parts = Vec::new();
        parts_of(&face, &self.splits, &mut parts);
        let at = |v: u32| Vec3::from(self.vertices[v as usize]);
        let p = at(node);
        let mut best: Option<(f64, Vec<u32>)> = None;
        for part in parts.as_chunks::<3>().0 {
            if part.contains(&node) {
                return;
            }
            let x = part.map(at);
            let normal = (x[1] - x[0]).cross(&(x[2] - x[0]));
            // Twice the area is 1 in units of the square of the normal.
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

    /// Splits all cells that contain the simplex `base` at a vertex inside of it. Returns false if
    /// there are no such cells or if a part would be flat.
    fn split_at(&mut self, base: &[u32], node: u32) -> bool {
        let cells: Vec<u32> = self.cells_at(base);
        let is_possible = |&cell: &u32| {
            let corners = self.corners(cell);
            let whole = self.measure(corners);
            !corners.contains(&node)
                && base.iter().all(|&old| {
                    let part = replaced(corners, old, node);
                    self.measure(&part).dot(&whole) > FLAT * whole.norm_squared()
                })
        };
        if cells.is_empty() || !cells.iter().all(is_possible) {
            self.left += 1;
            self.left_at.get_or_insert(node);
            return false;
        }
        for cell in cells {
            let corners = self.corners(cell).to_vec();
            self.alive[cell as usize] = false;
            for &old in base {
                self.add(&replaced(&corners, old, node), self.parents[cell as usize]);
            }
        }
        self.splits.insert(key(base), (self.splits.len(), node));
        true
    }

    fn corners(&self, cell: u32) -> &[u32] {
        &self.cells[cell as usize * self.arity..][..self.arity]
    }

    /// Returns the cells that contain all vertices of `base`, ascending.
    fn cells_at(&self, base: &[u32]) -> Vec<u32> {
        let Some(&v) = base.first() else { return Vec::new() };
        let given = self.around.row(v as usize).iter().map(|&slot| slot / self.arity as u32);
        let added = self.added.get(&v).into_iter().flatten().copied();
        let mut cells: Vec<u32> = given
            .chain(added)
            .filter(|&c| self.alive[c as usize])
            .filter(|&c| base.iter().all(|v| self.corners(c).contains(v)))
            .collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// Returns the normal of a triangle, or the volume of a tetrahedron along x.
    fn measure(&self, corners: &[u32]) -> Vec3 {
        let at = |k: usize| Vec3::from(self.vertices[corners[k] as usize]);
        let normal = (at(1) - at(0)).cross(&(at(2) - at(0)));
        match self.arity {
            3 => normal,
            _ => Vec3::new(normal.dot(&(at(3) - at(0))), 0.0, 0.0),
        }
    }

    fn add(&mut self, corners: &[u32], parent: u32) {
        let cell = self.alive.len() as u32;
        self.cells.extend_from_slice(corners);
        self.alive.push(true);
        self.parents.push(parent);
        for &v in corners {
            self.added.entry(v).or_default().push(cell);
        }
    }
}

fn replaced(corners: &[u32], old: u32, new: u32) -> Vec<u32> {
    corners.iter().map(|&v| if v == old { new } else { v }).collect()
}

/// Returns the key of an edge or face in [`Splits`].
fn key(base: &[u32]) -> [u32; 3] {
    let mut key = [base[0], base[1], base[base.len() - 1]];
    key.sort_unstable();
    // The edge a-b is a-b-b, whatever the order of its ends is.
    if base.len() == 2 { [key[0], key[2], key[2]] } else { key }
}

/// Adds the parts into which the splits around a simplex cut it.
fn parts_of(simplex: &[u32], splits: &Splits, parts: &mut Vec<u32>) {
    let n = simplex.len();
    let edges = (0..n).flat_map(|b| (0..b).map(move |a| vec![simplex[a], simplex[b]]));
    let faces = (n == 3).then(|| simplex.to_vec());
    let found = edges.chain(faces).filter_map(|base| splits.get(&key(&base)).map(|s| (*s, base)));
    // The first split was applied to the whole simplex.
    let Some(((_, node), base)) = found.min() else { return parts.extend_from_slice(simplex) };
    for &old in base.iter().filter(|_| !simplex.contains(&node)) {
        parts_of(&replaced(simplex, old, node), splits, parts);
    }
}

fn follow(members: &mut Members, parents: &[u32], n_given: usize, splits: &Splits) {
    match members {
        Members::Cells(cells) => {
            let mut is_member = vec![false; n_given];
            for &cell in cells.iter() {
                if let Some(slot) = is_member.get_mut(cell as usize) {
                    *slot = true;
                }
            }
            let inside = (0..).zip(parents).filter(|&(_, &parent)| is_member[parent as usize]);
            *cells = inside.map(|(cell, _)| cell).collect();
        }
        Members::Simplices { dimension: 0, .. } => {}
        Members::Simplices { dimension, vertices } => {
            let mut parts = Vec::with_capacity(vertices.len());
            for simplex in vertices.chunks_exact(*dimension + 1) {
                parts_of(simplex, splits, &mut parts);
            }
            *vertices = parts;
        }
    }
}

/// Returns the array with one row per part.
fn rows(array: DataArray, parents: &[u32]) -> DataArray {
    fn pick<T: Copy>(values: &[T], n: usize, rows: &[u32]) -> Vec<T> {
        rows.iter().flat_map(|&row| &values[row as usize * n..][..n]).copied().collect()
    }
    let values = match &array.values {
        Values::Float(v) => Values::Float(pick(v, array.components, parents)),
        Values::Int(v) => Values::Int(pick(v, array.components, parents)),
    };
    DataArray { values, ..array }
}
