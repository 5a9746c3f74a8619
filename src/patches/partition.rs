//! Cutting the vertices of a mesh into patches: bisection, METIS, a Hilbert curve, lattice blocks.
//!
//! The result is the same in every run and for every number of threads. METIS draws from the C
//! library's one random generator, so its calls stand behind a lock and start from a fixed seed.

use std::sync::Mutex;

use rayon::prelude::*;

use super::adjacency::Adjacency;
use super::bisection::bisect;
use super::ordered::Ordered;
use super::repair::repair;
use crate::error::{Error, Result};
use crate::mesh::Mesh;

/// How patches are cut.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Partition {
    /// Recursive bisection with mended cuts inside pieces of a Hilbert curve: nearly the cut of
    /// `metis`, and the only one of its kind that uses all threads.
    Bisection,
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
        if mesh.lattice.is_some() { Partition::Blocks } else { Partition::Bisection }
    }
}

/// Vertices handed to one METIS call by [`Partition::HilbertMetis`].
const CHUNK: usize = 4096;

/// Share of the largest patch size that METIS aims at, so that its imbalance seldom exceeds it.
const FILL: f64 = 0.94;

/// Serialises METIS: its random generator is the C library's.
static METIS: Mutex<()> = Mutex::new(());

/// Patch of each vertex of `mesh`, which `ordered` is too, `[n_vertices]`: every patch connected, none empty, none larger than
/// `patch_size`; patches are numbered along a Hilbert curve.
///
/// # Errors
/// [`Error::Case`] for blocks on a mesh that is no lattice; [`Error::Numerical`] if METIS fails;
/// [`Error::Mesh`] if the edges cannot be numbered in 32 bits.
pub fn partition(
    mesh: &Mesh,
    ordered: Ordered,
    method: Partition,
    patch_size: usize,
) -> Result<Vec<u32>> {
    let Ordered { order, cells, slots } = ordered;
    let adjacency = Adjacency::new(slots, &cells, mesh.kind.arity())?;
    drop(cells);
    let patch_of = match method {
        Partition::Bisection => {
            let x: Vec<[f64; 3]> = order.par_iter().map(|&v| mesh.vertices[v as usize]).collect();
            bisect(&x, &adjacency, patch_size)
        }
        Partition::HilbertMetis => hilbert_metis(&adjacency, patch_size)?,
        Partition::Metis => metis_kway(&adjacency, patch_size)?,
        Partition::Hilbert => (0..order.len()).map(|k| (k / patch_size) as u32).collect(),
        Partition::Blocks => {
            let of_vertex = blocks(mesh, patch_size)?;
            order.iter().map(|&v| of_vertex[v as usize]).collect()
        }
    };
    let repaired = number_by_first(repair(&adjacency, patch_of, patch_size));
    let mut patch_of = vec![0; order.len()];
    for (&v, patch) in order.iter().zip(repaired) {
        patch_of[v as usize] = patch;
    }
    Ok(patch_of)
}

/// Renumbers patches by the first of their vertices.
fn number_by_first(mut patch_of: Vec<u32>) -> Vec<u32> {
    let n = patch_of.iter().max().map_or(0, |&p| p as usize + 1);
    let mut number = vec![u32::MAX; n];
    let mut next = 0;
    for patch in &mut patch_of {
        let number = &mut number[*patch as usize];
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
        *patch = *number;
    }
    patch_of
}

fn hilbert_metis(adjacency: &Adjacency, patch_size: usize) -> Result<Vec<u32>> {
    let n = adjacency.n_vertices();
    let mut patch_of = Vec::with_capacity(n);
    let mut first = 0u32;
    let chunk_size = CHUNK.max(patch_size);
    for start in (0..n).step_by(chunk_size) {
        let chunk = start..(start + chunk_size).min(n);
        let (mut offsets, mut neighbors) = (vec![0i32], Vec::new());
        for v in chunk.clone() {
            let inside = adjacency.of(v).iter().filter(|&&w| chunk.contains(&(w as usize)));
            neighbors.extend(inside.map(|&w| (w as usize - start) as i32));
            offsets.push(neighbors.len() as i32);
        }
        let n_parts = parts_for(chunk.len(), patch_size);
        let parts = metis(&mut offsets, &mut neighbors, n_parts, Scheme::Recursive)?;
        patch_of.extend(parts.into_iter().map(|part| first + part as u32));
        first += n_parts as u32;
    }
    Ok(patch_of)
}

fn metis_kway(adjacency: &Adjacency, patch_size: usize) -> Result<Vec<u32>> {
    let too_large = |_| {
        Error::usage(
            "METIS counts in 32 bits and the mesh has more edges",
            "take partition = \"bisection\"",
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

pub(super) fn parts_for(n: usize, patch_size: usize) -> usize {
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
            "take partition = \"bisection\"",
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
