//! Correction of the volume of the inside during an evolution on any device, and its state in the
//! order of the mesh.

use super::Evolution;
use super::problem::Problem;
use crate::geometry::{Real, Vec3};
use crate::levelset::volume::{Complex, Corrector, VolumeCorrection, VolumeState, VolumeTotals};
use crate::mesh::Mesh;

/// A corrector whose vertices are in patch order.
pub(super) struct Volume {
    corrector: Corrector,
}

impl Volume {
    /// Returns the corrector of an evolution, if its options require one.
    pub fn new<R: Real>(problem: &Problem<R>, mesh: &Mesh) -> Option<Box<Self>> {
        let method = problem.options.volume_correction;
        if method == VolumeCorrection::None {
            return None;
        }
        let order = problem.patches.mesh_vertices();
        let x = order.iter().map(|&v| Vec3::from(mesh.vertices[v as usize])).collect();
        let mut positions = vec![0; order.len()];
        for (k, &v) in (0..).zip(order) {
            positions[v as usize] = k;
        }
        let cells = mesh.cells.iter().map(|&v| positions[v as usize]).collect();
        let complex = problem.cpu.run(|| Complex::new(x, cells, mesh.kind.arity()));
        let width = problem.half_width().to_f64();
        Some(Box::new(Volume { corrector: Corrector::new(method, complex, width) }))
    }

    /// Returns the results of all corrections.
    pub fn totals(&self) -> VolumeTotals {
        self.corrector.totals()
    }

    /// Returns whether there are references, which must follow each step. The volume can then also
    /// be corrected between two reinitializations.
    pub fn has_references(&self) -> bool {
        self.corrector.has_references()
    }

    /// Takes the volumes of `phi` as references.
    pub fn begin<R: Real>(&mut self, problem: &Problem<R>, phi: &[R]) {
        problem.cpu.run(|| self.corrector.begin(phi));
    }

    /// Adds the change of the references in a step of length `dt` from `phi` to `next`. The
    /// velocity must be that of the middle of the step, or its mean.
    pub fn follow<R: Real>(&mut self, problem: &Problem<R>, phi: &[R], next: &[R], dt: f64) {
        let Some(velocity) = &problem.motion.velocity else { return };
        let velocity = |v: usize| velocity.at(v).map(R::to_f64);
        problem.cpu.run(|| self.corrector.follow(phi, next, dt, &velocity));
    }

    /// Examines `phi` before a reinitialization.
    pub fn before<R: Real>(&mut self, problem: &Problem<R>, phi: &[R]) {
        problem.cpu.run(|| self.corrector.before(phi));
    }

    /// Corrects `phi` after a reinitialization, or between two. `in_band` (patch order) contains
    /// the vertices inside the band. Without it, the band follows from the corrected phi.
    pub fn correct<R: Real>(
        &mut self,
        problem: &Problem<R>,
        phi: &mut [R],
        in_band: Option<&(dyn Fn(usize) -> bool + Sync)>,
    ) {
        problem.cpu.run(|| self.corrector.correct(phi, in_band));
    }

    /// Returns the state in mesh order.
    pub fn state<R: Real>(&self, problem: &Problem<R>) -> VolumeState {
        let (patches, state) = (&problem.patches, self.corrector.state());
        if state.labels.is_empty() {
            return state.clone();
        }
        VolumeState {
            labels: patches.to_mesh_order(&state.labels, |label| label),
            was_inside: patches.to_mesh_order(&state.was_inside, |inside| inside),
            ..state.clone()
        }
    }

    /// Continues from a state in mesh order. `in_band` is in patch order.
    pub fn resume<R: Real>(&mut self, problem: &Problem<R>, state: &VolumeState, in_band: &[bool]) {
        let mut state = state.clone();
        if !state.labels.is_empty() {
            state.labels = problem.patches.to_patch_order(&state.labels, |label| label);
            state.was_inside = problem.patches.to_patch_order(&state.was_inside, |inside| inside);
        }
        problem.cpu.run(|| self.corrector.resume(state, |v| in_band[v]));
    }
}

impl<R: Real> Evolution<R> {
    /// Takes the volumes of the current phi as references.
    pub(super) fn begin_volume(&mut self) {
        if let Some(volume) = &mut self.volume {
            volume.begin(&self.problem, &self.phi);
        }
    }

    /// Adds the change of the references in a step of length `dt` from `phi` to `next`.
    pub(super) fn follow_volume(&mut self, dt: f64) {
        if let Some(volume) = &mut self.volume
            && volume.has_references()
        {
            volume.follow(&self.problem, &self.phi, &self.next, dt);
        }
    }

    /// Examines phi before a reinitialization.
    pub(super) fn before_reinitialization(&mut self) {
        if let Some(volume) = &mut self.volume {
            volume.before(&self.problem, &self.phi);
        }
    }

    /// Corrects phi after a reinitialization. The band is updated afterwards.
    pub(super) fn after_reinitialization(&mut self) {
        if let Some(volume) = &mut self.volume {
            volume.correct(&self.problem, &mut self.phi, None);
        }
    }

    /// Corrects phi between two reinitializations, if the reference is known.
    pub(super) fn correct_volume(&mut self) {
        let Some(volume) = self.volume.as_mut().filter(|volume| volume.has_references()) else {
            return;
        };
        let (problem, phi, band) = (&self.problem, &mut self.phi, &self.band);
        volume.correct(problem, phi, Some(&|v| band.inside[v]));
        // A step copies phi to `next` only in active patches.
        for &p in band.looked_at() {
            let owned = problem.patches.patch(p as usize).owned();
            self.next[owned.clone()].copy_from_slice(&self.phi[owned]);
        }
    }
}
