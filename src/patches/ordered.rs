//! A mesh whose vertices have the numbers of their places along a Hilbert curve: what is near in the
//! mesh is then near in memory, whatever the order of the file.

use rayon::prelude::*;

use crate::mesh::Mesh;
use crate::primitives::{GatherMatrix, hilbert};

/// Connectivity in the order of the curve.
#[derive(Debug, PartialEq, Eq)]
pub struct Ordered {
    /// Vertices of the mesh along the curve; those at one place in their own order.
    pub order: Vec<u32>,
    /// Corners of the cells, as places in `order`.
    pub cells: Vec<u32>,
    /// Corners at each place.
    pub slots: GatherMatrix,
}

impl Ordered {
    /// Sorts the vertices of a mesh.
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
    // Keys travel with the vertices: looking them up would miss the cache at every comparison.
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
