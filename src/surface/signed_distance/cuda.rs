//! Signed distances on a GPU. The counterpart of [`TriangleIndex`].
//!
//! The kernel is in `kernels/surface/signed_distance.cu`. It searches the trees of the CPU.

pub(super) mod kernel_arguments;

use self::kernel_arguments::{DipoleArgument, NodeArgument, SurfaceArgument};
use super::{ON, ROUNDING, TriangleIndex};
use crate::error::Result;
use crate::geometry::Vec3;
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::surface::bvh::Tree;

/// Threads per block.
const THREADS: u32 = 128;

/// A tree of triangles on a GPU.
struct DeviceTree {
    nodes: Array<NodeArgument>,
    corners: Array<[f64; 9]>,
}

impl DeviceTree {
    fn new(cuda: &Cuda, tree: &Tree, triangles: &[[Vec3; 3]]) -> Result<Self> {
        let nodes: Vec<NodeArgument> = tree.nodes.iter().map(|node| node.argument()).collect();
        let row = |[a, b, c]: &[Vec3; 3]| [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z];
        let corners: Vec<[f64; 9]> = triangles.iter().map(row).collect();
        Ok(DeviceTree { nodes: cuda.upload(&nodes)?, corners: cuda.upload(&corners)? })
    }
}

/// An index of triangles on a GPU.
pub struct DeviceTriangleIndex {
    tree: DeviceTree,
    /// The tree of the whole surface, if distances are measured only to its envelope.
    whole: Option<DeviceTree>,
    dipoles: Array<DipoleArgument>,
    names: Array<u32>,
    normals: Array<[f64; 3]>,
    reach: f64,
    on: f64,
    kernel: Kernel,
}

/// Addresses on a GPU of the results for points, with one entry per point.
#[derive(Clone, Copy, Debug)]
pub struct DeviceResults {
    /// Distances, `f64`.
    pub values: u64,
    /// Directions in which the distances grow, `[f64; 3]`, or 0 if they are not requested.
    pub normals: u64,
    /// Indices of the nearest triangles, `i64`, or 0 if they are not requested.
    pub triangles: u64,
}

impl DeviceTriangleIndex {
    /// Copies an index to the GPU. `named` returns the index in the mesh and the unit normal of a
    /// triangle, given by its position in the list from which the index was made.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if there is not enough memory, or if the
    /// kernel cannot be compiled.
    pub fn new(
        cuda: &Cuda,
        index: &TriangleIndex,
        named: impl Fn(u32) -> (u32, [f64; 3]),
    ) -> Result<Self> {
        let found: Vec<(u32, [f64; 3])> =
            (0..index.len()).map(|k| named(index.triangle(k))).collect();
        let names: Vec<u32> = found.iter().map(|found| found.0).collect();
        let normals: Vec<[f64; 3]> = found.iter().map(|found| found.1).collect();
        let dipoles: Vec<DipoleArgument> =
            index.dipoles.iter().map(|dipole| dipole.argument()).collect();
        let whole = index.whole.as_ref();
        let whole = whole.map(|whole| DeviceTree::new(cuda, &whole.tree, &whole.triangles));
        let root = &index.tree.nodes[0];
        let unit = Unit::new("surface/signed_distance", &[("REAL", "double"), ("CELL_SIZE", "3")])?;
        Ok(DeviceTriangleIndex {
            tree: DeviceTree::new(cuda, &index.tree, &index.triangles)?,
            whole: whole.transpose()?,
            dipoles: cuda.upload(&dipoles)?,
            names: cuda.upload(&names)?,
            normals: cuda.upload(&normals)?,
            reach: root.farthest(Vec3::zeros()),
            on: ON * root.diagonal(),
            kernel: cuda.kernel(&unit, "signed_distance_at")?,
        })
    }

    /// Computes the signed distances of `n` points, and waits for them. Returns the number of
    /// points whose side is uncertain, and that of points with a negative winding number.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails.
    ///
    /// # Safety
    /// `points` and the results must be addresses on this GPU of arrays with `n` entries. `points`
    /// are `[f64; 3]`. No other work may use the arrays.
    pub unsafe fn signed_distances(
        &self,
        cuda: &Cuda,
        points: u64,
        n: usize,
        results: DeviceResults,
    ) -> Result<[u64; 2]> {
        let doubts = cuda.zeros::<u64>(2)?;
        let whole = self.whole.as_ref().unwrap_or(&self.tree);
        let surface = SurfaceArgument {
            nodes: self.tree.nodes.address(),
            corners: self.tree.corners.address(),
            normals: self.normals.address(),
            names: self.names.address(),
            whole_nodes: whole.nodes.address(),
            whole_corners: whole.corners.address(),
            dipoles: self.dipoles.address(),
            reach: self.reach,
            rounding: ROUNDING,
            on: self.on,
        };
        let arguments = Arguments::default()
            .with(surface)
            .with(points)
            .with(n as u64)
            .with(results.values)
            .with(results.normals)
            .with(results.triangles)
            .with_array(&doubts);
        let grid = self.kernel.resident_blocks(THREADS, 0)?;
        let grid = grid.min(n.div_ceil(THREADS as usize).max(1) as u32);
        let launch = Launch { grid, block: THREADS, shared: 0, cooperative: false };
        // SAFETY: these are the arguments of `signed_distance_at`. The caller promises that the
        // arrays of the points are valid.
        unsafe { cuda.launch(&self.kernel, launch, &arguments) }?;
        let doubts = cuda.download(&doubts)?;
        Ok([doubts[0], doubts[1]])
    }
}
