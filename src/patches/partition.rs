//! Cutting the vertices of a mesh into patches: METIS, a Hilbert curve, both, or lattice blocks.
//!
//! The result is the same in every run and for every number of threads. METIS draws from the C
//! library's one random generator, so its calls stand behind a lock and start from a fixed seed.

use std::sync::Mutex;

use rayon::prelude::*;

use super::adjacency::Adjacency;
use super::repair::repair;
use crate::error::{Error, Result};
use crate::mesh::Mesh;
use crate::primitives::hilbert;

/// How patches are cut.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Partition {
    /// METIS inside chunks of a Hilbert curve: nearly the cut of `metis`, much faster.
    HilbertMetis,
    /// METIS k-way on the whole mesh: the smallest halo.
    Metis,
    /// Pieces of a Hilbert curve: fastest, with the largest halo.
    Hilbert,
    /// Blocks of the lattice of a regular grid; needs a mesh made as one.
    Blocks,
}

impl Partition {
    /// What a mesh gets unless the case says otherwise: blocks for a lattice, which needs no METIS.
    pub fn fit_for(mesh: &Mesh) -> Self {
        if mesh.lattice.is_some() { Partition::Blocks } else { Partition::HilbertMetis }
    }
}

/// Vertices handed to one METIS call by [`Partition::HilbertMetis`].
const CHUNK: usize = 4096;

/// Share of the largest patch size that METIS aims at, so that its imbalance seldom exceeds it.
const FILL: f64 = 0.94;

/// Serialises METIS: its random generator is the C library's.
static METIS: Mutex<()> = Mutex::new(());

/// Patch of each vertex, `[n_vertices]`: every patch connected, none empty, none larger than
/// `patch_size`; patches are numbered along a Hilbert curve.
///
/// # Errors
/// [`Error::Case`] for blocks on a mesh that is no lattice; [`Error::Numerical`] if METIS fails.
pub fn partition(
    mesh: &Mesh,
    adjacency: &Adjacency,
    method: Partition,
    patch_size: usize,
) -> Result<Vec<u32>> {
    let order = hilbert_order(mesh);
    let patch_of = match method {
        Partition::HilbertMetis => hilbert_metis(adjacency, &order, patch_size)?,
        Partition::Metis => metis_kway(adjacency, patch_size)?,
        Partition::Hilbert => hilbert_pieces(&order, patch_size),
        Partition::Blocks => blocks(mesh, patch_size)?,
    };
    let repaired = repair(adjacency, patch_of, patch_size);
    Ok(number_along(&order, &repaired))
}

/// Vertices sorted along the Hilbert curve; ties by index.
fn hilbert_order(mesh: &Mesh) -> Vec<u32> {
    let (low, high) = mesh.bounds();
    let keys: Vec<u64> = mesh.vertices.par_iter().map(|&x| hilbert::key(x, low, high)).collect();
    let mut order: Vec<u32> = (0..mesh.n_vertices() as u32).collect();
    order.par_sort_unstable_by_key(|&v| (keys[v as usize], v));
    order
}

/// Renumbers patches by the first of their vertices in `order`.
fn number_along(order: &[u32], patch_of: &[u32]) -> Vec<u32> {
    let n = patch_of.iter().max().map_or(0, |&p| p as usize + 1);
    let mut number = vec![u32::MAX; n];
    let mut next = 0;
    for &v in order {
        let patch = patch_of[v as usize] as usize;
        if number[patch] == u32::MAX {
            number[patch] = next;
            next += 1;
        }
    }
    patch_of.iter().map(|&p| number[p as usize]).collect()
}

fn hilbert_pieces(order: &[u32], patch_size: usize) -> Vec<u32> {
    let mut patch_of = vec![0; order.len()];
    for (patch, piece) in order.chunks(patch_size).enumerate() {
        for &v in piece {
            patch_of[v as usize] = patch as u32;
        }
    }
    patch_of
}

fn hilbert_metis(adjacency: &Adjacency, order: &[u32], patch_size: usize) -> Result<Vec<u32>> {
    let mut patch_of = vec![0; order.len()];
    let mut local = vec![u32::MAX; order.len()];
    let mut first = 0u32;
    let chunk_size = CHUNK.max(patch_size);
    for chunk in order.chunks(chunk_size) {
        for (k, &v) in chunk.iter().enumerate() {
            local[v as usize] = k as u32;
        }
        let (mut offsets, mut neighbors) = (vec![0i32], Vec::new());
        for &v in chunk {
            let inside = adjacency.of(v as usize).iter().map(|&w| local[w as usize]);
            neighbors.extend(inside.filter(|&k| k != u32::MAX).map(|k| k as i32));
            offsets.push(neighbors.len() as i32);
        }
        let n_parts = parts_for(chunk.len(), patch_size);
        let parts = metis(&mut offsets, &mut neighbors, n_parts, Scheme::Recursive)?;
        for (&v, part) in chunk.iter().zip(parts) {
            patch_of[v as usize] = first + part as u32;
            local[v as usize] = u32::MAX;
        }
        first += n_parts as u32;
    }
    Ok(patch_of)
}

