//! Patches: the unit of work of every mesh solver (Fu et al., section 3.1; docs/distances.md,
//! section 6; docs/patches.md, section 7).
//!
//! Each vertex of a mesh belongs to one patch. Vertices are renumbered so that each patch owns one
//! contiguous range. A patch processes every cell that has one of its vertices, so cells at its
//! boundary belong to several patches. The vertices that a patch reads but does not own are its
//! halo.
//!
//! There are three numberings:
//! - *mesh* order: the order of the given [`Mesh`], and the only one that users see.
//! - *patch* order: mesh vertices sorted by patch, the order of every solver array.
//! - *local* order within a patch: owned vertices first, then the halo.
//!
//! The cells of a patch ascend in mesh order, and gathering rows list them in this order. In `f64`,
//! sums at a vertex therefore do not depend on the partition.

mod adjacency;
mod bisection;
mod coordinates;
#[doc(hidden)]
pub mod cuda;
mod metis;
mod ordered;
mod partition;
mod repair;

use std::ops::Range;

pub use coordinates::Coordinates;
pub use partition::Partition;

use ordered::Ordered;

use crate::error::{Error, Result};
use crate::mesh::Mesh;
use crate::parallel::*;
use crate::primitives::GatherMatrix;

/// The default maximum number of vertices per patch.
///
/// It was chosen from measurements in `benches/results/mesh.md`. For sizes from 32 to 128, the
/// times of the solvers are within about a fifth of the times for 64. Most distances are faster
/// with smaller patches, and most time steps are faster with larger ones.
pub const PATCH_SIZE: usize = 64;

/// A mesh partitioned into patches.
#[derive(Debug)]
pub struct Patches {
    /// The largest number of local vertices in a patch, and the largest number of cell corners of a
    /// patch.
    largest: (usize, usize),
    /// The number of vertices per cell, 3 or 4.
    arity: usize,
    /// The first vertex of each patch, in patch order, `[n_patches + 1]`.
    vertex_offsets: Vec<u32>,
    /// The mesh vertex of each vertex in patch order, `[n_vertices]`.
    mesh_vertices: Vec<u32>,
    /// The position in `halo` of the first entry of each patch, `[n_patches + 1]`.
    halo_offsets: Vec<u32>,
    /// The halo vertices in patch order, ascending within a patch.
    halo: Vec<u32>,
    /// The position in `cells` of the first cell of each patch, `[n_patches + 1]`.
    cell_offsets: Vec<u32>,
    /// The mesh cells that each patch processes, ascending within a patch.
    cells: Vec<u32>,
    /// The local indices of the vertices of these cells, `[cells * arity]`.
    corners: Vec<u32>,
    /// The position in `columns` of each vertex's first slot, in patch order, `[n_vertices + 1]`.
    row_offsets: Vec<u32>,
    /// The slots `arity * local cell + corner` of each owned vertex, in ascending order.
    columns: Vec<u32>,
    /// The position of the first entry of each patch in `neighbors`, `[n_patches + 1]`.
    neighbor_offsets: Vec<u32>,
    /// For each patch, the patches that share a cell with it, in ascending order.
    neighbors: Vec<u32>,
}

/// One patch of [`Patches`].
#[derive(Clone, Copy, Debug)]
pub struct Patch<'a> {
    /// The first owned vertex, in patch order.
    pub first: usize,
    /// The number of owned vertices.
    pub n_owned: usize,
    /// The halo vertices in patch order. Their local indices begin at `n_owned`.
    pub halo: &'a [u32],
    /// The indices of the mesh cells, `[cells]`, in ascending order.
    pub cells: &'a [u32],
    /// The local indices of the vertices of the cells, `[cells * arity]`.
    pub corners: &'a [u32],
    /// The position in `columns` of the first slot of each owned vertex, `[n_owned + 1]`.
    rows: &'a [u32],
    /// The gathering columns of all patches.
    columns: &'a [u32],
}

