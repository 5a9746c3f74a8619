//! Snapshots: the complete changing state of an evolution, from which it can be resumed.
//!
//! The band of a resumed evolution is computed from the vertices that were inside it when it was
//! last updated. It cannot be computed from phi, which has changed since. No other data carry over
//! from step to step. Scratch memory is written before it is read, and a reinitialization starts
//! from a cleared state in the active patches. A resumed evolution is therefore bitwise identical
//! to one that was not interrupted.

use std::sync::Arc;

use super::compiled::methods;
use super::problem::Problem;
use super::volume::Volume;
use super::{Evolution, MapState, Options, Terms, Totals, check};
use crate::Cpu;
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::levelset::volume::VolumeState;
use crate::mesh::Mesh;
use crate::patches::Patches;

/// The complete changing state of a run; arrays in mesh order, `[n_vertices]`, and times in the
/// unit of the case.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The number of bits of the scalar type: 64 or 32.
    pub precision_bits: u32,
    /// The time reached.
    pub time: f64,
    /// The number of steps done.
    pub step: u64,
    /// An upper bound on the distance the interface has moved since phi was last a signed distance
    /// function, in mesh units.
    pub displacement: f64,
    /// The number of steps since the last reinitialization.
    pub steps_since: u64,
    /// Whether no cell was cut by the interface at the start of the last step.
    pub gone: bool,
    /// phi, `[n_vertices]`, in mesh units; 32-bit values are widened, which is exact.
    pub phi: Vec<f64>,
    /// Whether `|phi|` of each vertex was below the half width when the band was last updated.
    pub in_band: Vec<bool>,
    /// The time spent and the work done so far.
    pub totals: Totals,
    /// The state of the correction of the volume, if there is one.
    pub volume: Option<VolumeState>,
    /// The state of the characteristic map, if advection uses one.
    pub map: Option<MapState>,
}

fn bits<R: Real>() -> u32 {
    8 * size_of::<R>() as u32
}

impl<R: Real> Evolution<R> {
    /// Returns the state between two steps.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            precision_bits: bits::<R>(),
            time: self.progress.time,
            step: self.progress.step,
            displacement: self.progress.displacement,
            steps_since: self.progress.steps_since,
            gone: self.progress.gone,
            phi: self.phi(),
            in_band: self.patches().to_mesh_order(&self.band.inside, |inside| inside),
            totals: self.totals(),
            volume: self.volume.as_ref().map(|volume| volume.state(&self.problem)),
            map: self.map.as_ref().map(|map| map.state(&self.problem)),
        }
    }

    /// Resumes an evolution from a [`Snapshot`].
    ///
    /// With the mesh, patches, terms and options of the original evolution, every later step is
    /// bitwise identical to that of the original.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if the snapshot has a different precision or mesh size, if its phi
    /// is not finite, or if [`Evolution::new`] would reject the terms or options. Returns
    /// [`Error::Mesh`] and [`Error::Numerical`] under the conditions given there.
    pub fn resume(
        cpu: Arc<Cpu>,
        mesh: &Mesh,
        patches: Arc<Patches>,
        terms: &Terms,
        options: Options,
        snapshot: &Snapshot,
    ) -> Result<Self> {
        (methods().resume)(cpu, mesh, patches, terms, options, snapshot)
    }

    pub(super) fn begin_at(
        cpu: Arc<Cpu>,
        mesh: &Mesh,
        patches: Arc<Patches>,
        terms: &Terms,
        options: Options,
        snapshot: &Snapshot,
    ) -> Result<Self> {
        snapshot.check::<R>(mesh)?;
        // Each step evaluates varying coefficients again, so they can start as in a new run.
        let problem = Problem::new(cpu, mesh, patches, terms, options)?;
        let mut evolution = Self::at_rest(problem, &snapshot.phi);
        let Evolution { problem, band, progress, .. } = &mut evolution;
        let inside = problem.patches.to_patch_order(&snapshot.in_band, |inside| inside);
        band.restore(problem, inside);
        progress.time = snapshot.time;
        progress.step = snapshot.step;
        progress.displacement = snapshot.displacement;
        progress.steps_since = snapshot.steps_since;
        progress.gone = snapshot.gone;
        progress.totals = snapshot.totals;
        if let (Some(map), Some(state)) = (&mut evolution.map, &snapshot.map) {
            map.resume(&evolution.problem, state);
        }
        if let Some(implicit) = &mut evolution.implicit {
            implicit.iterations = snapshot.totals.iterations;
        }
        evolution.volume = Volume::new(&evolution.problem, mesh);
        if let Some(volume) = &mut evolution.volume
            && let Some(state) = &snapshot.volume
        {
            volume.resume(&evolution.problem, state, &evolution.band.inside);
        } else {
            evolution.begin_volume();
        }
        if snapshot.map.is_some() && evolution.map.is_none() && evolution.has_rule() {
            // A map does not keep phi a distance.
            evolution.reinitialize_all();
        }
        Ok(evolution)
    }
}

impl Snapshot {
    /// Checks that the snapshot has the precision of the run and fits the mesh.
    pub(super) fn check<R: Real>(&self, mesh: &Mesh) -> Result<()> {
        let (found, expected) = (self.precision_bits, bits::<R>());
        if found != expected {
            return Err(Error::usage(
                format!(
                    "the state to resume has {found}-bit numbers, but the run uses {expected} bits"
                ),
                "resume with the original precision",
            ));
        }
        for (what, rows) in [("phi", self.phi.len()), ("the band", self.in_band.len())] {
            check::length(mesh, &format!("{what} of the state to resume"), rows)?;
        }
        if let Some(volume) = &self.volume {
            volume.check(mesh.n_vertices())?;
        }
        if let Some(map) = &self.map {
            map.check(mesh)?;
        }
        check::not_finite("phi of the state to resume", &self.phi)?;
        Ok(())
    }
}
