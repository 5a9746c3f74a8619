//! The octree on a GPU, with nodes bitwise identical to those of [`Octree`]
//! (`kernels/reconstruct/octree.cu`).

use crate::gpu::blocks::DEFAULT_BLOCK;
use std::sync::Arc;

use super::kernel_arguments::{CellsArgument, FrameArgument, SUMMED};
use super::sharing;
use crate::error::Result;
use crate::gpu::primitives::{Set, compact, exclusive_scan, sort};
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::primitives::memory::gibibytes;
use crate::reconstruct::potential::{Frame, Node, Octree};

/// Upper bound on the bytes per sample during construction: its position (12), the sums of
/// positions (24), its key (8), the start, count and offset of its cell (12), and two nodes with
/// their intermediate data (64).
const BUILD: u64 = 12 + 24 + 8 + 12 + 2 * 32;
/// Bytes per node of the finished tree.
const NODE: usize = 24;

/// The octree of a cloud on a GPU.
pub struct DeviceOctree {
    frame: Frame,
    pub(super) centers: Array<[f32; 4]>,
    pub(super) links: Array<[u32; 2]>,
    pub(super) samples: Array<[f32; 3]>,
    n_cells: usize,
}

impl DeviceOctree {
    /// Builds the tree of finite points. The GPU builds it, or the host if the GPU has too little
    /// free memory for the construction.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if not even the nodes fit on the GPU, or if
    /// the host does not have enough memory to build them. The error states how many bytes are
    /// needed and how many are free.
    pub fn new(cuda: &Arc<Cuda>, points: &[[f64; 3]], frame: Frame) -> Result<Self> {
        let need = points.len() as u64 * BUILD;
        let (free, _) = cuda.memory()?;
        if need <= free as u64 {
            return Self::built(cuda, points, frame);
        }
        tracing::warn!(
            "building the octree of {} samples takes {}, but the GPU has {} free: the host builds it",
            points.len(),
            gibibytes(need),
            gibibytes(free as u64)
        );
        Self::of_host(cuda, &Octree::new(points, frame)?)
    }

    /// Copies a tree from the host.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the tree does not fit. The error states
    /// how many bytes are needed and how many are free.
    pub fn of_host(cuda: &Arc<Cuda>, tree: &Octree) -> Result<Self> {
        let need = (tree.nodes().len() * NODE + tree.samples().len() * 12) as u64;
        let remedy = "use a smaller depth, fewer samples, or the CPU (use = \"cpu\")";
        cuda.check_room(need, "the octree", remedy)?;
        let nodes = tree.nodes();
        let center = |node: &Node| [node.center[0], node.center[1], node.center[2], node.count];
        let centers: Vec<[f32; 4]> = nodes.iter().map(center).collect();
        let links: Vec<[u32; 2]> = nodes.iter().map(|node| [node.next, node.level]).collect();
        Ok(DeviceOctree {
            frame: *tree.frame(),
            centers: cuda.upload(&centers)?,
            links: cuda.upload(&links)?,
            samples: cuda.upload(tree.samples())?,
            n_cells: tree.n_cells(),
        })
    }