impl Patch<'_> {
    /// Returns the range of the owned vertices in patch order.
    pub fn owned(&self) -> Range<usize> {
        self.first..self.first + self.n_owned
    }

    /// Returns the number of owned and halo vertices.
    pub fn n_local(&self) -> usize {
        self.n_owned + self.halo.len()
    }

    /// Returns the index in patch order of the vertex with a given local index.
    #[inline]
    pub fn vertex(&self, local: usize) -> usize {
        match local.checked_sub(self.n_owned) {
            None => self.first + local,
            Some(k) => self.halo[k] as usize,
        }
    }

    /// Returns the slots of an owned vertex, given by its local index.
    #[inline]
    pub fn row(&self, local: usize) -> &[u32] {
        &self.columns[self.rows[local] as usize..self.rows[local + 1] as usize]
    }

    /// Copies values, in patch order, of owned and halo vertices into local order.
    pub fn load<T: Copy>(&self, from: &[T], into: &mut Vec<T>) {
        into.clear();
        into.extend_from_slice(&from[self.owned()]);
        into.extend(self.halo.iter().map(|&v| from[v as usize]));
    }
}

impl Patches {
    /// Partitions a cleaned mesh into patches of at most `patch_size` vertices, and builds the data
    /// that solvers need to traverse them.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the patch size is zero, or if blocks are requested for a mesh
    /// that is not a lattice. Returns [`Error::Mesh`] if there are too many edges for 32-bit
    /// numbers, or if the patches have too many cells for 32-bit slots. Cells at patch boundaries
    /// count once per patch. Returns [`Error::Numerical`] if METIS fails.
    pub fn new(mesh: &Mesh, method: Partition, patch_size: usize) -> Result<Self> {
        Self::from_ordered(mesh, || Ok(Ordered::new(mesh)), method, patch_size)
    }

    fn from_ordered(
        mesh: &Mesh,
        ordered: impl FnOnce() -> Result<Ordered>,
        method: Partition,
        patch_size: usize,
    ) -> Result<Self> {
        if patch_size == 0 {
            return Err(Error::usage("patch_size is 0", "use a number near 64"));
        }
        let patch_of = partition::partition(mesh, ordered()?, method, patch_size)?;
        Self::from_parts(mesh, &patch_of)
    }

