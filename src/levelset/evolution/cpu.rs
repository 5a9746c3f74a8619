//! The evolution of a level-set function on the CPU.

use std::sync::Arc;

use super::band::Band;
use super::breakdown::{Breakdown, Flaw};
use super::cell_passes::Scratch;
use super::compiled::methods;
use super::extrapolation::Extrapolation;
use super::implicit::Implicit;
use super::increments::Increments;
use super::map::CharacteristicMap;
use super::problem::Problem;
use super::volume::Volume;
use super::{Choices, Options, Rule, Terms, Totals, check};
use crate::Cpu;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::geometry::Real;
use crate::levelset::eikonal::{EikonalState, Slowness};
use crate::levelset::volume::VolumeTotals;
use crate::mesh::Mesh;
use crate::patches::Patches;

/// A moving level-set function on the CPU. phi and lengths are in mesh units, and times in the unit
/// of the case.
pub struct Evolution<R: Real> {
    pub(super) problem: Problem<R>,
    /// phi^n in patch order.
    pub(super) phi: Vec<R>,
    /// phi^(n+1) while it is being computed. It equals `phi` in patches that are not active.
    pub(super) next: Vec<R>,
    pub(super) band: Band<R>,
    /// The solver that reinitializes phi.
    pub(super) eikonal: EikonalState<R>,
    pub(super) increments: Option<Increments<R>>,
    pub(super) implicit: Option<Implicit<R>>,
    pub(super) extrapolation: Option<Extrapolation<R>>,
    pub(super) map: Option<CharacteristicMap>,
    pub(super) scratch: Scratch<R>,
    pub(super) progress: Progress<R>,
    /// The correction of the volume, if there is one.
    pub(super) volume: Option<Box<Volume>>,
    /// The failure of the last step, if it failed.
    breakdown: Option<Breakdown>,
}

/// The progress of an evolution.
#[derive(Default)]
pub(super) struct Progress<R> {
    pub time: f64,
    pub step: u64,
    /// An upper bound on the distance the interface has moved since phi was last a signed distance
    /// function, in mesh units.
    pub displacement: f64,
    pub steps_since: u64,
    /// Whether no cell was cut by the interface at the start of the last step.
    pub gone: bool,
    /// Whether an interface entered at an inflow vertex outside the band in the last step.
    pub enters: bool,
    /// The largest `|phi|` at the last reinitialization (in a band, this is the half width), or the
    /// absolute value of a larger inflow value set since. See [`Problem::reach`].
    pub reach: R,
    pub totals: Totals,
}

impl<R: Real> Evolution<R> {
    /// Starts an evolution from `phi`, `[n_vertices]`, in mesh units (mesh order), on a cleaned
    /// mesh divided into `patches`.
    ///
    /// Unless the rule is [`Rule::Never`], phi is reinitialized first.
    ///
    /// # Errors
    /// Returns [`Error::Case`] if an option is invalid or options contradict each other, phi or a
    /// coefficient has the wrong length or is not finite, the curvature coefficient is negative, or
    /// phi has no interface and none can enter. Returns [`Error::Mesh`] if the size of a cell does
    /// not fit in the scalar type, and [`Error::Numerical`] if the value of an expression is not
    /// finite, or negative for curvature.
    pub fn new(
        cpu: Arc<Cpu>,
        mesh: &Mesh,
        patches: Arc<Patches>,
        phi: &[f64],
        terms: &Terms,
        options: Options,
    ) -> Result<Self> {
        (methods().begin)(cpu, mesh, patches, phi, terms, options)
    }

    pub(super) fn begin(
        cpu: Arc<Cpu>,
        mesh: &Mesh,
        patches: Arc<Patches>,
        phi: &[f64],
        terms: &Terms,
        options: Options,
    ) -> Result<Self> {
        check::phi(mesh, phi)?;
        let problem = Problem::new(cpu, mesh, patches, terms, options)?;
        let phi = problem.start(phi)?;
        let mut evolution = Self::at_rest(problem, &phi);
        evolution.volume = Volume::new(&evolution.problem, mesh);
        evolution.begin_volume();
        if evolution.has_rule() {
            evolution.reinitialize_all();
        } else {
            evolution.update_band();
        }
        Ok(evolution)
    }

