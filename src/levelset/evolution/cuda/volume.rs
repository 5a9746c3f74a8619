//! Correction of the volume on a GPU. The GPU takes the steps, and the host computes the correction
//! in the same way as for an evolution on the CPU. Therefore, phi is copied to the host.

use std::time::Instant;

use super::DeviceEvolution;
use super::batches::{Batch, PATIENCE};
use super::control::Halt;
use super::kernel_arguments::Due;
use crate::error::{Error, Result};
use crate::expression::Sampling;
use crate::geometry::Real;
use crate::gpu::definitions::Code;
use crate::levelset::evolution::volume::Volume;
use crate::levelset::evolution::{Advance, Snapshot, StepTarget};
use crate::levelset::volume::VolumeCorrection;
use crate::mesh::Mesh;

impl<R: Real> DeviceEvolution<R> {
    /// Creates the corrector, if the options require one, with the volumes of phi as references.
    pub(super) fn begin_volume(&mut self, mesh: &Mesh) -> Result<()> {
        self.volume = Volume::new(&self.problem, mesh);
        let phi = self.phi_in_patches()?;
        if let Some(volume) = &mut self.volume {
            volume.begin(&self.problem, &phi);
        }
        Ok(())
    }

    /// Creates the corrector, if the options require one, and continues from a snapshot.
    pub(super) fn resume_volume(&mut self, mesh: &Mesh, snapshot: &Snapshot) -> Result<()> {
        let Some(state) = &snapshot.volume else { return self.begin_volume(mesh) };
        self.volume = Volume::new(&self.problem, mesh);
        if let Some(volume) = &mut self.volume {
            let in_band = self.problem.patches.to_patch_order(&snapshot.in_band, |inside| inside);
            volume.resume(&self.problem, state, &in_band);
        }
        Ok(())
    }

    /// Refuses a correction for an evolution whose phi or coefficients are replaced by arrays on
    /// the GPU.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if there is a correction.
    pub(super) fn refuse_volume(&self) -> Result<()> {
        match self.problem.options.volume_correction {
            VolumeCorrection::None => Ok(()),
            _ => Err(Error::usage(
                "volume_correction cannot be combined with arrays on the GPU",
                "pass arrays of the host, or remove volume_correction",
            )),
        }
    }

    /// Advances as [`DeviceEvolution::advance`] does, and corrects the volume after each
    /// reinitialization and at the target.
    ///
    /// # Errors
    /// See [`DeviceEvolution::advance`].
    pub(super) fn advance_and_correct(&mut self, until: &StepTarget) -> Result<Advance> {
        let begun = Instant::now();
        let first = self.now.step;
        let follows = self.volume.as_ref().is_some_and(|volume| volume.has_references());
        self.kernels.begin(until)?;
        self.look()?;
        let mut phi = if follows { self.phi_in_patches()? } else { Vec::new() };
        loop {
            let before = self.now.step;
            let Batch { steps, blocks, .. } = self.batch(until, 0.0);
            self.kernels.prepare(blocks)?;
            self.kernels.steps(if follows { 1 } else { steps }, blocks)?;
            self.look()?;
            let has_moved = self.now.step > before;
            if has_moved && follows {
                let next = self.phi_in_patches()?;
                self.follow_volume(&phi, &next)?;
                phi = next;
            }
            let has_landed = has_moved && self.now.clock == until.target;
            let is_last = self.now.halt() != Halt::Running || !has_moved;
            if self.now.due != Due::Nothing.code() {
                self.reinitialize_and_correct(self.now.n_active)?;
                phi = if follows { self.phi_in_patches()? } else { Vec::new() };
            } else if has_landed && follows {
                self.correct_between()?;
            }
            if is_last || begun.elapsed() > PATIENCE {
                break;
            }
        }
        self.outcome(first, until)
    }

    /// Reinitializes phi if that is due, and corrects it.
    pub(super) fn reinitialize_and_correct(&mut self, blocks: u32) -> Result<()> {
        let before = self.phi_in_patches()?;
        if let Some(volume) = &mut self.volume {
            volume.before(&self.problem, &before);
        }
        self.kernels.reinitialize(&self.eikonal, self.solve, blocks)?;
        self.look()?;
        let mut phi = self.phi_in_patches()?;
        if let Some(volume) = &mut self.volume {
            volume.correct(&self.problem, &mut phi, None);
        }
        self.replace_phi(&phi)?;
        // The band is found again, which is not another reinitialization.
        let width = self.problem.half_width();
        let inside: Vec<u8> = phi.iter().map(|phi| u8::from(phi.abs() < width)).collect();
        let reinitializations = self.now.reinitializations;
        self.change(|control| control.due = Due::Everything.code())?;
        self.follow(&inside)?;
        self.change(|control| control.reinitializations = reinitializations)
    }

    /// Corrects phi between two reinitializations.
    fn correct_between(&mut self) -> Result<()> {
        let mut phi = self.phi_in_patches()?;
        let inside = self.cuda.download(&self.state.inside)?;
        if let Some(volume) = &mut self.volume {
            volume.correct(&self.problem, &mut phi, Some(&|v| inside[v] != 0));
        }
        self.replace_phi(&phi)
    }

    /// Adds the change of the references in the last step, from `phi` to `next`.
    fn follow_volume(&mut self, phi: &[R], next: &[R]) -> Result<()> {
        let dt = self.now.dt_done;
        let varies = self.problem.motion.velocity.as_ref().is_some_and(|a| a.varies());
        if varies {
            // The values of the step are on the GPU only.
            let all: Vec<u32> = (0..self.problem.patches.len() as u32).collect();
            let middle = Sampling::At(self.now.time - 0.5 * dt);
            let found = self.problem.refresh(&all, middle);
            found.map_err(|flaw| self.problem.explain(&flaw, self.now.step).as_error())?;
        }
        if let Some(volume) = &mut self.volume {
            volume.follow(&self.problem, phi, next, dt);
        }
        Ok(())
    }

    /// Returns phi in patch order.
    fn phi_in_patches(&self) -> Result<Vec<R>> {
        self.cuda.download_part(&self.state.phi, self.now_at())
    }

    /// Replaces phi in both buffers.
    fn replace_phi(&mut self, phi: &[R]) -> Result<()> {
        self.cuda.write(&mut self.state.phi, &[phi, phi].concat())
    }
}
