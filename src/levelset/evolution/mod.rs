//! Motion of an interface: `phi_t + a . grad phi + eps |grad phi| = beta kappa |grad phi|`, or with
//! `|grad phi| div(w grad phi / |grad phi|)` on the right: weighted curvature flow.
//!
//! The interface is the zero set of phi, the inside is `phi < 0`, and phi = 0 counts as outside
//! (numerics 1). Advection takes a Taylor-Galerkin step of second order (numerics 2.5), normal
//! motion the positive-coefficient scheme of Barth and Sethian as corrected in numerics 2.2 (other
//! forms of both: [`Options`]), curvature the finite-element form of numerics 3, explicit or
//! semi-implicit. All that is explicit starts from the same phi^n and is added once; a semi-implicit
//! curvature step starts from what the other terms gave. The length of the step is that of numerics
//! equation (4); Fu et al., sections 2.3, 3.3 and 3.4.
//!
//! Work is done in a narrow band on patches (patchNB): cells with a vertex closer than the half
//! width are active, a vertex none of whose cells is active is frozen, and a patch without moving
//! vertices costs nothing. [`Rule`] says when phi becomes a distance again and the band follows.
//!
//! At the boundary of the mesh nothing is imposed on curvature and normal motion (the natural
//! condition: the interface meets the boundary at a right angle). Where the velocity points in,
//! advection leaves phi as it is, or all of phi is given by [`Terms::with_inflow`] (numerics 2.7).
//!
//! Each step reads phi^n and writes phi^(n+1), every vertex sums its cells in mesh order, and
//! reductions are minima and maxima, or sums in the order of patches: bits do not depend on threads.

mod band;
mod breakdown;
mod check;
mod coefficients;
mod cpu;
pub mod cuda;
pub mod formulas;
mod galerkin;
mod implicit;
mod inflow;
mod length;
mod options;
mod slivers;
mod snapshot;
mod stretch;
mod terms;

use std::sync::Arc;

use rayon::prelude::*;

use band::Band;
pub(crate) use breakdown::at_rest_forever;
pub use breakdown::{Breakdown, Cause, What};
use coefficients::Motion;
use galerkin::Galerkin;
use implicit::Implicit;
use inflow::Inflow;
use length::Chosen;
pub use options::{
    Advection, CurvatureStep, LEAST_QUALITY, NormalMotion, Options, Rule, SLIVER_STEPS,
};
pub use slivers::Slivers;
pub use snapshot::Snapshot;
pub(crate) use stretch::up_to;
pub use stretch::{Advance, Stretch};
pub use terms::{Coefficient, Terms};

use super::eikonal::{self, EikonalState, Slowness, Width};
use crate::Cpu;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::geometry::Real;
use crate::mesh::Mesh;
use crate::patches::{Coordinates, Patches};

/// What one step did.
#[derive(Clone, Copy, Debug)]
pub struct StepInfo {
    /// Steps so far.
    pub step: u64,
    /// Time reached.
    pub time: f64,
    /// Length of this step.
    pub dt: f64,
    /// Largest change of phi per time in the half of the band next to the interface.
    pub rate: f64,
    /// Whether phi was made a distance again at the end of the step.
    pub reinitialized: bool,
}

/// Seconds and work so far, for the report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Seconds in steps.
    pub evolve_seconds: f64,
    /// Seconds in redistancing and band updates.
    pub reinitialize_seconds: f64,
    /// Cell updates of all steps; cells shared by patches count once per patch.
    pub cell_updates: u64,
    /// Redistancings.
    pub reinitializations: u64,
    /// Iterations of the semi-implicit curvature steps.
    pub iterations: u64,
}

/// What an evolution chose by the look of the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Choices {
    /// Cells whose vertices advect by the positive-coefficient scheme because they are too poor for
    /// the Taylor-Galerkin step.
    pub poor_cells: usize,
    /// Whether the curvature step is semi-implicit.
    pub implicit: bool,
    /// Why [`CurvatureStep::Auto`] made it so, if it did.
    pub slivers: Option<Slivers>,
    /// The cell that makes the steps of velocity and normal speed short, if one does.
    pub slow: Option<Slivers>,
}

