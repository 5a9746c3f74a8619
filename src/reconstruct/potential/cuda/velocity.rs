//! The velocity toward the samples on tiles of a GPU, and phi at the samples. The kernels are in
//! `kernels/reconstruct/potential.cu`.

use crate::gpu::blocks::DEFAULT_BLOCK;
use std::fmt;
use std::sync::Arc;

use super::kernel_arguments::FieldArgument;
use super::octree::DeviceOctree;
use super::sharing;
use crate::error::Result;
use crate::gpu::definitions::Define;
use crate::gpu::{Arguments, Cuda, Element, Kernel, Launch, Unit};
use crate::grid::Stored;
use crate::grid::cuda::{Storage, TileGridArgument};
use crate::levelset::tiled::cuda::{DeviceTiledEvolution, KeepCoefficient, StationaryArgument};
use crate::reconstruct::potential::field::{Rest, apparent};
use crate::reconstruct::potential::fit_residual::AtSamples;
use crate::reconstruct::potential::levels::EDGE;
use crate::reconstruct::potential::sample_sums::Rule;

/// Number of fixed-point units per voxel in sums of |phi|.
const PARTS: f64 = (1_u32 << 30) as f64;

/// The velocity on the voxels of a level. The counterpart of
/// [`velocity`](super::super::field::velocity).
pub(super) struct DeviceVelocity {
    /// Keeps alive the memory to which `field` refers.
    _tree: Arc<DeviceOctree>,
    kernel: Kernel,
    grid: u32,
    field: FieldArgument,
}

impl fmt::Debug for DeviceVelocity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceVelocity").field("level", &self.field.level).finish_non_exhaustive()
    }
}

impl DeviceVelocity {
    /// Compiles the kernel and sets its arguments.
    ///
    /// # Errors
    /// Returns [`Error::Device`](crate::Error::Device) if the kernel cannot be compiled.
    pub fn new(
        cuda: &Cuda,
        tree: Arc<DeviceOctree>,
        rule: Rule,
        level: u32,
        rest: Rest,
    ) -> Result<Self> {
        let p = f64::from(rule.exponent);
        let unit = unit(rule.exponent, rest != Rest::Ridge, false)?;
        let kernel = cuda.kernel(&unit, "potential_velocity")?;
        let field = FieldArgument {
            centers: tree.centers.address(),
            links: tree.links.address(),
            nodes: tree.links.len() as u32,
            level,
            scale: (1.0 / tree.frame().edge(level)) as f32,
            theta: rule.theta as f32,
            square: (rule.softening as f32).powi(2),
            share: ((p - 1.0) / (p + 1.0)) as f32,
            stop: match rest {
                Rest::Ridge => 0.0,
                Rest::Hull(distance) => apparent(distance, rule.softening),
            },
            padding: 0,
        };
        let grid = kernel.resident_blocks(DEFAULT_BLOCK, 0)?;
        Ok(DeviceVelocity { _tree: tree, kernel, grid, field })
    }
}

impl KeepCoefficient for DeviceVelocity {
    fn launch(
        &self,
        cuda: &Cuda,
        tiles: TileGridArgument,
        kept: StationaryArgument,
        of_all: bool,
    ) -> Result<()> {
        let to = Arguments::default().with(tiles).with(kept).with(self.field);
        let launch =
            Launch { grid: self.grid, block: DEFAULT_BLOCK, shared: 0, cooperative: false };
        // SAFETY: these are the arguments of `potential_velocity`. `self` keeps the tree alive.
        unsafe { cuda.launch(&self.kernel, launch, &to.with(u32::from(of_all))) }
    }
}

/// Evaluates phi at all samples of a tree. The counterpart of
/// [`at_samples`](super::super::fit_residual::at_samples), up to the rounding of sums.
pub(super) fn at_samples<S: Stored<f32> + Element>(
    cuda: &Cuda,
    tree: &DeviceOctree,
    level: u32,
    motion: &DeviceTiledEvolution<f32, EDGE, S>,
) -> Result<AtSamples> {
    let kernel = cuda.kernel(&unit(5, false, size_of::<S>() == 2)?, "potential_at_samples")?;
    let found = cuda.zeros::<u64>(2)?;
    let n = tree.samples.len();
    let scale = (1.0 / tree.frame().edge(level)) as f32;
    let of_tiles = Arguments::default().with(motion.tiles()).with(motion.phi().address());
    let of_samples = of_tiles.with(motion.half_width()).with_array(&tree.samples);
    let arguments = of_samples.with(n as u32).with(scale).with_array(&found);
    let grid = sharing(cuda, n, DEFAULT_BLOCK);
    let launch = Launch { grid, block: DEFAULT_BLOCK, shared: 0, cooperative: false };
    // SAFETY: these are the arguments of `potential_at_samples`.
    unsafe { cuda.launch(&kernel, launch, &arguments)? };
    let found = cuda.download(&found)?;
    Ok(AtSamples { sum: found[0] as f64 / PARTS, outside: found[1] as usize })
}

/// Returns the compilation unit for an exponent, a hull or a ridge, and 16-bit or 32-bit
/// storage.
fn unit(exponent: u32, is_hull: bool, is_fixed: bool) -> Result<Unit> {
    let mut defines = vec![
        ("REAL", "float".to_string()),
        ("TILE_EDGE", EDGE.to_string()),
        ("EXPONENT", exponent.to_string()),
        ("HULL", u32::from(is_hull).to_string()),
    ];
    if is_fixed {
        defines.push(Storage::Fixed16.define());
    }
    Unit::with("reconstruct/potential", defines)
}
