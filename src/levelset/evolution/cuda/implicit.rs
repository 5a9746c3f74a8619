//! Semi-implicit curvature on the GPU: conjugate gradients in one cooperative kernel.

use super::kernel_arguments::{EvolutionArgument, ImplicitArgument};
use crate::error::Result;
use crate::geometry::Real;
use crate::gpu::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::levelset::evolution::implicit::{MOST_ITERATIONS, pairs, slowest, tolerance};
use crate::patches::Patches;
use crate::patches::cuda::{PatchesArgument, Shape};

/// The number of words of an exact sum (`kernels/common/exact_sum.cuh`).
const SUM_WORDS: usize = 67;

/// The arrays of `kernels/implicit.cu` and the parameters of its launch.
pub(super) struct DeviceImplicit<R: Real> {
    solve: Kernel,
    launch: Launch,
    argument: ImplicitArgument,
    diagonal: Array<R>,
    residual: Array<R>,
    /// Arrays that only the kernel uses.
    _vectors: [Array<R>; 4],
    _extrapolation: [Array<R>; 2],
    _sums: Array<u64>,
    _counts: Array<u32>,
}

impl<R: Real> DeviceImplicit<R> {
    /// Returns the number of bytes that the arrays take on the GPU.
    pub fn bytes(shape: &Shape, patches: &Patches, is_extrapolated: bool) -> usize {
        let vectors = if is_extrapolated { 8 } else { 6 };
        let reals = vectors * shape.n_vertices as usize + entries(shape, patches);
        size_of::<R>() * reals + 24 * SUM_WORDS
    }

    /// Returns the number of threads per block: one for each owned vertex of an average patch,
    /// rounded up to whole warps, and at most 256.
    pub fn block(shape: &Shape) -> u32 {
        let owned = shape.n_vertices.div_ceil(shape.n_patches.max(1));
        (owned.div_ceil(32) * 32).clamp(32, 256)
    }

    /// Allocates the arrays on the GPU. `unit` is compiled for blocks of [`Self::block`] threads,
    /// and for extrapolated steps if `is_extrapolated`.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU has too little memory or compilation fails.
    pub fn new(
        cuda: &Cuda,
        shape: &Shape,
        patches: &Patches,
        unit: &Unit,
        is_extrapolated: bool,
    ) -> Result<Self> {
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
        let kept = if is_extrapolated { n } else { 0 };
        let extrapolation: [Array<R>; 2] = [cuda.zeros(kept)?, cuda.zeros(kept)?];
        let [start, whole] = extrapolation.each_ref().map(Array::address);
        let [entries, mass, product, direction] = vectors.each_ref().map(Array::address);
        let sums = cuda.zeros::<u64>(3 * SUM_WORDS)?;
        let counts = cuda.zeros::<u32>(2)?;
        let argument = ImplicitArgument {
            entries,
            mass,
            residual: residual.address(),
            product,
            direction,
            start,
            whole,
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
            _extrapolation: extrapolation,
            _sums: sums,
            _counts: counts,
        })
    }

    /// Sets the address of the diagonal in the argument of all evolution kernels.
    pub fn fill(&self, state: &mut EvolutionArgument<R>) {
        state.diagonal = self.diagonal.address();
    }

    /// Returns the moving vertex (patch order) with the largest residual.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the GPU fails.
    pub fn slowest(&self, cuda: &Cuda, moving: &[u8]) -> Result<usize> {
        let (residual, diagonal) = (cuda.download(&self.residual)?, cuda.download(&self.diagonal)?);
        let vertices = (0..moving.len()).filter(|&v| moving[v] != 0);
        Ok(slowest(&residual, &diagonal, vertices))
    }

    /// Launches the solve for the curvature part of a step.
    ///
    /// # Errors
    /// Returns [`crate::Error::Device`] if the launch fails.
    pub fn launch(
        &self,
        cuda: &Cuda,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
    ) -> Result<()> {
        let arguments = Arguments::default().with(patches).with(state).with(self.argument);
        // SAFETY: the kernel takes these three arguments, and their arrays live as long as `self`
        // and the state.
        unsafe { cuda.launch(&self.solve, self.launch, &arguments) }
    }
}

/// Returns the number of values stored for the cells of all patches: one per pair of vertices of a
/// cell, and a lumped mass per cell.
fn entries(shape: &Shape, patches: &Patches) -> usize {
    patches.n_patch_cells() * (pairs(shape.arity) + 1)
}