/// A level-set function in motion.
pub struct Evolution<R: Real> {
    cpu: Arc<Cpu>,
    patches: Arc<Patches>,
    coordinates: Arc<Coordinates<R>>,
    /// Vertices in patch order, where something is evaluated in every step.
    places: Option<Vec<[f64; 3]>>,
    eikonal: EikonalState<R>,
    motion: Motion<R>,
    inflow: Inflow,
    galerkin: Option<Galerkin<R>>,
    implicit: Option<Implicit<R>>,
    /// Why, and how large a typical cell is.
    slivers: Option<Slivers>,
    /// What makes first-order steps short.
    slow: Option<Slivers>,
    /// Inradius that cells have at least for the curvature part of the step.
    least_inradius: R,
    options: Options,
    /// phi^n in patch order.
    phi: Vec<R>,
    /// phi^(n+1) while it is made; equal to `phi` in patches that are not active.
    next: Vec<R>,
    band: Band<R>,
    scratch: cpu::Scratch<R>,
    time: f64,
    step: u64,
    /// How far the interface may have moved since phi was a distance.
    displacement: f64,
    steps_since: u64,
    gone: bool,
    /// An interface may be entering through an inflow boundary.
    enters: bool,
    /// Largest `|phi|` when it last was a distance (half width of the band), or inflow since.
    reach: R,
    /// Why the last step failed, if it did.
    breakdown: Option<Breakdown>,
    totals: Totals,
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
        let mut evolution = Self::at_rest(cpu, mesh, patches, phi, terms, options)?;
        evolution.refresh_all(0.0)?;
        if evolution.options.rule == Rule::Never {
            evolution.update_band();
        } else {
            evolution.reinitialize();
        }
        Ok(evolution)
    }

    /// Everything but a band.
    fn at_rest(
        cpu: Arc<Cpu>,
        mesh: &Mesh,
        patches: Arc<Patches>,
        phi: &[f64],
        terms: &Terms,
        options: Options,
    ) -> Result<Self> {
        check::motion(mesh, terms, &options)?;
        let coordinates = Arc::new(Coordinates::new(mesh, &patches));
        cpu.run(|| coordinates.check(&patches))?;
        let motion = Motion::new(terms, &patches);
        let galerkin = (motion.velocity.is_some()
            && options.advection == Advection::TaylorGalerkin)
            .then(|| cpu.run(|| Galerkin::new(&patches, &coordinates, options.least_quality)));
        let needs_inflow = galerkin.is_some() || terms.inflow.is_some();
        let inflow = match motion.velocity.is_some() && needs_inflow {
            true => cpu.run(|| Inflow::new(&patches, terms.inflow.as_ref())),
            false => Inflow::none(),
        };
        let may_be_implicit =
            motion.curvature.is_some() && options.curvature_step != CurvatureStep::Explicit;
        let first_order = motion.velocity.is_some() || motion.normal_speed.is_some();
        let flattest = (may_be_implicit || first_order)
            .then(|| cpu.run(|| Slivers::find(&patches, &coordinates)));
        let slivers = flattest.filter(|flattest| may_be_implicit && flattest.matter());
        let slow = flattest.filter(|flattest| first_order && flattest.are_slow());
        let implicit = motion.curvature.is_some()
            && (slivers.is_some() || options.curvature_step == CurvatureStep::Implicit);
        let places = (motion.varies() || terms.inflow.is_some())
            .then(|| patches.to_patch_order(&mesh.vertices, |x| x));
        motion.warm(&cpu, &patches, places.as_deref().unwrap_or(&[]));
        let eikonal =
            EikonalState::new(patches.clone(), coordinates.clone(), Slowness::Uniform(R::one()));
        let phi = patches.to_patch_order(phi, R::narrow);
        Ok(Evolution {
            band: Band::unknown(&patches),
            scratch: cpu::Scratch::new(&patches, cpu.threads()),
            implicit: implicit.then(|| Implicit::new(&patches)),
            least_inradius: slivers.map_or(R::zero(), |s| R::narrow(s.typical_inradius)),
            next: phi.clone(),
            phi,
            cpu,
            places,
            motion,
            inflow,
            galerkin,
            slivers,
            slow,
            patches,
            coordinates,
            eikonal,
            options,
            time: 0.0,
            step: 0,
            displacement: 0.0,
            steps_since: 0,
            gone: false,
            enters: false,
            reach: R::zero(),
            breakdown: None,
            totals: Totals::default(),
        }
        .measured())
    }

    /// With the reach of phi as it is.
    fn measured(mut self) -> Self {
        self.measure_reach();
        self
    }

    /// One step of at most `max_dt`, and redistancing if it is due.
    ///
    /// # Errors
    /// [`Error::Numerical`] naming vertex, cell and likely cause (see [`Evolution::breakdown`]) if
    /// a value or a coefficient stops being a finite number, phi grows beyond all bounds, curvature
    /// becomes negative, a step is too short to change the time, or the semi-implicit step does not
    /// converge; also if nothing moves and `max_dt` is infinite. phi then is that of the step
    /// before.
    pub fn step(&mut self, max_dt: f64) -> Result<StepInfo> {
        let start = std::time::Instant::now();
        let Chosen { dt, limited_at } = self.choose_step(max_dt)?;
        if !dt.is_finite() {
            return Err(at_rest_forever(self.step + 1));
        }
        let time = self.time + dt;
        if time == self.time && dt < max_dt {
            return Err(self.lost_step(limited_at, dt));
        }
        self.advance_galerkin(R::narrow(dt));
        let cut = self.explicit_pass(R::narrow(dt));
        self.solve_implicit(R::narrow(dt))?;
        self.apply_inflow(time)?;
        let outcome = self.outcome();
        if let Some(vertex) = outcome.broken {
            let what = What::Phi(self.next[vertex].widen());
            return Err(self.broke_down(what, vertex, time, dt));
        }
        self.enters = self.keep_inflow();
        std::mem::swap(&mut self.phi, &mut self.next);
        self.gone = !cut;
        self.time = time;
        self.step += 1;
        self.steps_since += 1;
        self.displacement += match self.motion.curvature {
            // Curvature has no speed known beforehand: take what was measured.
            Some(_) => outcome.change_near.widen(),
            None => dt * self.band.limits.speed.widen(),
        };
        self.totals.evolve_seconds += start.elapsed().as_secs_f64();
        self.totals.cell_updates += self.band.n_cells as u64;
        let reinitialized = self.is_reinitialization_due();
        if reinitialized {
            self.reinitialize();
        }
        let rate = if dt > 0.0 { outcome.change_near.widen() / dt } else { 0.0 };
        Ok(StepInfo { step: self.step, time: self.time, dt, rate, reinitialized })
    }

    /// Brings all coefficients in the band to time `t`, and the limits of the step with them.
    fn refresh_band(&mut self, t: f64) -> Result<()> {
        let list = std::mem::take(&mut self.band.reading);
        let done = self.refresh(list.list(), t);
        self.band.reading = list;
        done?;
        self.refresh_limits();
        Ok(())
    }

    /// Brings all coefficients everywhere up to date, and finds the inflow.
    fn refresh_all(&mut self, t: f64) -> Result<()> {
        let all: Vec<u32> = (0..self.patches.len() as u32).collect();
        self.refresh(&all, t)?;
        self.follow_inflow();
        Ok(())
    }

    fn refresh(&mut self, list: &[u32], t: f64) -> Result<()> {
        let Some(places) = &self.places else { return Ok(()) };
        let (patches, motion) = (&self.patches, &mut self.motion);
        let broken = self.cpu.run(|| {
            let mut broken = None;
            if let Some(velocity) = &mut motion.velocity {
                let found = velocity.refresh(patches, list, places, t);
                broken = found.map(|v| ("velocity", v));
            }
            if let Some(speed) = &mut motion.normal_speed {
                let found = speed.refresh(patches, list, places, t);
                broken = broken.or(found.map(|v| ("normal_speed", v)));
            }
            if let Some(curvature) = &mut motion.curvature {
                let name = curvature.name();
                let found = curvature.coefficient.refresh(patches, list, places, t);
                broken = broken.or(found.map(|v| (name, v)));
            }
            broken
        });
        if let Some((name, v)) = broken {
            return Err(self.bad_coefficient(name, v, t));
        }
        let Some(curvature) = self.motion.curvature.as_ref().filter(|c| c.coefficient.varies())
        else {
            return Ok(());
        };
        let negative = |&p: &u32| {
            let mut owned = self.patches.patch(p as usize).owned();
            owned.find(|&v| curvature.coefficient.at(v)[0] < R::zero())
        };
        match self.cpu.run(|| list.par_iter().find_map_first(negative)) {
            None => Ok(()),
            Some(v) => Err(self.bad_coefficient(curvature.name(), v, t)),
        }
    }

    fn follow_inflow(&mut self) {
        if let Some(velocity) = &self.motion.velocity {
            self.inflow.follow(&self.patches, &self.coordinates, velocity);
        }
    }

    fn is_reinitialization_due(&self) -> bool {
        match self.options.rule {
            Rule::Never => false,
            // The band must be where an interface comes in.
            _ if self.enters => true,
            // In a band the interface must not run into its edge, whatever the rule.
            Rule::Every(n) => self.steps_since >= n.max(1) as u64 || self.has_crossed_half(),
            Rule::Displacement => self.has_crossed_half(),
            Rule::Published => self.options.half_width.is_some_and(|w| {
                let n = (w / (4.0 * self.band.limits.inradius.widen())).floor().max(1.0);
                self.steps_since as f64 >= n
            }),
        }
    }

    /// Whether the interface may have crossed half the band; never without one.
    fn has_crossed_half(&self) -> bool {
        self.options.half_width.is_some_and(|w| self.displacement >= 0.5 * w)
    }

    /// Makes phi a signed distance (whole domain: from the interface as far as it reaches) and lets
    /// the band follow the interface.
    pub fn reinitialize(&mut self) {
        let start = std::time::Instant::now();
        let width = match self.options.half_width {
            Some(w) => Width::Band(R::narrow(w)),
            None => Width::Whole,
        };
        let near = self.band.near(self.inflow.patches(), &[]);
        let (cpu, state) = (&*self.cpu, &mut self.eikonal);
        let done = eikonal::redistance(cpu, cpu, state, &mut self.phi, near.list(), width);
        debug_assert!(done.is_ok(), "the processor does not fail");
        self.band.give_back(near);
        self.measure_reach();
        self.update_band();
        self.enters = false;
        self.displacement = 0.0;
        self.steps_since = 0;
        self.totals.reinitialize_seconds += start.elapsed().as_secs_f64();
        self.totals.reinitializations += 1;
    }

    /// Time reached.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps so far.
    pub fn n_steps(&self) -> u64 {
        self.step
    }

    /// True once no cell was cut at the start of the last step, unless an inflow that depends on
    /// time may bring an interface in later.
    pub fn is_gone(&self) -> bool {
        (self.gone || self.band.active.is_empty()) && !self.may_enter()
    }

    /// phi in mesh order.
    pub fn phi(&self) -> Vec<f64> {
        self.patches.to_mesh_order(&self.phi, Real::widen)
    }

    /// Whether each vertex moves (lies in the band), in mesh order.
    pub fn band(&self) -> Vec<bool> {
        self.patches.to_mesh_order(&self.band.moving, |moving| moving)
    }

    /// Number of vertices in the band.
    pub fn n_band_vertices(&self) -> usize {
        self.band.n_vertices
    }

    /// Number of patches with a vertex in the band.
    pub fn n_active_patches(&self) -> usize {
        self.band.active.len()
    }

    /// The patches phi lives on.
    pub fn patches(&self) -> &Patches {
        &self.patches
    }

    /// Seconds and work so far.
    pub fn totals(&self) -> Totals {
        let iterations = self.implicit.as_ref().map_or(0, |implicit| implicit.iterations);
        Totals { iterations, ..self.totals }
    }

    /// What was chosen by the look of the mesh.
    pub fn choices(&self) -> Choices {
        Choices {
            poor_cells: self.galerkin.as_ref().map_or(0, |galerkin| galerkin.n_poor_cells),
            implicit: self.implicit.is_some(),
            slivers: self.slivers.filter(|_| self.options.curvature_step == CurvatureStep::Auto),
            slow: self.slow,
        }
    }
}
