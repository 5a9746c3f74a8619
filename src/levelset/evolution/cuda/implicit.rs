//! Semi-implicit curvature on the GPU: conjugate gradients in one cooperative kernel.

use super::kernel_arguments::{EvolutionArgument, ImplicitArgument};
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::levelset::evolution::implicit::{MOST_ITERATIONS, pairs, slowest, tolerance};
use crate::patches::Patches;
use crate::patches::cuda::{PatchesArgument, Shape};

/// Words of an exact sum (`kernels/common/exact_sum.cuh`).
const SUM_WORDS: usize = 67;

/// What `kernels/implicit.cu` works on, and how it is launched.
pub(super) struct DeviceImplicit<R: Real> {
    solve: Kernel,
    launch: Launch,
    argument: ImplicitArgument,
    diagonal: Array<R>,
    residual: Array<R>,
    /// Arrays that only the kernel sees.
    _vectors: [Array<R>; 4],
    _sums: Array<u64>,
    _counts: Array<u32>,
}

impl<R: Real> DeviceImplicit<R> {
    /// Bytes on the GPU.
    pub fn bytes(shape: &Shape, patches: &Patches) -> usize {
        size_of::<R>() * (6 * shape.n_vertices as usize + entries(shape, patches)) + 24 * SUM_WORDS
    }

    /// Threads of a block: one for each vertex of a usual patch.
    pub fn block(shape: &Shape) -> u32 {
        let owned = shape.n_vertices.div_ceil(shape.n_patches.max(1));
        (owned.div_ceil(32) * 32).clamp(32, 256)
    }

    /// Takes memory on the GPU. `unit` is the source, compiled for blocks of [`Self::block`]
    /// threads.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn new(cuda: &Cuda, shape: &Shape, patches: &Patches, unit: &Unit) -> Result<Self> {
        let n = shape.n_vertices as usize;
        let solve = cuda.kernel(unit, "implicit_solve")?;
        let block = Self::block(shape);
        let shared = (shape.largest_local * size_of::<R>() as u32).div_ceil(16) * 16;
        solve.allow_shared(shared)?;
        let grid = solve.resident_blocks(block, shared)?.min(shape.n_patches.max(1));
        let vectors = [
            cuda.zeros(entries(shape, patches))?,
            cuda.zeros(n)?,
            cuda.zeros(n)?,
            cuda.zeros(2 * n)?,
        ];
        let residual: Array<R> = cuda.zeros(n)?;
        let [entries, mass, product, direction] = vectors.each_ref().map(Array::address);
        let sums = cuda.zeros::<u64>(3 * SUM_WORDS)?;
        let counts = cuda.zeros::<u32>(2)?;
        let argument = ImplicitArgument {
            entries,
            mass,
            residual: residual.address(),
            product,
            direction,
            sums: sums.address(),
            counts: counts.address(),
            tolerance: tolerance::<R>(),
            most_iterations: MOST_ITERATIONS as u32,
            unused: 0,
        };
        Ok(DeviceImplicit {
            solve,
            launch: Launch { grid, block, shared, cooperative: true },
            argument,
            diagonal: cuda.zeros(n)?,
            residual,
            _vectors: vectors,
            _sums: sums,
            _counts: counts,
        })
    }

    /// Tells kernels of the array they share.
    pub fn fill(&self, state: &mut EvolutionArgument<R>) {
        state.diagonal = self.diagonal.address();
    }

    /// The vertex (patch order) with most of the residual, of those that move.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn slowest(&self, cuda: &Cuda, moving: &[u8]) -> Result<usize> {
        let (residual, diagonal) = (cuda.download(&self.residual)?, cuda.download(&self.diagonal)?);
        let vertices = (0..moving.len()).filter(|&v| moving[v] != 0);
        Ok(slowest(&residual, &diagonal, vertices))
    }

    /// Solves for the curvature part of a step.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn launch(
        &self,
        cuda: &Cuda,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
    ) -> Result<()> {
        let arguments = Arguments::default().with(patches).with(state).with(self.argument);
        // SAFETY: the kernel takes these three, whose arrays live as long as `self` and the state.
        unsafe { cuda.launch(&self.solve, self.launch, &arguments) }
    }
}

/// Numbers that all cells of all patches keep: their pairs and a lumped mass.
fn entries(shape: &Shape, patches: &Patches) -> usize {
    patches.n_patch_cells() * (pairs(shape.arity) + 1)
}
