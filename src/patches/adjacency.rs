//! Which vertices share a cell: the nodal graph that is cut into patches.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::mesh::Mesh;
use crate::primitives::GatherMatrix;

/// Neighbours of each vertex, ascending, without the vertex itself.
pub struct Adjacency {
    /// First neighbour of each vertex, `[n_vertices + 1]`.
    pub offsets: Vec<u32>,
    /// Neighbours, `[offsets[n_vertices]]`.
    pub neighbors: Vec<u32>,
}

impl Adjacency {
    /// Nodal graph of a mesh.
    ///
    /// # Errors
    /// [`Error::Mesh`] if its edges cannot be numbered in 32 bits.
    pub fn new(mesh: &Mesh) -> Result<Self> {
        let arity = mesh.kind.arity();
        let slots = GatherMatrix::new(mesh.n_vertices(), &mesh.cells);
        // A few thousand vertices per task: one list each would be an allocation per vertex.
        let vertices: Vec<u32> = (0..mesh.n_vertices() as u32).collect();
        let parts: Vec<(Vec<u32>, Vec<u32>)> = vertices
            .par_chunks(4096)
            .map(|chunk| {
                let (mut counts, mut neighbors) = (Vec::with_capacity(chunk.len()), Vec::new());
                let mut ring = Vec::new();
                for &v in chunk {
                    ring.clear();
                    for &slot in slots.row(v as usize) {
                        let cell = slot as usize / arity * arity;
                        ring.extend(&mesh.cells[cell..cell + arity]);
                    }
                    ring.sort_unstable();
                    ring.dedup();
                    let before = neighbors.len();
                    neighbors.extend(ring.iter().filter(|&&w| w != v));
                    counts.push((neighbors.len() - before) as u32);
                }
                (counts, neighbors)
            })
            .collect();
        let mut offsets = Vec::with_capacity(mesh.n_vertices() + 1);
        let mut end = 0u64;
        offsets.push(0);
        for (counts, _) in &parts {
            for count in counts {
                end += u64::from(*count);
                offsets.push(u32::try_from(end).map_err(|_| {
                    Error::mesh(
                        "",
                        "its edges cannot be numbered in 32 bits",
                        "take a smaller mesh",
                    )
                })?);
            }
        }
        let mut neighbors = Vec::with_capacity(end as usize);
        for (_, part) in &parts {
            neighbors.extend_from_slice(part);
        }
        Ok(Adjacency { offsets, neighbors })
    }

    /// Neighbours of one vertex.
    pub fn of(&self, vertex: usize) -> &[u32] {
        &self.neighbors[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize]
    }
}
