//! Sources that consist of simplices of the mesh: vertices, edges or faces.

use super::{Part, Slowness, smallest_per_vertex};
use crate::geometry::Vec3;
use crate::mesh::Mesh;

/// The simplices of a source, given by their vertices in mesh order, `arity` each.
struct Simplices<'a> {
    mesh: &'a Mesh,
    vertices: &'a [u32],
    arity: usize,
    /// Pairs of a vertex and a simplex at it, in ascending order.
    touching: Vec<(u32, u32)>,
}

impl<'a> Simplices<'a> {
    fn new(mesh: &'a Mesh, vertices: &'a [u32], arity: usize) -> Self {
        let mut touching: Vec<(u32, u32)> = Vec::with_capacity(vertices.len());
        for (s, vertices) in vertices.chunks_exact(arity).enumerate() {
            touching.extend(vertices.iter().map(|&v| (v, s as u32)));
        }
        touching.sort_unstable();
        Simplices { mesh, vertices, arity, touching }
    }

    /// Returns the simplices at a vertex.
    fn at(&self, v: u32) -> impl Iterator<Item = u32> {
        let first = self.touching.partition_point(|t| t.0 < v);
        self.touching[first..].iter().take_while(move |t| t.0 == v).map(|t| t.1)
    }

    /// Sets `part` to the part of a simplex inside a cell: the vertices that both share.
    fn shared(&self, s: u32, cell: &[u32], part: &mut Vec<Vec3>) {
        let source = &self.vertices[s as usize * self.arity..][..self.arity];
        part.clear();
        let within = source.iter().filter(|v| cell.contains(v));
        part.extend(within.map(|&v| Vec3::from(self.mesh.vertices[v as usize])));
    }
}

/// Returns the parts of a source given by simplices as for [`around_simplices`]. A part consists of
/// the vertices that a cell shares with a simplex. `simplices` lists vertices in mesh order, `[n *
/// arity]`.
pub fn parts_of_simplices(mesh: &Mesh, simplices: &[u32], arity: usize) -> Vec<Part> {
    let simplices = Simplices::new(mesh, simplices, arity);
    let mut parts = Vec::new();
    let (mut near, mut shared) = (Vec::new(), Vec::new());
    for (c, cell) in mesh.iter_cells().enumerate() {
        near.clear();
        cell.iter().for_each(|&v| near.extend(simplices.at(v)));
        near.sort_unstable();
        near.dedup();
        for &s in &near {
            simplices.shared(s, cell, &mut shared);
            parts.push(Part::new(c as u32, &shared));
        }
    }
    parts
}

/// Returns initial values around the simplices of a source, given by their vertices in mesh order,
/// `arity` each (1 for vertices, 2 for edges, ...). `start` is the value at the source.
pub fn around_simplices(
    mesh: &Mesh,
    simplices: &[u32],
    arity: usize,
    start: f64,
    slowness: &Slowness<f64>,
) -> Vec<(u32, f64)> {
    let mut is_source = vec![false; mesh.n_vertices()];
    for &v in simplices {
        is_source[v as usize] = true;
    }
    let simplices = Simplices::new(mesh, simplices, arity);
    let mut values: Vec<(u32, f64)> = Vec::new();
    let mut part: Vec<Vec3> = Vec::new();
    for (c, cell) in mesh.iter_cells().enumerate() {
        for &v in cell.iter().filter(|&&v| is_source[v as usize]) {
            values.push((v, start));
            for s in simplices.at(v) {
                simplices.shared(s, cell, &mut part);
                for &w in cell.iter().filter(|&&w| !is_source[w as usize]) {
                    let x = Vec3::from(mesh.vertices[w as usize]);
                    let (time, _) = Part::new(c as u32, &part).nearest(x, slowness);
                    values.push((w, start + time));
                }
            }
        }
    }
    smallest_per_vertex(values)
}
