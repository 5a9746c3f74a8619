//! Ordering of a mesh along a Hilbert curve. Vertices that are close in the mesh become close in
//! memory, regardless of their order in the file.

use crate::mesh::Mesh;
use crate::parallel::*;
use crate::primitives::{GatherMatrix, hilbert};

/// The connectivity of a mesh in the order of the curve.
#[derive(Debug, PartialEq, Eq)]
pub struct Ordered {
    /// The mesh vertices in their order along the curve. Vertices with the same key keep their mesh
    /// order.
    pub order: Vec<u32>,
    /// The corners of the cells, as indices into `order`.
    pub cells: Vec<u32>,
    /// For each vertex of `order`, the indices of its corners in `cells`.
    pub slots: GatherMatrix,
}

impl Ordered {
    /// Sorts the vertices of a mesh along the curve.
    pub fn new(mesh: &Mesh) -> Self {
        let order = hilbert_order(mesh);
        let mut place = vec![0u32; order.len()];
        for (k, &v) in (0..).zip(&order) {
            place[v as usize] = k;
        }
        let cells: Vec<u32> = mesh.cells.par_iter().map(|&v| place[v as usize]).collect();
        drop(place);
        let slots = GatherMatrix::new(order.len(), &cells);
        Ordered { order, cells, slots }
    }
}

fn hilbert_order(mesh: &Mesh) -> Vec<u32> {
    let (low, high) = mesh.bounds();
    let lattice = hilbert::Lattice::new(low, high);
    // Keys are stored with the vertex indices, because looking them up would cause a cache miss at
    // every comparison.
    let mut keys = vec![(0, 0); mesh.n_vertices()];
    let blocks = keys.par_chunks_mut(hilbert::LANES).zip(mesh.vertices.par_chunks(hilbert::LANES));
    blocks.enumerate().for_each(|(block, (keys, vertices))| {
        let x = std::array::from_fn(|k| vertices[k.min(vertices.len() - 1)]);
        let found = lattice.keys(&x);
        for (k, (key, found)) in keys.iter_mut().zip(found).enumerate() {
            *key = (found, (block * hilbert::LANES + k) as u32);
        }
    });
    keys.par_sort_unstable();
    keys.into_par_iter().map(|(_, v)| v).collect()
}
