//! The nodal graph of a mesh, in which two vertices are adjacent if they belong to a common cell.
//! This graph is partitioned into patches.

use crate::error::{Error, Result};
use crate::parallel::*;
use crate::primitives::GatherMatrix;

/// The number of vertices per task. One list per vertex would require one allocation per vertex.
const BLOCK: usize = 4096;
/// The largest number of corners at a vertex for which linear search is used to find duplicate
/// neighbors.
const FEW: usize = 64;

/// The neighbors of each vertex in ascending order, without the vertex itself.
pub struct Adjacency {
    /// The position in `neighbors` of the first neighbor of each vertex, `[n_vertices + 1]`.
    pub offsets: Vec<u32>,
    /// The neighbors of all vertices, `[offsets[n_vertices]]`.
    pub neighbors: Vec<u32>,
}

impl Adjacency {
    /// Builds the nodal graph of `cells` with `arity` vertices each. `slots` lists the indices in
    /// `cells` of the corners at each vertex.
    ///
    /// # Errors
    /// Returns [`Error::Mesh`] if there are too many edges for 32-bit numbers.
    pub fn new(slots: GatherMatrix, cells: &[u32], arity: usize) -> Result<Self> {
        let n = slots.offsets.len() - 1;
        let blocks: Vec<(Vec<u32>, Vec<u32>)> = (0..n.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let vertices = block * BLOCK..((block + 1) * BLOCK).min(n);
                let mut counts = Vec::with_capacity(vertices.len());
                let mut neighbors = Vec::with_capacity(vertices.len() * 7);
                for v in vertices {
                    let slots = slots.row(v);
                    let first = neighbors.len();
                    for &slot in slots {
                        let cell = slot as usize / arity * arity;
                        for &w in &cells[cell..cell + arity] {
                            let known = w == v as u32
                                || (slots.len() <= FEW && neighbors[first..].contains(&w));
                            if !known {
                                neighbors.push(w);
                            }
                        }
                    }
                    neighbors[first..].sort_unstable();
                    if slots.len() > FEW {
                        let mut ring = neighbors.split_off(first);
                        ring.dedup();
                        neighbors.append(&mut ring);
                    }
                    counts.push((neighbors.len() - first) as u32);
                }
                (counts, neighbors)
            })
            .collect();
        let mut offsets = Vec::with_capacity(n + 1);
        let mut end = 0u64;
        offsets.push(0);
        for (counts, _) in &blocks {
            for count in counts {
                end += u64::from(*count);
                offsets.push(u32::try_from(end).map_err(|_| {
                    Error::mesh(
                        "",
                        "the mesh has too many edges for 32-bit numbers",
                        "use a smaller mesh",
                    )
                })?);
            }
        }
        drop(slots);
        let mut neighbors = Vec::with_capacity(end as usize);
        for (_, block) in blocks {
            neighbors.extend_from_slice(&block);
        }
        Ok(Adjacency { offsets, neighbors })
    }

    /// Returns the number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the neighbors of a vertex.
    pub fn of(&self, vertex: usize) -> &[u32] {
        &self.neighbors[self.offsets[vertex] as usize..self.offsets[vertex + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_of_few_and_of_many_cells() {
        // A closed fan of triangles around vertex 0, and an additional strip.
        for n in [5_u32, 500] {
            let ring = |k: u32| 1 + k % n;
            let cells: Vec<u32> = (0..n).flat_map(|k| [ring(k), ring(k + 1), 0]).collect();
            let slots = GatherMatrix::new(n as usize + 1, &cells);
            let adjacency = Adjacency::new(slots, &cells, 3).unwrap();
            assert!(adjacency.of(0).iter().copied().eq(1..=n));
            assert_eq!(adjacency.of(2), [0, 1, 3]);
            assert_eq!(adjacency.of(1), [0, 2, n]);
        }
    }
}
