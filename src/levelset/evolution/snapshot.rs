//! All that changes in an evolution, so that it can be put away and taken up again.
//!
//! The band of a resumed evolution is made from the vertices that were inside it when it was last
//! updated, not from phi, which has moved since. Nothing else is remembered from step to step:
//! scratch memory is written before it is read, and a reinitialization starts from a cleared state
//! among the active patches. So a resumed evolution goes on with the same bits.

use std::sync::Arc;

use super::problem::Problem;
use super::{Evolution, Options, Terms, Totals, check};
use crate::Cpu;
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::mesh::Mesh;
use crate::patches::Patches;

/// Everything that changes in a run; arrays in mesh order, `[n_vertices]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Bits of the scalar it was taken from: 64 or 32.
    pub precision_bits: u32,
    /// Time reached.
    pub time: f64,
    /// Steps done.
    pub step: u64,
    /// How far the interface may have moved since phi was a distance, mesh units.
    pub displacement: f64,
    /// Steps since phi was a distance.
    pub steps_since: u64,
    /// True if there was no interface left.
    pub gone: bool,
    /// phi; 32-bit values are widened, which is exact.
    pub phi: Vec<f64>,
    /// Whether `|phi|` was below the half width when the band was last updated.
    pub in_band: Vec<bool>,
    /// Work so far.
    pub totals: Totals,
}

fn bits<R: Real>() -> u32 {
    8 * size_of::<R>() as u32
}

impl<R: Real> Evolution<R> {
    /// The state between two steps.
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
        }
    }

    /// Goes on from a [`Snapshot`]: with the mesh, patches, terms and options of the evolution it
    /// was taken from, every later step has the bits it would have had there.
    ///
    /// # Errors
    /// [`Error::Case`] for a snapshot of another precision or mesh size or with a phi that is not
    /// finite, and for terms and options as in [`Evolution::new`]; [`Error::Mesh`] as there.
    pub fn resume(
        cpu: Arc<Cpu>,
        mesh: &Mesh,
        patches: Arc<Patches>,
        terms: &Terms,
        options: Options,
        snapshot: &Snapshot,
    ) -> Result<Self> {
        snapshot.check::<R>(mesh)?;
        // As at the start; what is read of varying coefficients is made anew in each step.
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
        if let Some(implicit) = &mut evolution.implicit {
            implicit.iterations = snapshot.totals.iterations;
        }
        Ok(evolution)
    }
}

impl Snapshot {
    /// Refuses a snapshot that is not one of this precision and mesh.
    pub(super) fn check<R: Real>(&self, mesh: &Mesh) -> Result<()> {
        let (found, expected) = (self.precision_bits, bits::<R>());
        if found != expected {
            return Err(Error::usage(
                format!("the state to resume has {found}-bit numbers, the run {expected}-bit"),
                "resume with the precision it was begun with",
            ));
        }
        for (what, rows) in [("phi", self.phi.len()), ("the band", self.in_band.len())] {
            check::length(mesh, &format!("{what} of the state to resume"), rows)?;
        }
        check::not_finite("phi of the state to resume", &self.phi)?;
        Ok(())
    }
}
