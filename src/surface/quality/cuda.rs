//! Distances of points from a surface on a GPU. The counterpart of [`Gaps::new`].
//!
//! The kernels are in `kernels/surface/gaps.cu`. They build a binary tree of boxes over the
//! triangles in the order of a Hilbert curve, and query the points in the same order.

mod kernel_arguments;

use self::kernel_arguments::{FacetsArgument, LEAF};
use super::{BLOCK, Gaps};
use crate::error::Result;
use crate::gpu::primitives::hilbert;
use crate::gpu::{Arguments, Array, Cuda, Launch, Unit};
use crate::mesh::Mesh;
use crate::primitives::hilbert::Lattice;

/// Threads per block.
const THREADS: u32 = 128;
/// Number of coordinates that describe a box.
const BOX: usize = 6;
/// The largest number of points on the GPU at the same time, a multiple of [`BLOCK`].
const BATCH: usize = 1 << 23;
/// The largest number of triangles that can be sorted.
const MOST_TRIANGLES: usize = (1 << 30) - 1;

/// The triangles on the GPU, with their tree.
struct Facets {
    vertices: Array<[f64; 3]>,
    corners: Array<[u32; 3]>,
    boxes: Array<[f64; BOX]>,
    n_leaves: usize,
    lattice: Lattice,
}

/// Computes the same distances as [`Gaps::new`], up to rounding. Every run gives the same result.
///
/// Returns `None` without points or triangles. It also returns `None` if there are too many
/// triangles to sort or the GPU does not have enough memory. The CPU must then compute the
/// distances.
///
/// # Errors
/// Returns [`Error::Device`](crate::Error::Device) if the GPU fails.
pub fn gaps_on(cuda: &Cuda, mesh: &Mesh, points: &[[f64; 3]]) -> Result<Option<Gaps>> {
    if points.is_empty() || mesh.n_cells() == 0 {
        return Ok(None);
    }
    let (free, _) = cuda.memory()?;
    if mesh.n_cells() > MOST_TRIANGLES || bytes(mesh, points.len()) > free {
        return Ok(None);
    }
    let facets = Facets::new(cuda, mesh)?;
    let mut blocks = Vec::with_capacity(points.len().div_ceil(BLOCK));
    for batch in points.chunks(BATCH) {
        blocks.extend(facets.sums(cuda, batch)?);
    }
    Ok(Some(Gaps::of_blocks(&blocks, points.len())))
}

/// Returns an upper bound on the GPU memory, in bytes, for the distances of `points` points.
fn bytes(mesh: &Mesh, points: usize) -> usize {
    // Bytes per sorted item: its position, its key, and two key-index pairs.
    let sorted = 24 + 8 + 24;
    let triangles = mesh.n_cells() * (12 + 12 + sorted.max(8 * BOX * 4 / LEAF as usize + 4));
    let points = points.min(BATCH) * (sorted + 8);
    mesh.n_vertices() * 24 + triangles + points
}

impl Facets {
    fn new(cuda: &Cuda, mesh: &Mesh) -> Result<Self> {
        let n = mesh.n_cells();
        let vertices = cuda.upload(&mesh.vertices)?;
        let given = cuda.upload(mesh.cells.as_chunks::<3>().0)?;
        let (low, high) = mesh.bounds();
        let lattice = Lattice::new(low, high);
        // SAFETY: `gaps_middles` writes all elements.
        let middles = unsafe { cuda.unset::<[f64; 3]>(n) }?;
        let with = |given: &Array<[u32; 3]>| {
            Arguments::default().with_array(&vertices).with_array(given).with(n as u32)
        };
        // SAFETY: these are the arguments of `gaps_middles`. Corners are vertices.
        unsafe { share(cuda, "gaps_middles", n, &with(&given).with_array(&middles)) }?;
        let order = hilbert::order(cuda, &middles, lattice)?;
        drop(middles);
        // SAFETY: `gaps_order` writes all elements.
        let corners = unsafe { cuda.unset::<[u32; 3]>(n) }?;
        let arguments = Arguments::default().with_array(&given).with_array(&order).with(n as u32);
        // SAFETY: these are the arguments of `gaps_order`. An order is a permutation.
        unsafe { share(cuda, "gaps_order", n, &arguments.with_array(&corners)) }?;
        drop((given, order));
        let n_leaves = n.div_ceil(LEAF as usize).next_power_of_two();
        // SAFETY: `gaps_leaves` writes the boxes starting at index `n_leaves`, and `gaps_join` all
        // others except box 0, which is never read.
        let boxes = unsafe { cuda.unset::<[f64; BOX]>(2 * n_leaves) }?;
        let arguments = with(&corners).with(n_leaves as u32).with_array(&boxes);
        // SAFETY: these are the arguments of `gaps_leaves`.
        unsafe { share(cuda, "gaps_leaves", n_leaves, &arguments) }?;
        let mut level = n_leaves / 2;
        while level > 0 {
            let arguments = Arguments::default().with(level as u32).with_array(&boxes);
            // SAFETY: these are the arguments of `gaps_join`. The level below is complete.
            unsafe { share(cuda, "gaps_join", level, &arguments) }?;
            level /= 2;
        }
        Ok(Facets { vertices, corners, boxes, n_leaves, lattice })
    }

    /// Returns the sum and the maximum of the distances in each group of [`BLOCK`] points.
    fn sums(&self, cuda: &Cuda, points: &[[f64; 3]]) -> Result<Vec<(f64, f64)>> {
        let n = points.len();
        let points = cuda.upload(points)?;
        let order = hilbert::order(cuda, &points, self.lattice)?;
        // SAFETY: `gaps_nearest` writes all elements.
        let distances = unsafe { cuda.unset::<f64>(n) }?;
        let facets = FacetsArgument {
            vertices: self.vertices.address(),
            corners: self.corners.address(),
            boxes: self.boxes.address(),
            n: self.corners.len() as u32,
            n_leaves: self.n_leaves as u32,
        };
        let arguments = Arguments::default()
            .with(facets)
            .with_array(&points)
            .with_array(&order)
            .with(n as u32)
            .with_array(&distances);
        // SAFETY: these are the arguments of `gaps_nearest`. An order is a permutation.
        unsafe { share(cuda, "gaps_nearest", n, &arguments) }?;
        let found = cuda.zeros::<[f64; 2]>(n.div_ceil(BLOCK))?;
        let arguments = Arguments::default()
            .with_array(&distances)
            .with(n as u32)
            .with(BLOCK as u32)
            .with_array(&found);
        // SAFETY: these are the arguments of `gaps_sums`.
        unsafe { share(cuda, "gaps_sums", found.len(), &arguments) }?;
        Ok(cuda.download(&found)?.into_iter().map(|[sum, max]| (sum, max)).collect())
    }
}

/// Launches a kernel whose threads share `n` items.
///
/// # Safety
/// The arguments must be those of the kernel, and arrays must be as long as the kernel expects.
unsafe fn share(cuda: &Cuda, kernel: &str, n: usize, arguments: &Arguments) -> Result<()> {
    let unit = Unit::new("surface/gaps", &[("REAL", "double"), ("CELL_SIZE", "3")])?;
    let kernel = cuda.kernel(&unit, kernel)?;
    let most = 32 * cuda.info().multiprocessors as usize;
    let grid = n.div_ceil(THREADS as usize).min(most) as u32;
    let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
    // SAFETY: the caller upholds the contract of `share`.
    unsafe { cuda.launch(&kernel, launch, arguments) }
}
