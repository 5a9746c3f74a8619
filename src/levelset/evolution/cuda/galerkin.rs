//! Second-order advection on the GPU: the increments of phi before each step.

use super::kernel_arguments::EvolutionArgument;
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::levelset::evolution::galerkin::{CORRECTIONS, Galerkin};
use crate::patches::Patches;
use crate::patches::cuda::{PatchesArgument, Shape};

/// The numbers of triangles per thread for which variants of the kernels are compiled, from most to
/// fewest threads.
const CELLS_PER_THREAD: [f64; 2] = [1.0, 2.0];

/// The arrays of `kernels/galerkin.cu` and the parameters of its launches.
pub(super) struct DeviceGalerkin<R: Real> {
    /// The compilation units for different numbers of threads per patch, from most to fewest.
    candidates: Vec<(Unit, u32)>,
    /// The candidates compiled so far, and the index of the chosen one.
    made: Vec<Made>,
    chosen: usize,
    shared: [u32; 2],
    /// The growth rates; `None` if they are 0 everywhere.
    growth: Option<Array<R>>,
    /// Whether the growth rates depend on the velocity.
    is_curved: bool,
    /// The kernel that computes them, if they change with time.
    follow: Option<Kernel>,
    mass: Array<R>,
    measures: Array<R>,
    right: Array<R>,
    increment: Array<R>,
}

/// The kernels for one number of threads.
struct Made {
    residual: Kernel,
    correction: Kernel,
    block: u32,
    /// The number of patches that the GPU can process at once.
    resident: u32,
}

/// Returns the numbers of threads per block that the kernels are compiled for.
pub(super) fn blocks(shape: &Shape) -> Vec<u32> {
    let mut blocks: Vec<u32> = match shape.arity {
        3 => CELLS_PER_THREAD.map(|cells| shape.threads(cells, 256)).to_vec(),
        _ => vec![shape.threads(3.0, 256)],
    };
    blocks.dedup();
    blocks
}

impl<R: Real> DeviceGalerkin<R> {
    /// Returns the number of bytes that the arrays take on the GPU.
    pub fn bytes(shape: &Shape, patches: &Patches) -> usize {
        let n = shape.n_vertices as usize;
        5 * n * size_of::<R>() + patches.n_patch_cells() * size_of::<R>()
    }

    /// Allocates the arrays on the GPU and copies the mesh data that the host prepared.
    ///
    /// `candidates` are the compilation units for the block sizes from [`blocks`]. Their shared
    /// memory holds the contributions of `chunk` cells.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU has too little memory or compilation fails.
    pub fn new(
        cuda: &Cuda,
        galerkin: &Galerkin<R>,
        (shape, patches): (&Shape, &Patches),
        (candidates, chunk): (Vec<(Unit, u32)>, u32),
        velocity_varies: bool,
    ) -> Result<Self> {
        let n = shape.n_vertices as usize;
        let growth = galerkin.growth().map(|growth| cuda.upload(&growth)).transpose()?;
        let mut made = DeviceGalerkin {
            candidates,
            made: Vec::new(),
            chosen: 0,
            shared: [false, true].map(|is_correction| shared::<R>(shape, chunk, is_correction)),
            growth,
            is_curved: galerkin.is_curved(),
            follow: None,
            mass: cuda.upload(galerkin.mass())?,
            measures: cuda.zeros(patches.n_patch_cells())?,
            right: cuda.zeros(n)?,
            increment: cuda.zeros(2 * n)?,
        };
        if velocity_varies {
            made.follow = made.growth_kernel(cuda)?;
        }
        made.prepare(cuda, shape.n_patches)?;
        Ok(made)
    }

    /// Sets the addresses of the arrays in the argument of the kernels.
    pub fn fill(&self, state: &mut EvolutionArgument<R>) {
        state.growth = self.growth.as_ref().map_or(0, Array::address);
        state.mass = self.mass.address();
        state.measures = self.measures.address();
        state.residual = self.right.address();
        state.increment = self.increment.address();
    }

    /// Computes the measures of the cells, once. [`Self::fill`] must be called first.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU fails.
    pub fn measure(
        &self,
        cuda: &Cuda,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
        grid: u32,
    ) -> Result<()> {
        let Some((unit, block)) = self.candidates.first() else { return Ok(()) };
        let launch = Launch { grid, block: *block, shared: 0, cooperative: false };
        let kernel = cuda.kernel(unit, "galerkin_measures")?;
        // SAFETY: the kernel takes these two arguments, and their arrays live as long as `self` and
        // the state.
        unsafe { cuda.launch(&kernel, launch, &Arguments::default().with(patches).with(state)) }
    }

    /// Before a step, computes the growth rates for the current velocity. Does nothing if they do
    /// not change with time.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the launch fails.
    pub fn follow(
        &self,
        cuda: &Cuda,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
    ) -> Result<()> {
        find_growth(self.follow.as_ref(), cuda, patches, state, false)
    }