fn metis_kway(adjacency: &Adjacency, patch_size: usize) -> Result<Vec<u32>> {
    let too_large = |_| {
        Error::usage(
            "METIS counts in 32 bits and the mesh has more edges",
            "take partition = \"hilbert-metis\"",
        )
    };
    let mut offsets = Vec::with_capacity(adjacency.offsets.len());
    for &o in &adjacency.offsets {
        offsets.push(i32::try_from(o).map_err(too_large)?);
    }
    let mut neighbors: Vec<i32> = adjacency.neighbors.iter().map(|&w| w as i32).collect();
    let n = offsets.len() - 1;
    let parts = metis(&mut offsets, &mut neighbors, parts_for(n, patch_size), Scheme::KWay)?;
    Ok(parts.into_iter().map(|p| p as u32).collect())
}

fn parts_for(n: usize, patch_size: usize) -> usize {
    if n <= patch_size {
        return 1;
    }
    ((n as f64 / (patch_size as f64 * FILL)).ceil() as usize).min(n)
}

enum Scheme {
    Recursive,
    KWay,
}

fn metis(
    offsets: &mut [i32],
    neighbors: &mut [i32],
    n_parts: usize,
    scheme: Scheme,
) -> Result<Vec<i32>> {
    let mut parts = vec![0i32; offsets.len() - 1];
    if n_parts <= 1 || neighbors.is_empty() {
        return Ok(parts);
    }
    let failed = |e: String| Error::Numerical {
        what: format!("METIS could not cut the mesh: {e}"),
        remedy: "take partition = \"hilbert\"".into(),
    };
    let _turn = METIS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let graph = metis::Graph::new(1, n_parts as i32, offsets, neighbors)
        .map_err(|e| failed(e.to_string()))?
        .set_option(metis::option::Seed(1));
    match scheme {
        Scheme::Recursive => graph.part_recursive(&mut parts),
        Scheme::KWay => graph.part_kway(&mut parts),
    }
    .map_err(|e| failed(e.to_string()))?;
    Ok(parts)
}

/// Blocks of the lattice, as near to cubes as `patch_size` allows.
fn blocks(mesh: &Mesh, patch_size: usize) -> Result<Vec<u32>> {
    let Some(size) = mesh.lattice else {
        return Err(Error::usage(
            "partition = \"blocks\" needs a regular grid made by [domain.mesh] generate",
            "take partition = \"hilbert-metis\"",
        ));
    };
    let edge = block_edges(size, patch_size);
    let count: [usize; 3] = std::array::from_fn(|k| (size[k] as usize).div_ceil(edge[k]));
    let mut patch_of = Vec::with_capacity(mesh.n_vertices());
    for z in 0..size[2] as usize {
        for y in 0..size[1] as usize {
            for x in 0..size[0] as usize {
                let block = [x / edge[0], y / edge[1], z / edge[2]];
                patch_of.push(((block[2] * count[1] + block[1]) * count[0] + block[0]) as u32);
            }
        }
    }
    Ok(patch_of)
}

/// Edges of a block with at most `patch_size` vertices: doubles the shortest edge while it fits.
fn block_edges(size: [u32; 3], patch_size: usize) -> [usize; 3] {
    let mut edge = [1usize; 3];
    loop {
        let room = |k: usize| edge[k] < size[k] as usize;
        let Some(k) = (0..3).filter(|&k| room(k)).min_by_key(|&k| edge[k]) else { return edge };
        let mut longer = edge;
        longer[k] *= 2;
        if longer.iter().product::<usize>() > patch_size {
            return edge;
        }
        edge = longer;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_squares_and_cubes() {
        assert_eq!(block_edges([100, 100, 1], 64), [8, 8, 1]);
        assert_eq!(block_edges([100, 100, 100], 64), [4, 4, 4]);
        assert_eq!(block_edges([100, 2, 1], 64), [32, 2, 1]);
        assert_eq!(block_edges([3, 3, 1], 64), [4, 4, 1]);
    }
}
