//! phi and coefficients that are arrays on the GPU. They are exchanged while the evolution keeps
//! its memory and its kernels.

use std::sync::Arc;

use super::DeviceEvolution;
use super::control::Halt;
use super::kernel_arguments::{Control, Due};
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::gpu::definitions::Code;
use crate::gpu::primitives::Renumbering;
use crate::gpu::{Array, Cuda};
use crate::levelset::eikonal::cuda::DeviceGradient;
use crate::levelset::evolution::{Rule, Totals};

/// Coefficients with a row for each vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// The velocity, three numbers per row.
    Velocity,
    /// The normal speed.
    NormalSpeed,
    /// The curvature coefficient or the weight of weighted curvature flow.
    Curvature,
}

impl Rows {
    /// Returns the number of numbers per row.
    pub fn width(self) -> u32 {
        if self == Rows::Velocity { 3 } else { 1 }
    }
}

/// An evolution that exchanges values with arrays on its GPU. Addresses are those of `f64` arrays
/// with a row for each vertex of the caller.
pub trait OnGpu {
    /// Returns the GPU.
    fn cuda(&self) -> &Arc<Cuda>;

    /// Copies phi to an array, and waits.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails.
    ///
    /// # Safety
    /// The address must be that of an array with a number for each vertex of the caller. No other
    /// work may use it.
    unsafe fn write_phi(&mut self, vertices: &Renumbering, to: u64) -> Result<()>;

    /// Copies the gradients of phi at the vertices to an array, and waits.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU has too little memory or fails.
    ///
    /// # Safety
    /// The address must be that of an array with three numbers for each vertex of the caller. No
    /// other work may use it.
    unsafe fn write_gradient(
        &mut self,
        vertices: &Renumbering,
        mesh: &DeviceGradient,
        to: u64,
    ) -> Result<()>;

    /// Begins again at time `time` with the phi of an array, as a new evolution does, and waits.
    /// The numbers must be finite.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] if phi cannot be reinitialized, and [`Error::Device`] if the
    /// GPU fails.
    ///
    /// # Safety
    /// See [`OnGpu::write_phi`].
    unsafe fn read_phi(&mut self, vertices: &Renumbering, from: u64, time: f64) -> Result<()>;

    /// Replaces the rows of coefficients, and waits. The result is the same as that of an evolution
    /// with these coefficients that is resumed from the current state. The numbers must be finite,
    /// and those of the curvature must not be negative.
    ///
    /// # Errors
    /// Returns [`Error::Device`] if the GPU fails, or if a coefficient has no rows.
    ///
    /// # Safety
    /// The addresses must be those of arrays with [`Rows::width`] numbers for each vertex of the
    /// caller. No other work may change them.
    unsafe fn read_rows(&mut self, vertices: &Renumbering, arrays: &[(Rows, u64)]) -> Result<()>;
}

impl<R: Real> DeviceEvolution<R> {
    /// Replaces the control block by that of a new evolution whose phi is in the first buffer.
    fn renew(&mut self) -> Result<()> {
        let n_patches = self.now.n_patches;
        let control = Control::new(&self.problem, n_patches);
        self.change(|now| *now = control)
    }

    /// Returns the rows of a coefficient.
    fn rows(&mut self, which: Rows) -> Result<&mut Array<R>> {
        let state = &mut self.state;
        let rows = match which {
            Rows::Velocity => &mut state.velocity.rows,
            Rows::NormalSpeed => &mut state.normal_speed.rows,
            Rows::Curvature => &mut state.curvature.rows,
        };
        rows.as_mut().ok_or_else(|| {
            Error::device("a coefficient has no rows on the GPU", "please report this error")
        })
    }
}

impl<R: Real> OnGpu for DeviceEvolution<R> {
    fn cuda(&self) -> &Arc<Cuda> {
        &self.cuda
    }

    unsafe fn write_phi(&mut self, vertices: &Renumbering, to: u64) -> Result<()> {
        let phi = (&self.state.phi, self.now_at().start);
        // SAFETY: the caller guarantees the array.
        unsafe { vertices.write(&self.cuda, phi, 1, to) }?;
        self.cuda.synchronize()
    }

    unsafe fn write_gradient(
        &mut self,
        vertices: &Renumbering,
        mesh: &DeviceGradient,
        to: u64,
    ) -> Result<()> {
        let gradients = mesh.at_vertices(&self.state.phi, self.now_at().start)?;
        // SAFETY: the caller guarantees the array.
        unsafe { vertices.write(&self.cuda, (&gradients, 0), 3, to) }?;
        self.cuda.synchronize()
    }

    unsafe fn read_phi(&mut self, vertices: &Renumbering, from: u64, time: f64) -> Result<()> {
        self.refuse_volume()?;
        let n = self.problem.patches.n_vertices();
        // SAFETY: the caller guarantees the array.
        unsafe { vertices.read(&self.cuda, from, 1, &mut self.state.phi) }?;
        self.cuda.copy_within(&mut self.state.phi, 0, n, n)?;
        self.state.empty_band(&self.cuda)?;
        self.renew()?;
        self.change(|control| control.time = time)?;
        self.before = Totals::default();
        if self.problem.options.rule == Rule::Never {
            // There is no band then, so phi is inside at all vertices.
            self.follow(&vec![1; n])?;
            return self.change(|control| control.reinitializations = 0);
        }
        self.begin_from_phi()
    }

    unsafe fn read_rows(&mut self, vertices: &Renumbering, arrays: &[(Rows, u64)]) -> Result<()> {
        self.refuse_volume()?;
        let cuda = self.cuda.clone();
        for &(which, from) in arrays {
            let rows = self.rows(which)?;
            // SAFETY: the caller guarantees the array.
            unsafe { vertices.read(&cuda, from, which.width(), rows) }?;
        }
        let (numbers, n) = (self.numbers(), self.problem.patches.n_vertices());
        match self.now_at().start {
            0 => cuda.copy_within(&mut self.state.phi, 0, n, n)?,
            _ => cuda.copy_within(&mut self.state.phi, n, 0, n)?,
        }
        self.renew()?;
        if arrays.iter().any(|&(which, _)| which == Rows::Velocity) {
            self.change(|control| {
                control.due = Due::Nothing.code();
                control.halt = Halt::Running as u32;
            })?;
            self.kernels.follow_velocity()?;
            self.renew()?;
        }
        self.find_band()?;
        self.continue_at(&numbers)
    }
}
