//! Partitioning of the vertices of a mesh into patches: bisection, METIS, a Hilbert curve, or
//! lattice blocks.
//!
//! The result is the same in every run and for every number of threads.

use super::adjacency::Adjacency;
use super::bisection::bisect;
use super::metis::cut;
use super::ordered::Ordered;
use super::repair::repair;
use crate::error::{Error, Result};
use crate::mesh::Mesh;
use crate::parallel::*;

/// The method of partitioning a mesh into patches.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Partition {
    /// Recursive bisection with improved cuts within pieces of a Hilbert curve. The cut is nearly
    /// as good as that of `metis` and takes a fraction of the time.
    Bisection,
    /// METIS k-way within large pieces of a Hilbert curve, with the smallest halo.
    #[serde(alias = "hilbert-metis")]
    Metis,
    /// Pieces of a Hilbert curve. The fastest method, with the largest halo.
    Hilbert,
    /// Blocks of the lattice of a regular grid. The mesh must have been generated as one.
    Blocks,
}

impl Partition {
    /// A keyword of older case files. It selected METIS bisection within small pieces of a Hilbert
    /// curve, which was never faster than `bisection` and never had a smaller halo than `metis`. It
    /// now means `metis`.
    pub const OLD_WORD: &str = "hilbert-metis";

    /// Returns the default method for a mesh: blocks for a lattice, which needs no graph
    /// partitioning, and bisection for any other mesh.
    pub fn fit_for(mesh: &Mesh) -> Self {
        if mesh.lattice.is_some() { Partition::Blocks } else { Partition::Bisection }
    }
}

/// The number of vertices per METIS call for [`Partition::Metis`].
const PIECE: usize = 1 << 15;

/// The requested mean patch size as a fraction of the maximum. METIS does not balance its parts
/// exactly. With this margin, they rarely exceed the maximum.
const FILL: f64 = 0.94;

/// Returns the patch of each vertex of `mesh`, `[n_vertices]`. `ordered` is the same mesh ordered
/// along a Hilbert curve.
///
/// Every patch is connected and not empty, and has at most `patch_size` vertices. Patches are
/// numbered along a Hilbert curve.
///
/// # Errors
/// Returns [`Error::Case`] if blocks are requested for a mesh that is not a lattice. Returns
/// [`Error::Numerical`] if METIS fails. Returns [`Error::Mesh`] if there are too many edges for
/// 32-bit numbers.
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
        Partition::Metis => in_pieces(&adjacency, patch_size)?,
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

/// Renumbers patches in the order of their first vertices.
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

/// Partitions each piece of [`PIECE`] vertices along the curve with METIS. The pieces are
/// independent of each other.
fn in_pieces(adjacency: &Adjacency, patch_size: usize) -> Result<Vec<u32>> {
    let n = adjacency.n_vertices();
    let size = PIECE.max(patch_size);
    let parts: Vec<Vec<i32>> = (0..n.div_ceil(size))
        .into_par_iter()
        .map(|k| {
            let piece = k * size..((k + 1) * size).min(n);
            let (mut offsets, mut neighbors) = (vec![0i32], Vec::new());
            for v in piece.clone() {
                let inside = adjacency.of(v).iter().filter(|&&w| piece.contains(&(w as usize)));
                neighbors.extend(inside.map(|&w| (w as usize - piece.start) as i32));
                offsets.push(neighbors.len() as i32);
            }
            cut(&mut offsets, &mut neighbors, parts_for(piece.len(), patch_size))
        })
        .collect::<Result<_>>()?;
    let mut patch_of = Vec::with_capacity(n);
    let mut first = 0;
    for parts in parts {
        patch_of.extend(parts.iter().map(|&part| first + part as u32));
        first += parts_for(parts.len(), patch_size) as u32;
    }
    Ok(patch_of)
}

pub(super) fn parts_for(n: usize, patch_size: usize) -> usize {
    if n <= patch_size {
        return 1;
    }
    ((n as f64 / (patch_size as f64 * FILL)).ceil() as usize).min(n)
}

/// Partitions a lattice into blocks that are as close to cubes as `patch_size` allows.
fn blocks(mesh: &Mesh, patch_size: usize) -> Result<Vec<u32>> {
    let Some(size) = mesh.lattice else {
        return Err(Error::usage(
            "partition = \"blocks\" needs a regular grid made by [domain.mesh] generate",
            "set partition = \"bisection\"",
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

/// Returns the edge lengths of a block with at most `patch_size` vertices. The shortest edge that
/// does not yet span the lattice is doubled repeatedly, until the block would become too large.
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
