//! Second-order advection on the GPU: increments of phi before each step.

use super::kernel_arguments::EvolutionArgument;
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::levelset::evolution::galerkin::{CORRECTIONS, Galerkin};
use crate::patches::Patches;
use crate::patches::cuda::{PatchesArgument, Shape};

/// Cells for each thread among triangles, from most threads to fewest.
const CELLS_PER_THREAD: [f64; 2] = [1.0, 2.0];

/// What `kernels/galerkin.cu` works on, and how it is launched.
pub(super) struct DeviceGalerkin<R: Real> {
    /// By how many threads a patch is computed: from most of them to fewest.
    candidates: Vec<(Unit, u32)>,
    /// The first of these that were asked for, and which one is taken.
    made: Vec<Made>,
    chosen: usize,
    shared: [u32; 2],
    upwind: Array<u8>,
    mass: Array<R>,
    measures: Array<R>,
    right: Array<R>,
    increment: Array<R>,
}

/// The kernels for so many threads.
struct Made {
    residual: Kernel,
    correction: Kernel,
    block: u32,
    /// Patches that are on the GPU at once.
    resident: u32,
}

/// Threads of the blocks the kernels are compiled for.
pub(super) fn blocks(shape: &Shape) -> Vec<u32> {
    let mut blocks: Vec<u32> = match shape.arity {
        3 => CELLS_PER_THREAD.map(|cells| shape.threads(cells, 256)).to_vec(),
        _ => vec![shape.threads(3.0, 256)],
    };
    blocks.dedup();
    blocks
}

impl<R: Real> DeviceGalerkin<R> {
    /// Bytes on the GPU.
    pub fn bytes(shape: &Shape, patches: &Patches) -> usize {
        let n = shape.n_vertices as usize;
        n * (4 * size_of::<R>() + 1) + patches.n_patch_cells() * size_of::<R>()
    }

    /// Takes memory on the GPU for the scheme that the host prepared. `candidates` are the source
    /// compiled for blocks of so many threads ([`blocks`]) that hold the contributions of `chunk` cells.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn new(
        cuda: &Cuda,
        galerkin: &Galerkin<R>,
        (shape, patches): (&Shape, &Patches),
        (candidates, chunk): (Vec<(Unit, u32)>, u32),
    ) -> Result<Self> {
        let n = shape.n_vertices as usize;
        let upwind: Vec<u8> = galerkin.upwind().iter().map(|&poor| u8::from(poor)).collect();
        let mut made = DeviceGalerkin {
            candidates,
            made: Vec::new(),
            chosen: 0,
            shared: [false, true].map(|is_correction| shared::<R>(shape, chunk, is_correction)),
            upwind: cuda.upload(&upwind)?,
            mass: cuda.upload(galerkin.mass())?,
            measures: cuda.zeros(patches.n_patch_cells())?,
            right: cuda.zeros(n)?,
            increment: cuda.zeros(2 * n)?,
        };
        made.prepare(cuda, shape.n_patches)?;
        Ok(made)
    }

    /// Tells kernels of the arrays.
    pub fn fill(&self, state: &mut EvolutionArgument<R>) {
        state.upwind = self.upwind.address();
        state.mass = self.mass.address();
        state.measures = self.measures.address();
        state.residual = self.right.address();
        state.increment = self.increment.address();
    }

    /// Finds the measures of cells, once; [`Self::fill`] goes before.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
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
        // SAFETY: the kernel takes these two, whose arrays live as long as `self` and the state.
        unsafe { cuda.launch(&kernel, launch, &Arguments::default().with(patches).with(state)) }
    }

    /// Chooses by how many threads so many patches are computed: by most of those that have all of
    /// them on the GPU at once.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
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

    /// Computes the increments of step `turn` of a cycle by this many blocks. Each kernel begins
    /// before the one ahead has ended, but for the first of a cycle.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
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
        // One block more hands on where the steps are.
        let residual = Launch { grid: grid + 1, ..launch(0) };
        // SAFETY: the kernels take these, whose arrays live as long as `self` and the state,
        // and wait for the kernel ahead by themselves.
        unsafe {
            match turn {
                0 => cuda.launch(&made.residual, residual, &arguments)?,
                _ => cuda.launch_overlapping(&made.residual, residual, &arguments)?,
            }
            cuda.launch_overlapping(&made.correction, launch(1), &both())
        }
    }
}

// One correction is galerkin_correction's, the last one evolution_step's.
const _: () = assert!(CORRECTIONS == 2);

/// Shared memory of a block: contributions of cells, places, phi and states of vertices or their increments, and where
/// they gather.
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
        // Two sums and a column, aligned as the sums are.
        bytes += part(shape.largest_owned, 3 * real);
    }
    bytes
}
