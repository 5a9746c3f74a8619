//! Second-order advection on the card: increments of phi before each step.

use super::state::EvolutionArgument;
use crate::backend::cuda::{Arguments, Array, Cuda, Kernel, Launch, Unit};
use crate::error::Result;
use crate::geometry::Real;
use crate::levelset::evolution::galerkin::{CORRECTIONS, Galerkin};
use crate::patches::cuda::{PatchesArgument, Shape};

/// What `kernels/galerkin.cu` works on, and how it is launched.
pub(super) struct DeviceGalerkin<R: Real> {
    residual: Kernel,
    correction: Kernel,
    block: u32,
    shared: u32,
    upwind: Array<u8>,
    mass: Array<R>,
    right: Array<R>,
    increment: Array<R>,
}

impl<R: Real> DeviceGalerkin<R> {
    /// Bytes on the card.
    pub fn bytes(shape: &Shape) -> usize {
        shape.n_vertices as usize * (4 * size_of::<R>() + 1)
    }

    /// Takes memory on the card for the scheme that the host prepared. `unit` is the source,
    /// compiled for blocks of `block` threads that hold the contributions of `chunk` cells.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn new(
        cuda: &Cuda,
        galerkin: &Galerkin<R>,
        shape: &Shape,
        (unit, block, chunk): (&Unit, u32, u32),
    ) -> Result<Self> {
        let n = shape.n_vertices as usize;
        let upwind: Vec<u8> = galerkin.upwind().iter().map(|&poor| u8::from(poor)).collect();
        let residual = cuda.kernel(unit, "galerkin_residual")?;
        let correction = cuda.kernel(unit, "galerkin_correction")?;
        let shared = shared_bytes::<R>(shape, chunk);
        residual.allow_shared(shared)?;
        correction.allow_shared(shared)?;
        Ok(DeviceGalerkin {
            residual,
            correction,
            block,
            shared,
            upwind: cuda.upload(&upwind)?,
            mass: cuda.upload(galerkin.mass())?,
            right: cuda.zeros(n)?,
            increment: cuda.zeros(2 * n)?,
        })
    }

    /// Tells kernels of the arrays.
    pub fn fill(&self, state: &mut EvolutionArgument<R>) {
        state.upwind = self.upwind.address();
        state.mass = self.mass.address();
        state.residual = self.right.address();
        state.increment = self.increment.address();
    }

    /// Computes the increments of the next step by this many blocks.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn launch(
        &self,
        cuda: &Cuda,
        patches: PatchesArgument,
        state: EvolutionArgument<R>,
        grid: u32,
    ) -> Result<()> {
        let launch = Launch { grid, block: self.block, shared: self.shared, cooperative: false };
        let arguments = || Arguments::default().with(patches).with(state);
        // SAFETY: the kernel takes these two, whose arrays live as long as `self` and the state.
        unsafe { cuda.launch(&self.residual, launch, &arguments())? };
        for k in 0..CORRECTIONS {
            let (from, is_last) = (k as u32 & 1, u32::from(k + 1 == CORRECTIONS));
            let arguments = arguments().with(from).with(is_last);
            // SAFETY: as above, with the buffer it starts from and whether it is the last one.
            unsafe { cuda.launch(&self.correction, launch, &arguments)? };
        }
        Ok(())
    }
}

// The step reads the first buffer of increments.
const _: () = assert!(CORRECTIONS.is_multiple_of(2));

/// Shared memory of a block: two numbers for each corner, a number for each vertex, and its state.
fn shared_bytes<R>(shape: &Shape, chunk: u32) -> u32 {
    let part = |n: u32, size: usize| (n * size as u32).div_ceil(16) * 16;
    let real = size_of::<R>();
    let mut bytes = 2 * part(shape.arity as u32 * chunk, real)
        + part(shape.largest_local, real)
        + part(shape.largest_owned, 1);
    if chunk < shape.largest_cells {
        // Two sums and a column, aligned as the sums are.
        bytes += part(shape.largest_owned, 3 * real);
    }
    bytes
}