    /// Builds patches from the given patch index of each mesh vertex, `[n_vertices]`.
    ///
    /// # Errors
    /// Returns [`Error::Mesh`] if the patches have too many cells for 32-bit slots. Cells at patch
    /// boundaries count once per patch.
    pub fn from_parts(mesh: &Mesh, patch_of: &[u32]) -> Result<Self> {
        let arity = mesh.kind.arity();
        let n_patches = patch_of.iter().max().map_or(0, |&p| p as usize + 1);
        let by_patch = GatherMatrix::new(n_patches, patch_of);
        let (vertex_offsets, mesh_vertices) = (by_patch.offsets, by_patch.columns);
        let mut patch_order = vec![0u32; mesh_vertices.len()];
        for (new, &old) in mesh_vertices.iter().enumerate() {
            patch_order[old as usize] = new as u32;
        }
        let (cell_offsets, cells) = cells_by_patch(mesh, patch_of, n_patches)?;

        // Patches are processed in blocks, because one task per patch would allocate several small
        // lists for each patch.
        const BLOCK: usize = 64;
        let blocks: Vec<Locals> = (0..n_patches.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let mut locals = Locals::default();
                for p in block * BLOCK..((block + 1) * BLOCK).min(n_patches) {
                    let owned = vertex_offsets[p]..vertex_offsets[p + 1];
                    let cells = &cells[cell_offsets[p] as usize..cell_offsets[p + 1] as usize];
                    locals.add(mesh, &patch_order, owned, cells, |v| {
                        patch_of[mesh_vertices[v as usize] as usize]
                    });
                }
                locals
            })
            .collect();
        let halo_offsets = offsets(blocks.iter().map(|b| &b.halo_sizes));
        let row_offsets = offsets(blocks.iter().map(|b| &b.row_sizes));
        let neighbor_offsets = offsets(blocks.iter().map(|b| &b.neighbor_sizes));
        let ((halo, corners), (columns, neighbors)) = join(
            || (joined(&blocks, |b| &b.halo), joined(&blocks, |b| &b.corners)),
            || (joined(&blocks, |b| &b.columns), joined(&blocks, |b| &b.neighbors)),
        );
        let most = |a: &[u32], b: &[u32]| {
            let sizes = a.windows(2).zip(b.windows(2));
            sizes.map(|(a, b)| (a[1] - a[0] + b[1] - b[0]) as usize).max().unwrap_or(0)
        };
        let locals = most(&vertex_offsets, &halo_offsets);
        let cells_of_one = cell_offsets.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
        Ok(Patches {
            largest: (locals, cells_of_one as usize * arity),
            arity,
            vertex_offsets,
            mesh_vertices,
            halo_offsets,
            halo,
            cell_offsets,
            cells,
            corners,
            row_offsets,
            columns,
            neighbor_offsets,
            neighbors,
        })
    }

    /// Returns the number of patches.
    pub fn len(&self) -> usize {
        self.vertex_offsets.len() - 1
    }

    /// Returns true if the mesh has no vertices.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of vertices per cell.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Returns the number of vertices in the mesh.
    pub fn n_vertices(&self) -> usize {
        self.mesh_vertices.len()
    }

    /// Returns the mesh vertex of each vertex in patch order, `[n_vertices]`.
    pub fn mesh_vertices(&self) -> &[u32] {
        &self.mesh_vertices
    }

    /// Returns patch `p`.
    #[inline]
    pub fn patch(&self, p: usize) -> Patch<'_> {
        let first = self.vertex_offsets[p] as usize;
        let n_owned = self.vertex_offsets[p + 1] as usize - first;
        let cells = self.cell_range(p);
        Patch {
            first,
            n_owned,
            halo: &self.halo[self.halo_offsets[p] as usize..self.halo_offsets[p + 1] as usize],
            corners: &self.corners[cells.start * self.arity..cells.end * self.arity],
            cells: &self.cells[cells],
            rows: &self.row_offsets[first..first + n_owned + 1],
            columns: &self.columns,
        }
    }

    /// Returns the index of the patch that owns a vertex (patch order).
    pub fn owner(&self, vertex: usize) -> usize {
        self.vertex_offsets.partition_point(|&first| first as usize <= vertex) - 1
    }

    /// Returns the range of the cells of patch `p` in the list of the cells of all patches.
    pub fn cell_range(&self, p: usize) -> Range<usize> {
        self.cell_offsets[p] as usize..self.cell_offsets[p + 1] as usize
    }

    /// Returns the total number of cells in all patches. Cells at patch boundaries are counted once
    /// per patch.
    pub fn n_patch_cells(&self) -> usize {
        self.cells.len()
    }

    /// Returns the total number of local (owned and halo) vertices of all patches.
    pub fn n_local(&self) -> usize {
        self.mesh_vertices.len() + self.halo.len()
    }

    /// Returns the total number of halo vertices of all patches.
    pub fn halo_len(&self) -> usize {
        self.halo.len()
    }

    /// Returns the range of the local (owned and halo) vertices of patch `p` in the list of the
    /// local vertices of all patches.
    pub fn local_range(&self, p: usize) -> Range<usize> {
        let at = |p: usize| (self.vertex_offsets[p] + self.halo_offsets[p]) as usize;
        at(p)..at(p + 1)
    }

    /// Returns the largest number of local vertices in a patch, and the largest number of cell
    /// corners of a patch.
    pub fn largest(&self) -> (usize, usize) {
        self.largest
    }

    /// Returns the patches that share a cell with patch `p`, in ascending order.
    pub fn neighbors(&self, p: usize) -> &[u32] {
        &self.neighbors[self.neighbor_offsets[p] as usize..self.neighbor_offsets[p + 1] as usize]
    }

    /// Converts an array, `[n_vertices]`, from mesh order to patch order, and applies `f` to each
    /// entry.
    pub fn to_patch_order<T: Copy, U>(&self, rows: &[T], f: impl Fn(T) -> U) -> Vec<U> {
        self.mesh_vertices.iter().map(|&v| f(rows[v as usize])).collect()
    }

    /// Converts an array, `[n_vertices]`, from patch order to mesh order, and applies `f` to each
    /// entry.
    pub fn to_mesh_order<T: Copy, U: Clone + Default>(
        &self,
        rows: &[T],
        f: impl Fn(T) -> U,
    ) -> Vec<U> {
        let mut out = vec![U::default(); rows.len()];
        for (&v, &row) in self.mesh_vertices.iter().zip(rows) {
            out[v as usize] = f(row);
        }
        out
    }

    /// Returns the index of the patch that owns each vertex, in mesh order, `[n_vertices]`.
    pub fn patch_of_vertex(&self) -> Vec<u32> {
        let mut out = vec![0; self.n_vertices()];
        for p in 0..self.len() {
            for &v in &self.mesh_vertices[self.patch(p).owned()] {
                out[v as usize] = p as u32;
            }
        }
        out
    }
}

