//! Patches on a GPU, in a layout in which neighboring threads read adjacent values.
//!
//! The corners of a cell are packed into one word that a thread reads at once. The coordinates of a
//! patch are stored by component (all x, all y, all z). Local indices take 16 bits unless a patch
//! is too large for that (Fu et al., section 3.1). `kernels/common/patches.cuh` reads this layout.

mod kernel_arguments;
mod ordered;

use std::sync::Arc;

pub use self::kernel_arguments::PatchesArgument;

use super::{Coordinates, Patches};
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Array, Cuda};

/// The patches of a mesh on a GPU, with the coordinates of their vertices.
pub struct DevicePatches<R: Real> {
    cuda: Arc<Cuda>,
    shape: Shape,
    starts: Array<u32>,
    halo: Array<u32>,
    corners: Indices,
    columns: Indices,
    x: Array<R>,
}

/// The sizes that determine the parameters of kernel launches.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The number of vertices per cell.
    pub arity: usize,
    /// The number of patches.
    pub n_patches: u32,
    /// The number of vertices.
    pub n_vertices: u32,
    /// The largest number of local vertices in a patch.
    pub largest_local: u32,
    /// The largest number of owned vertices in a patch.
    pub largest_owned: u32,
    /// The largest number of cells in a patch.
    pub largest_cells: u32,
    /// The largest size of the gathering matrix of a patch: its row offsets and its columns
    /// together.
    pub largest_columns: u32,
    /// The mean number of cells per patch.
    pub mean_cells: f64,
    /// Whether local indices or entries of the gathering matrix need 32 bits.
    pub wide: bool,
}

/// Local indices, or entries of the gathering matrix, with 16 or 32 bits each.
pub(crate) enum Indices {
    Narrow(Array<u16>),
    Wide(Array<u32>),
}

impl Indices {
    pub(crate) fn new(cuda: &Cuda, values: &[u32], wide: bool) -> Result<Self> {
        Ok(match wide {
            true => Indices::Wide(cuda.upload(values)?),
            false => {
                let narrow: Vec<u16> = values.iter().map(|&v| v as u16).collect();
                Indices::Narrow(cuda.upload(&narrow)?)
            }
        })
    }

    pub(crate) fn address(&self) -> u64 {
        match self {
            Indices::Narrow(array) => array.address(),
            Indices::Wide(array) => array.address(),
        }
    }
}

impl Shape {
    /// Computes the sizes for the patches of a mesh.
    pub fn of(patches: &Patches) -> Self {
        let n = patches.len();
        let owned = (0..n).map(|p| patches.patch(p).n_owned as u32).max().unwrap_or(0);
        let cells = (0..n).map(|p| patches.cell_range(p).len() as u32).max().unwrap_or(0);
        let (local, _) = patches.largest();
        let columns = |p| {
            let owned = patches.patch(p).owned();
            let rows = owned.len() as u32 + 1;
            rows + patches.row_offsets[owned.end] - patches.row_offsets[owned.start]
        };
        let columns = (0..n).map(columns).max().unwrap_or(0);
        Shape {
            arity: patches.arity(),
            n_patches: n as u32,
            n_vertices: patches.n_vertices() as u32,
            largest_local: local as u32,
            largest_owned: owned,
            largest_cells: cells,
            largest_columns: columns,
            mean_cells: patches.n_patch_cells() as f64 / n.max(1) as f64,
            // A column holds four times the cell plus the corner. A row holds the position at which
            // its columns begin.
            wide: local > usize::from(u16::MAX)
                || cells.max(columns.div_ceil(4)) > u32::from(u16::MAX) / 4,
        }
    }

    /// Returns the size of the arrays of [`DevicePatches`] in bytes.
    pub fn bytes<R: Real>(&self, patches: &Patches) -> usize {
        let index = if self.wide { 4 } else { 2 };
        let rows = patches.n_vertices() + patches.len();
        let columns = rows + patches.columns.len() + patches.len() * self.column_word();
        let u32s = 4 * (self.n_patches as usize + 1) + patches.halo.len();
        u32s * 4
            + (4 * patches.n_patch_cells() + columns) * index
            + 3 * patches.n_local() * size_of::<R>()
    }

    /// Returns the number of entries of the gathering matrix (row offsets and columns) that kernels
    /// read as one word.
    fn column_word(&self) -> usize {
        if self.wide { 4 } else { 8 }
    }

    /// Returns the macro definitions for the kernels that process these patches.
    pub fn defines<R: Real>(&self) -> Vec<(&'static str, String)> {
        let real = if size_of::<R>() == 8 { "double" } else { "float" };
        let mut defines = vec![("REAL", real.to_string()), ("CELL_SIZE", self.arity.to_string())];
        if self.wide {
            defines.push(("WIDE_PATCHES", "1".into()));
        }
        defines
    }