    /// Computes the growth rates everywhere, after the velocity has been replaced. Does nothing if
    /// they do not depend on the velocity.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the kernel cannot be compiled or the launch fails.
    pub fn follow_everywhere(
        &self,
        cuda: &Cuda,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
    ) -> Result<()> {
        find_growth(self.growth_kernel(cuda)?.as_ref(), cuda, patches, state, true)
    }

    /// Returns the kernel that computes the growth rates, or `None` if they do not depend on the
    /// velocity.
    fn growth_kernel(&self, cuda: &Cuda) -> Result<Option<Kernel>> {
        let unit = self.candidates.first().filter(|_| self.is_curved);
        unit.map(|(unit, _)| cuda.kernel(unit, "galerkin_growth")).transpose()
    }

    /// Chooses the number of threads per patch: the largest with which `patches` patches can run on
    /// the GPU at once, or else the smallest.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if a kernel cannot be compiled or does not fit on the GPU.
    pub fn prepare(&mut self, cuda: &Cuda, patches: u32) -> Result<()> {
        for (k, (unit, block)) in self.candidates.iter().enumerate() {
            if self.made.len() == k {
                let kernels = ["galerkin_residual", "galerkin_correction"].map(|name| {
                    let is_correction = name == "galerkin_correction";
                    let kernel = cuda.kernel(unit, name)?;
                    let shared = self.shared[usize::from(is_correction)];
                    kernel.allow_shared(shared)?;
                    let resident = kernel.resident_blocks(*block, shared)?;
                    Ok::<_, crate::Error>((kernel, resident))
                });
                let [residual, correction] = kernels;
                let ((residual, some), (correction, others)) = (residual?, correction?);
                let resident = some.min(others);
                self.made.push(Made { residual, correction, block: *block, resident });
            }
            self.chosen = k;
            if self.made[k].resident >= patches {
                break;
            }
        }
        Ok(())
    }

    /// Computes the increments of step `turn` of a cycle with `grid` blocks.
    ///
    /// Each kernel except the first of a cycle may start before the previous one has ended.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the launch fails.
    pub fn launch(
        &self,
        cuda: &Cuda,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
        (turn, grid): (u32, u32),
    ) -> Result<()> {
        let made = &self.made[self.chosen];
        let launch = |k: usize| Launch {
            grid,
            block: made.block,
            shared: self.shared[k],
            cooperative: false,
        };
        let both = || Arguments::default().with(patches).with(state);
        let arguments = both().with(turn);
        // One additional block passes on the progress of the steps.
        let residual = Launch { grid: grid + 1, ..launch(0) };
        // SAFETY: the kernels take these arguments, whose arrays live as long as `self` and the
        // state, and they wait for the previous kernel themselves.
        unsafe {
            match turn {
                0 => cuda.launch(&made.residual, residual, &arguments)?,
                _ => cuda.launch_overlapping(&made.residual, residual, &arguments)?,
            }
            cuda.launch_overlapping(&made.correction, launch(1), &both())
        }
    }
}

/// Computes growth rates in the active patches or everywhere, if there is a kernel.
fn find_growth<R: Real>(
    kernel: Option<&Kernel>,
    cuda: &Cuda,
    patches: PatchesArgument,
    state: EvolutionArgument<R>,
    everywhere: bool,
) -> Result<()> {
    /// The number of threads per block; most patches have fewer vertices.
    const BLOCK: u32 = 128;
    let Some(kernel) = kernel else { return Ok(()) };
    let launch = Launch { grid: patches.n_patches, block: BLOCK, shared: 0, cooperative: false };
    let arguments = Arguments::default().with(patches).with(state).with(u32::from(everywhere));
    // SAFETY: the kernel takes these arguments, and the caller's arrays outlive the launch.
    unsafe { cuda.launch(kernel, launch, &arguments) }
}

// `galerkin_correction` performs one correction, `evolution_step` the last one.
const _: () = assert!(CORRECTIONS == 2);

/// Returns the number of bytes of shared memory per block.
///
/// It holds the contributions of cells, the coordinates, phi and states of the vertices (or only
/// their increments), and the columns that the vertices gather.
pub(super) fn shared<R>(shape: &Shape, chunk: u32, is_correction: bool) -> u32 {
    let part = |n: u32, size: usize| (n * size as u32).div_ceil(16) * 16;
    let real = size_of::<R>();
    let contributions = part(shape.arity as u32 * chunk, real);
    let index = if shape.wide { 4 } else { 2 };
    let mut bytes = part(shape.largest_columns, index)
        + match is_correction {
            true => contributions + part(shape.largest_local, real),
            false => {
                2 * contributions
                    + part(4 * shape.largest_local, real)
                    + part(shape.largest_owned, 1)
            }
        };
    if chunk < shape.largest_cells {
        // Two sums and a column, aligned like the sums.
        bytes += part(shape.largest_owned, 3 * real);
    }
    bytes
}