    /// Returns whether phi is ever reinitialized.
    pub(super) fn has_rule(&self) -> bool {
        self.problem.options.rule != Rule::Never
    }

    /// Creates an evolution from `phi` (mesh order) without computing its band.
    pub(super) fn at_rest(problem: Problem<R>, phi: &[f64]) -> Self {
        let (patches, coordinates) = (problem.patches.clone(), problem.coordinates.clone());
        let phi = patches.to_patch_order(phi, R::of);
        Evolution {
            band: Band::unknown(&patches),
            scratch: Scratch::new(&patches, problem.cpu.threads()),
            implicit: problem.implicit.then(|| Implicit::new(&patches)),
            extrapolation: problem.is_extrapolated().then(|| Extrapolation::new(phi.len())),
            increments: problem.galerkin.as_ref().map(|_| Increments::new(phi.len())),
            map: problem
                .triangulation
                .as_ref()
                .map(|mesh| CharacteristicMap::new(mesh, &phi, problem.motion.varies())),
            volume: None,
            progress: Progress {
                reach: problem.reach(&phi),
                time: problem.options.start_time,
                ..Progress::default()
            },
            next: phi.clone(),
            phi,
            eikonal: EikonalState::new(patches, coordinates, Slowness::Uniform(R::one()))
                .with_fit(problem.options.fit),
            problem,
            breakdown: None,
        }
    }

    /// Records the failure of a step and converts it to an error.
    pub(super) fn noted<T>(&mut self, done: std::result::Result<T, Flaw>) -> Result<T> {
        done.map_err(|flaw| {
            let found = self.problem.explain(&flaw, self.progress.step + 1);
            self.breakdown = Some(found);
            found.as_error()
        })
    }

    /// Returns the failure of the last step, if it failed.
    pub fn breakdown(&self) -> Option<&Breakdown> {
        self.breakdown.as_ref()
    }

    /// Returns the time reached, in the unit of the case.
    pub fn time(&self) -> f64 {
        self.progress.time
    }

    /// Returns the number of steps so far.
    pub fn n_steps(&self) -> u64 {
        self.progress.step
    }

    /// Returns whether no interface is left and none can enter. No interface is left if no cell was
    /// cut at the start of the last step, or if the band is empty.
    pub fn is_extinct(&self) -> bool {
        (self.progress.gone || self.band.active().is_empty()) && !self.problem.may_enter()
    }

    /// Returns phi in mesh order, `[n_vertices]`, in mesh units.
    pub fn phi(&self) -> Vec<f64> {
        self.patches().to_mesh_order(&self.phi, Real::to_f64)
    }

    /// Returns, for each vertex, whether it moves (lies in the band), in mesh order,
    /// `[n_vertices]`.
    pub fn band(&self) -> Vec<bool> {
        self.patches().to_mesh_order(&self.band.moving, |moving| moving)
    }

    /// Returns the number of vertices in the band.
    pub fn n_band_vertices(&self) -> usize {
        self.band.n_vertices
    }

    /// Returns the number of patches with a vertex in the band.
    pub fn n_active_patches(&self) -> usize {
        self.band.active().len()
    }

    /// Returns the patches on which phi is defined.
    pub fn patches(&self) -> &Patches {
        &self.problem.patches
    }

    /// Returns the time spent and the work done so far.
    pub fn totals(&self) -> Totals {
        let iterations = self.implicit.as_ref().map_or(0, |implicit| implicit.iterations);
        Totals { iterations, ..self.progress.totals }
    }

    /// Returns the results of the corrections of the volume, if there are any.
    pub fn volume(&self) -> Option<VolumeTotals> {
        self.volume.as_ref().map(|volume| volume.totals())
    }

    /// Returns the choices that depend on the mesh.
    pub fn choices(&self) -> Choices {
        self.problem.choices()
    }
}