    fn built(cuda: &Arc<Cuda>, points: &[[f64; 3]], frame: Frame) -> Result<Self> {
        let unit = Unit::new("reconstruct/octree", &[])?;
        let kernel = |name: &str| cuda.kernel(&unit, name);
        let run = |kernel: &Kernel, grid: u32, arguments: Arguments| {
            let launch = Launch { grid, block: DEFAULT_BLOCK, shared: 0, cooperative: false };
            // SAFETY: every call below passes the arguments of its kernel. The arrays have the
            // lengths that the kernel states.
            unsafe { cuda.launch(kernel, launch, &arguments) }
        };
        let n = points.len();
        let half = f64::from(1_u32 << (frame.depth - 1));
        let most = (1 << frame.depth) - 1;
        let (middle, voxel, depth) = (frame.middle, frame.voxel, frame.depth);
        let of_frame = FrameArgument { middle, voxel, half, most, depth };
        let for_all = |n: usize| sharing(cuda, n, DEFAULT_BLOCK);

        let on_gpu = cuda.upload(points)?;
        let keys = cuda.zeros::<u64>(n)?;
        let arguments = Arguments::default().with_array(&on_gpu).with(n as u32).with(of_frame);
        run(&kernel("octree_keys")?, for_all(n), arguments.with_array(&keys))?;
        let sorted = sort(cuda, &keys, None, 3 * depth)?;
        drop(keys);
        let samples = cuda.zeros::<[f32; 3]>(n)?;
        let firsts = cuda.zeros::<u32>(n.div_ceil(32))?;
        let arguments = Arguments::default().with_array(&on_gpu).with(n as u32).with(of_frame);
        let arguments = arguments.with_array(&sorted.keys).with_array(&sorted.values);
        let arguments = arguments.with_array(&samples).with_array(&firsts);
        run(&kernel("octree_samples")?, for_all(n), arguments)?;
        drop(on_gpu);
        let keys = sorted.keys;
        drop(sorted.values);
        let starts = compact(cuda, Set::Bits(&firsts, n))?;
        drop(firsts);

        let sums = sums(cuda, &samples, &kernel, &run)?;
        let n_cells = starts.len();
        let cells = CellsArgument {
            keys: keys.address(),
            starts: starts.address(),
            n: n_cells as u32,
            depth,
            samples: n as u32,
            padding: 0,
        };
        let counts = cuda.zeros::<u32>(n_cells)?;
        let arguments = Arguments::default().with(cells).with_array(&counts);
        run(&kernel("octree_counts")?, for_all(n_cells), arguments)?;
        let offsets = exclusive_scan(cuda, &counts)?;
        drop(counts);
        let n_nodes = cuda.download_part(&offsets, n_cells..n_cells + 1)?[0] as usize;
        let links = cuda.zeros::<[u32; 2]>(n_nodes)?;
        let spans = cuda.zeros::<[u32; 2]>(n_nodes)?;
        let arguments = Arguments::default().with(cells).with_array(&offsets);
        let arguments = arguments.with_array(&links).with_array(&spans);
        run(&kernel("octree_nodes")?, for_all(n_cells), arguments)?;
        let centers = cuda.zeros::<[f32; 4]>(n_nodes)?;
        let arguments = Arguments::default().with_array(&sums).with_array(&spans);
        let arguments = arguments.with(n_nodes as u32).with_array(&centers);
        run(&kernel("octree_centers")?, for_all(n_nodes), arguments)?;
        Ok(DeviceOctree { frame, centers, links, samples, n_cells })
    }

    /// Returns the cube around the cloud.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Returns the number of samples.
    pub fn n_samples(&self) -> usize {
        self.samples.len()
    }

    /// Returns the number of finest cells that contain samples.
    pub fn n_cells(&self) -> usize {
        self.n_cells
    }

    /// Returns the number of cubes in a level that contain samples: the nodes of that level and the
    /// leaves above it.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails.
    pub fn n_cubes(&self, cuda: &Cuda, level: u32) -> Result<usize> {
        let kernel = cuda.kernel(&Unit::new("reconstruct/octree", &[])?, "octree_cubes")?;
        let (count, n) = (cuda.zeros::<u32>(1)?, self.links.len());
        let arguments = Arguments::default().with_array(&self.links).with(n as u32);
        let arguments = arguments.with(level).with_array(&count);
        let grid = sharing(cuda, n, DEFAULT_BLOCK);
        let launch = Launch { grid, block: DEFAULT_BLOCK, shared: 0, cooperative: false };
        // SAFETY: these are the arguments of `octree_cubes`.
        unsafe { cuda.launch(&kernel, launch, &arguments)? };
        Ok(cuda.download(&count)?[0] as usize)
    }

    /// Copies the nodes and the samples to the host, in the order of [`Octree`].
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the GPU fails.
    pub fn download(&self, cuda: &Cuda) -> Result<(Vec<Node>, Vec<[f32; 3]>)> {
        let (centers, links) = (cuda.download(&self.centers)?, cuda.download(&self.links)?);
        let node = |(&[x, y, z, count], &[next, level]): (&[f32; 4], &[u32; 2])| Node {
            center: [x, y, z],
            count,
            next,
            level,
        };
        Ok((centers.iter().zip(&links).map(node).collect(), cuda.download(&self.samples)?))
    }

    /// Returns the number of bytes of GPU memory that the tree takes.
    pub fn bytes(&self) -> u64 {
        (self.centers.len() * NODE + self.samples.len() * 12) as u64
    }
}

/// Returns, for each sample, the sum of the positions of all samples before it, and as a last
/// element the sum of all positions.
fn sums(
    cuda: &Cuda,
    samples: &Array<[f32; 3]>,
    kernel: &impl Fn(&str) -> Result<Kernel>,
    run: &impl Fn(&Kernel, u32, Arguments) -> Result<()>,
) -> Result<Array<[u64; 3]>> {
    let n = samples.len();
    let blocks = n.div_ceil(SUMMED);
    let totals = cuda.zeros::<[u64; 3]>(blocks)?;
    let sums = cuda.zeros::<[u64; 3]>(n + 1)?;
    let of_samples = || Arguments::default().with_array(samples).with(n as u32).with_array(&totals);
    run(&kernel("octree_totals")?, blocks as u32, of_samples())?;
    let arguments = Arguments::default().with_array(&totals).with(blocks as u32);
    run(&kernel("octree_starts")?, 1, arguments)?;
    run(&kernel("octree_sums")?, blocks as u32, of_samples().with_array(&sums))?;
    Ok(sums)
}