/// Returns, for each patch, the cells that have a vertex in it, in ascending order. The result
/// consists of the offsets of the patches and the list of cells.
fn cells_by_patch(mesh: &Mesh, patch_of: &[u32], n_patches: usize) -> Result<(Vec<u32>, Vec<u32>)> {
    let mut offsets = vec![0u64; n_patches + 1];
    let mut patches_of_cell = [0u32; 4];
    let distinct = |cell: &[u32], out: &mut [u32; 4]| {
        let mut n = 0;
        for &v in cell {
            let p = patch_of[v as usize];
            if !out[..n].contains(&p) {
                out[n] = p;
                n += 1;
            }
        }
        n
    };
    for cell in mesh.iter_cells() {
        let n = distinct(cell, &mut patches_of_cell);
        for &p in &patches_of_cell[..n] {
            offsets[p as usize + 1] += 1;
        }
    }
    for p in 0..n_patches {
        offsets[p + 1] += offsets[p];
    }
    let total = offsets[n_patches];
    if total * mesh.kind.arity() as u64 > u64::from(u32::MAX) {
        return Err(Error::mesh(
            "",
            format!("{total} cells, including duplicates at patch boundaries, exceed 32-bit slots"),
            "use larger patches or a smaller mesh",
        ));
    }
    let offsets: Vec<u32> = offsets.into_iter().map(|o| o as u32).collect();
    let mut next = offsets.clone();
    let mut cells = vec![0u32; total as usize];
    for (c, cell) in mesh.iter_cells().enumerate() {
        let n = distinct(cell, &mut patches_of_cell);
        for &p in &patches_of_cell[..n] {
            cells[next[p as usize] as usize] = c as u32;
            next[p as usize] += 1;
        }
    }
    Ok((offsets, cells))
}

/// The data of a block of patches, before all blocks are joined.
#[derive(Default)]
struct Locals {
    halo_sizes: Vec<u32>,
    halo: Vec<u32>,
    corners: Vec<u32>,
    /// The number of columns of each owned vertex.
    row_sizes: Vec<u32>,
    columns: Vec<u32>,
    neighbor_sizes: Vec<u32>,
    neighbors: Vec<u32>,
}

impl Locals {
    /// Adds the patch that owns the vertices `owned` (in patch order) and processes `cells`.
    fn add(
        &mut self,
        mesh: &Mesh,
        patch_order: &[u32],
        owned: Range<u32>,
        cells: &[u32],
        patch_of: impl Fn(u32) -> u32,
    ) {
        let arity = mesh.kind.arity();
        let (first, first_halo) = (self.corners.len(), self.halo.len());
        for &c in cells {
            let cell = &mesh.cells[c as usize * arity..][..arity];
            self.corners.extend(cell.iter().map(|&v| patch_order[v as usize]));
        }
        let corners = &mut self.corners[first..];
        let mut halo: Vec<u32> = corners.iter().copied().filter(|v| !owned.contains(v)).collect();
        halo.sort_unstable();
        halo.dedup();
        let n_owned = owned.len();
        for v in corners.iter_mut() {
            *v = if owned.contains(v) {
                *v - owned.start
            } else {
                (n_owned + halo.partition_point(|h| h < v)) as u32
            };
        }
        self.halo.extend_from_slice(&halo);
        self.halo_sizes.push((self.halo.len() - first_halo) as u32);
        let gather = GatherMatrix::new(n_owned, corners);
        self.row_sizes.extend(gather.offsets.windows(2).map(|pair| pair[1] - pair[0]));
        self.columns.extend_from_slice(&gather.columns);
        let mut near: Vec<u32> = halo.iter().map(|&v| patch_of(v)).collect();
        near.sort_unstable();
        near.dedup();
        self.neighbor_sizes.push(near.len() as u32);
        self.neighbors.extend(near);
    }
}

/// Returns the start of each list and the end of the last one, computed from the sizes of all
/// lists.
fn offsets<'a>(sizes: impl Iterator<Item = &'a Vec<u32>>) -> Vec<u32> {
    let mut offsets = vec![0];
    let mut end = 0;
    offsets.extend(sizes.flatten().map(|size| {
        end += size;
        end
    }));
    offsets
}

/// Concatenates the lists of all blocks, without unused capacity.
fn joined(blocks: &[Locals], list: impl Fn(&Locals) -> &Vec<u32>) -> Vec<u32> {
    let mut all = Vec::with_capacity(blocks.iter().map(|b| list(b).len()).sum());
    blocks.iter().for_each(|block| all.extend_from_slice(list(block)));
    all
}