    /// Returns the number of threads of a block that processes a patch of average size, with
    /// `cells` cells per thread. It is a multiple of 32, or `most` if that is less.
    pub fn threads(&self, cells: f64, most: u32) -> u32 {
        let warps = (self.mean_cells / (32.0 * cells)).ceil().max(1.0) as u32;
        (32 * warps).min(most)
    }
}

impl<R: Real> DevicePatches<R> {
    /// Copies patches and coordinates to a GPU.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if they do not fit in GPU memory.
    pub fn new(cuda: Arc<Cuda>, patches: &Patches, coordinates: &Coordinates<R>) -> Result<Self> {
        let shape = Shape::of(patches);
        let need = shape.bytes::<R>(patches);
        cuda.check_room(need as u64, "the mesh", TOO_LARGE)?;
        let (arity, n, word) = (patches.arity(), patches.len(), shape.column_word());
        let mut corners = vec![0u32; 4 * patches.n_patch_cells()];
        let mut columns = Vec::with_capacity(patches.columns.len() + patches.n_vertices() + n);
        let mut starts = Vec::with_capacity(4 * (n + 1));
        let start = |p: usize, columns: usize| {
            let [vertex, halo, cell] =
                [&patches.vertex_offsets, &patches.halo_offsets, &patches.cell_offsets]
                    .map(|of| of[p]);
            [vertex, halo, cell, (columns / word) as u32]
        };
        let mut x = Vec::with_capacity(3 * patches.n_local());
        for p in 0..n {
            let patch = patches.patch(p);
            let into = &mut corners[4 * patches.cell_range(p).start..];
            for (into, cell) in into.chunks_exact_mut(4).zip(patch.corners.chunks_exact(arity)) {
                into[..arity].copy_from_slice(cell);
            }
            // The columns of each patch are aligned to the words that threads read at once.
            columns.resize(columns.len().next_multiple_of(word), 0);
            starts.extend(start(p, columns.len()));
            let mut begin = patch.n_owned as u32 + 1;
            columns.push(begin);
            for k in 0..patch.n_owned {
                begin += patch.row(k).len() as u32;
                columns.push(begin);
            }
            for k in 0..patch.n_owned {
                let slot = |&slot: &u32| 4 * (slot / arity as u32) + slot % arity as u32;
                columns.extend(patch.row(k).iter().map(slot));
            }
            let points = coordinates.of(patches, p);
            (0..3).for_each(|c| x.extend(points.iter().map(|point| point[c])));
        }
        columns.resize(columns.len().next_multiple_of(word), 0);
        starts.extend(start(n, columns.len()));
        let (starts, halo) = (cuda.upload(&starts)?, cuda.upload(&patches.halo)?);
        let corners = Indices::new(&cuda, &corners, shape.wide)?;
        let columns = Indices::new(&cuda, &columns, shape.wide)?;
        let x = cuda.upload(&x)?;
        Ok(DevicePatches { cuda, shape, starts, halo, corners, columns, x })
    }

    /// Returns the GPU that holds the patches.
    pub fn cuda(&self) -> &Arc<Cuda> {
        &self.cuda
    }

    /// Returns the sizes of the patches.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the kernel argument.
    pub fn argument(&self) -> PatchesArgument {
        PatchesArgument {
            n_patches: self.shape.n_patches,
            n_vertices: self.shape.n_vertices,
            starts: self.starts.address(),
            halo: self.halo.address(),
            corners: self.corners.address(),
            columns: self.columns.address(),
            x: self.x.address(),
        }
    }
}

/// The remedy for a mesh that is too large for a GPU.
pub(crate) const TOO_LARGE: &str =
    "set precision = \"f32\", use a smaller mesh, or set use = \"cpu\"";

/// The patches that read vertices owned by another patch, listed by owning patch.
pub(crate) struct Readers {
    /// The position of the first entry of each owning patch, `[n_patches + 1]`.
    pub offsets: Vec<u32>,
    /// For each entry, the local index of an owned vertex.
    pub vertices: Vec<u32>,
    /// For each entry, a patch that reads this vertex.
    pub patches: Vec<u32>,
}

impl Readers {
    pub(crate) fn of(patches: &Patches) -> Self {
        let n = patches.len();
        let mut owner = vec![0u32; patches.n_vertices()];
        for p in 0..n {
            owner[patches.patch(p).owned()].fill(p as u32);
        }
        let mut offsets = vec![0u32; n + 1];
        for &v in &patches.halo {
            offsets[owner[v as usize] as usize + 1] += 1;
        }
        for p in 0..n {
            offsets[p + 1] += offsets[p];
        }
        let mut next = offsets.clone();
        let mut readers = Readers {
            vertices: vec![0; patches.halo.len()],
            patches: vec![0; patches.halo.len()],
            offsets,
        };
        for q in 0..n {
            for &v in patches.patch(q).halo {
                let p = owner[v as usize] as usize;
                let at = next[p] as usize;
                readers.vertices[at] = v - patches.vertex_offsets[p];
                readers.patches[at] = q as u32;
                next[p] += 1;
            }
        }
        readers
    }
}
