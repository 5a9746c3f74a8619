//! An evolution on the CPU: the problem, and what changes from step to step.

use std::sync::Arc;

use super::band::Band;
use super::breakdown::{Breakdown, Flaw};
use super::implicit::Implicit;
use super::increments::Increments;
use super::pass::Scratch;
use super::problem::Problem;
use super::{Choices, Options, Rule, Terms, Totals, check};
use crate::Cpu;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::geometry::Real;
use crate::levelset::eikonal::{EikonalState, Slowness};
use crate::mesh::Mesh;
use crate::patches::Patches;

/// A level-set function in motion.
pub struct Evolution<R: Real> {
    pub(super) problem: Problem<R>,
    /// phi^n in patch order.
    pub(super) phi: Vec<R>,
    /// phi^(n+1) while it is made; equal to `phi` in patches that are not active.
    pub(super) next: Vec<R>,
    pub(super) band: Band<R>,
    /// Makes phi a distance.
    pub(super) eikonal: EikonalState<R>,
    pub(super) increments: Option<Increments<R>>,
    pub(super) implicit: Option<Implicit<R>>,
    pub(super) scratch: Scratch<R>,
    pub(super) progress: Progress<R>,
    /// Why the last step failed, if it did.
    breakdown: Option<Breakdown>,
}

/// How far an evolution has come.
#[derive(Default)]
pub(super) struct Progress<R> {
    pub time: f64,
    pub step: u64,
    /// How far the interface may have moved since phi was a distance.
    pub displacement: f64,
    pub steps_since: u64,
    /// No cell was cut at the start of the last step.
    pub gone: bool,
    /// An interface may be entering through an inflow boundary.
    pub enters: bool,
    /// Largest `|phi|` when it last was a distance (half width of the band), or inflow since.
    pub reach: R,
    pub totals: Totals,
}

impl<R: Real> Evolution<R> {
    /// Starts from `phi` (mesh order) on a cleaned mesh cut into `patches`.
    ///
    /// Unless the rule is [`Rule::Never`], phi is first made a signed distance.
    ///
    /// # Errors
    /// [`Error::Case`] for options that contradict each other, a coefficient of the wrong length or
    /// not finite, negative curvature, or a phi without a zero set; [`Error::Mesh`] for cells whose
    /// size does not fit the scalar; [`Error::Numerical`] for an expression that is not finite.
    pub fn new(
        cpu: Arc<Cpu>,
        mesh: &Mesh,
        patches: Arc<Patches>,
        phi: &[f64],
        terms: &Terms,
        options: Options,
    ) -> Result<Self> {
        check::phi(mesh, phi)?;
        let problem = Problem::new(cpu, mesh, patches, terms, options)?;
        let mut evolution = Self::at_rest(problem, phi);
        if evolution.problem.options.rule == Rule::Never {
            evolution.update_band();
        } else {
            evolution.reinitialize();
        }
        Ok(evolution)
    }

    /// Everything but a band, from `phi` in mesh order.
    pub(super) fn at_rest(problem: Problem<R>, phi: &[f64]) -> Self {
        let (patches, coordinates) = (problem.patches.clone(), problem.coordinates.clone());
        let phi = patches.to_patch_order(phi, R::of);
        Evolution {
            band: Band::unknown(&patches),
            scratch: Scratch::new(&patches, problem.cpu.threads()),
            implicit: problem.implicit.then(|| Implicit::new(&patches)),
            increments: problem.galerkin.as_ref().map(|_| Increments::new(phi.len())),
            progress: Progress { reach: problem.reach(&phi), ..Progress::default() },
            next: phi.clone(),
            phi,
            eikonal: EikonalState::new(patches, coordinates, Slowness::Uniform(R::one())),
            problem,
            breakdown: None,
        }
    }

    /// Notes what stopped a step, if something did.
    pub(super) fn noted<T>(&mut self, done: std::result::Result<T, Flaw>) -> Result<T> {
        done.map_err(|flaw| {
            let found = self.problem.explain(&flaw, self.progress.step + 1);
            self.breakdown = Some(found);
            found.as_error()
        })
    }

    /// Where and why the last step broke down, if it did.
    pub fn breakdown(&self) -> Option<&Breakdown> {
        self.breakdown.as_ref()
    }

    /// Time reached.
    pub fn time(&self) -> f64 {
        self.progress.time
    }

    /// Steps so far.
    pub fn n_steps(&self) -> u64 {
        self.progress.step
    }

    /// True once no cell was cut at the start of the last step, unless an inflow that depends on
    /// time may bring an interface in later.
    pub fn is_gone(&self) -> bool {
        (self.progress.gone || self.band.active().is_empty()) && !self.problem.may_enter()
    }

    /// phi in mesh order.
    pub fn phi(&self) -> Vec<f64> {
        self.patches().to_mesh_order(&self.phi, Real::to_f64)
    }

    /// Whether each vertex moves (lies in the band), in mesh order.
    pub fn band(&self) -> Vec<bool> {
        self.patches().to_mesh_order(&self.band.moving, |moving| moving)
    }

    /// Number of vertices in the band.
    pub fn n_band_vertices(&self) -> usize {
        self.band.n_vertices
    }

    /// Number of patches with a vertex in the band.
    pub fn n_active_patches(&self) -> usize {
        self.band.active().len()
    }

    /// The patches phi lives on.
    pub fn patches(&self) -> &Patches {
        &self.problem.patches
    }

    /// Seconds and work so far.
    pub fn totals(&self) -> Totals {
        let iterations = self.implicit.as_ref().map_or(0, |implicit| implicit.iterations);
        Totals { iterations, ..self.progress.totals }
    }

    /// What was chosen by the look of the mesh.
    pub fn choices(&self) -> Choices {
        self.problem.choices()
    }
}
