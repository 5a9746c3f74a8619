//! Motion of an interface: `phi_t + a . grad phi + eps |grad phi| = beta kappa |grad phi|`.
//!
//! The interface is the zero set of phi, the inside is `phi < 0`, and phi = 0 counts as outside
//! (numerics 1). First-order terms use the positive-coefficient scheme of Barth and Sethian as
//! corrected in numerics 2, curvature the finite-element form of numerics 3, time the explicit
//! Euler step of equation (4); Fu et al., sections 2.3, 3.3 and 3.4.
//!
//! Work is done in a narrow band on patches (patchNB): cells with a vertex closer than the half
//! width are active, a vertex none of whose cells is active is frozen, and a patch without moving
//! vertices costs nothing. [`Rule`] says when phi becomes a distance again and the band follows.
//!
//! Each step reads phi^n and writes phi^(n+1), every vertex sums its cells in mesh order, and every
//! reduction is a minimum or maximum: bits do not depend on threads.

mod band;
mod cpu;
pub mod formulas;
mod terms;

use std::sync::Arc;

use band::Band;
pub use terms::{Coefficient, Terms};

use super::eikonal::{self, EikonalState, Slowness, Width};
use crate::backend::Cpu;
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::mesh::Mesh;
use crate::patches::{Coordinates, Patches};

/// When phi is made a signed distance again (numerics 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rule {
    /// Once the interface may have moved by half the half width.
    Displacement,
    /// Every `floor(w / (4 max r))` steps, r the inradii in the band (paper, section 3.4).
    Published,
    /// Every so many steps; in a band also when [`Rule::Displacement`] would.
    Every(usize),
    /// Never; only without a band.
    Never,
}

/// Choices of the evolution that are not physics.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Factor C of the time step (4); 1 by default, above 2 stability is not proven.
    pub cfl: f64,
    /// When to redistance.
    pub rule: Rule,
    /// Half width of the band in mesh units; `None` for the whole domain.
    pub half_width: Option<f64>,
}

impl Options {
    /// Defaults for a band of this half width (mesh units), or the whole domain.
    pub fn new(half_width: Option<f64>) -> Self {
        let rule = if half_width.is_some() { Rule::Displacement } else { Rule::Never };
        Options { cfl: 1.0, rule, half_width }
    }

    /// Sets the rule of reinitialization.
    pub fn with_rule(mut self, rule: Rule) -> Self {
        self.rule = rule;
        self
    }

    /// Sets the factor of the time step.
    pub fn with_cfl(mut self, cfl: f64) -> Self {
        self.cfl = cfl;
        self
    }
}

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
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Seconds in steps.
    pub evolve_seconds: f64,
    /// Seconds in redistancing and band updates.
    pub reinitialize_seconds: f64,
    /// Cell updates of all steps; cells shared by patches count once per patch.
    pub cell_updates: u64,
    /// Redistancings.
    pub reinitializations: u64,
}

/// A level-set function in motion.
pub struct Evolution<R: Real> {
    cpu: Arc<Cpu>,
    patches: Arc<Patches>,
    coordinates: Arc<Coordinates<R>>,
    eikonal: EikonalState<R>,
    velocity: Option<Coefficient<R, 3>>,
    normal_speed: Option<Coefficient<R, 1>>,
    curvature: Option<Coefficient<R, 1>>,
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
    /// size does not fit the scalar.
    pub fn new(
        cpu: Arc<Cpu>,
        mesh: &Mesh,
        patches: Arc<Patches>,
        phi: &[f64],
        terms: &Terms,
        options: Options,
    ) -> Result<Self> {
        check(mesh, phi, terms, &options)?;
        let coordinates = Arc::new(Coordinates::new(mesh, &patches));
        cpu.run(|| coordinates.check(&patches))?;
        let eikonal =
            EikonalState::new(patches.clone(), coordinates.clone(), Slowness::Uniform(R::one()));
        let phi = patches.to_patch_order(phi, R::narrow);
        let term = |zero: bool| (!zero).then_some(());
        let velocity = term(terms.velocity.is_zero());
        let normal_speed = term(terms.normal_speed.is_zero());
        let curvature = term(terms.curvature.is_zero());
        let mut evolution = Evolution {
            velocity: velocity.map(|()| Coefficient::narrow(&terms.velocity, &patches)),
            normal_speed: normal_speed.map(|()| Coefficient::narrow(&terms.normal_speed, &patches)),
            curvature: curvature.map(|()| Coefficient::narrow(&terms.curvature, &patches)),
            band: Band::unknown(&patches),
            scratch: cpu::Scratch::default(),
            next: phi.clone(),
            phi,
            cpu,
            patches,
            coordinates,
            eikonal,
            options,
            time: 0.0,
            step: 0,
            displacement: 0.0,
            steps_since: 0,
            gone: false,
            totals: Totals::default(),
        };
        if evolution.options.rule == Rule::Never {
            evolution.update_band();
        } else {
            evolution.reinitialize();
        }
        Ok(evolution)
    }

    /// One explicit step of at most `max_dt`, and redistancing if it is due.
    ///
    /// # Errors
    /// [`Error::Numerical`] if a value stops being a finite number, or if nothing moves and `max_dt`
    /// is infinite; phi then is that of the step before.
    pub fn step(&mut self, max_dt: f64) -> Result<StepInfo> {
        let start = std::time::Instant::now();
        let dt = (self.options.cfl * self.band.largest_step.widen()).min(max_dt);
        if !dt.is_finite() {
            return Err(Error::Numerical {
                what: format!(
                    "nothing moves in step {}, so its length has no limit",
                    self.step + 1
                ),
                remedy: "give evolve.end_time, or coefficients that are not zero in the band"
                    .into(),
            });
        }
        let outcome = self.advance(R::narrow(dt));
        if let Some(vertex) = outcome.broken {
            return Err(Error::Numerical {
                what: format!(
                    "phi is no longer a finite number at vertex {} in step {} (time {:.6e}, dt {:.3e})",
                    self.patches.mesh_vertices()[vertex],
                    self.step + 1,
                    self.time + dt,
                    dt
                ),
                remedy: "lower evolve.cfl, or check the coefficients there".into(),
            });
        }
        std::mem::swap(&mut self.phi, &mut self.next);
        self.gone = !outcome.cut;
        self.time += dt;
        self.step += 1;
        self.steps_since += 1;
        self.displacement += match self.curvature {
            // Curvature has no speed known beforehand: take what was measured.
            Some(_) => outcome.change_near.widen(),
            None => dt * self.band.largest_speed.widen(),
        };
        self.totals.evolve_seconds += start.elapsed().as_secs_f64();
        self.totals.cell_updates += self.band.n_cells() as u64;
        let reinitialized = self.is_reinitialization_due();
        if reinitialized {
            self.reinitialize();
        }
        let rate = if dt > 0.0 { outcome.change_near.widen() / dt } else { 0.0 };
        Ok(StepInfo { step: self.step, time: self.time, dt, rate, reinitialized })
    }

    fn is_reinitialization_due(&self) -> bool {
        match self.options.rule {
            Rule::Never => false,
            // In a band the interface must not run into its edge, whatever the rule.
            Rule::Every(n) => self.steps_since >= n.max(1) as u64 || self.has_crossed_half(),
            Rule::Displacement => self.has_crossed_half(),
            Rule::Published => self.options.half_width.is_some_and(|w| {
                let n = (w / (4.0 * self.band.largest_inradius.widen())).floor().max(1.0);
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
        eikonal::redistance(&self.cpu, &mut self.eikonal, &mut self.phi, &self.band.active, width);
        self.update_band();
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

    /// True once no cell was cut at the start of the last step.
    pub fn is_gone(&self) -> bool {
        self.gone || self.band.active.is_empty()
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
        self.totals
    }
}

fn check(mesh: &Mesh, phi: &[f64], terms: &Terms, options: &Options) -> Result<()> {
    let n = mesh.n_vertices();
    let length = |what: &str, rows: usize| {
        Err(Error::usage(
            format!("{what} has {rows} rows, the mesh has {n} vertices"),
            "give one row per vertex",
        ))
    };
    if phi.len() != n {
        return length("initial phi", phi.len());
    }
    if let Coefficient::PerVertex(rows) = &terms.velocity
        && rows.len() != n
    {
        return length("velocity", rows.len());
    }
    for (name, term) in [("normal_speed", &terms.normal_speed), ("curvature", &terms.curvature)] {
        if let Coefficient::PerVertex(rows) = term
            && rows.len() != n
        {
            return length(name, rows.len());
        }
    }
    let varies = matches!(terms.velocity, Coefficient::Varying(_))
        || matches!(terms.normal_speed, Coefficient::Varying(_))
        || matches!(terms.curvature, Coefficient::Varying(_));
    if varies {
        return Err(Error::usage(
            "coefficients must not depend on the time t",
            "take constant ones",
        ));
    }
    let negative = match &terms.curvature {
        Coefficient::Uniform([beta]) => (*beta < 0.0).then_some(*beta),
        Coefficient::PerVertex(rows) => rows.iter().map(|r| r[0]).find(|&beta| beta < 0.0),
        Coefficient::Varying(_) => None,
    };
    if let Some(beta) = negative {
        return Err(Error::usage(
            format!(
                "curvature is {beta}, expected 0 or more: negative curvature flow is ill-posed"
            ),
            "change its sign",
        ));
    }
    if options.rule == Rule::Never && options.half_width.is_some() {
        return Err(Error::usage(
            "rule \"never\" with a narrow band would let the interface leave the band",
            "take rule \"displacement\", or half_width = \"whole\"",
        ));
    }
    not_finite("phi", phi.iter().copied())?;
    not_finite("velocity", values(&terms.velocity))?;
    not_finite("normal_speed", values(&terms.normal_speed))?;
    not_finite("curvature", values(&terms.curvature))?;
    not_finite("half_width", options.half_width.into_iter())?;
    if !(options.cfl > 0.0 && options.cfl.is_finite()) {
        return Err(Error::usage(
            format!("cfl is {}, expected more than 0", options.cfl),
            "take 1",
        ));
    }
    let inside = phi.iter().filter(|&&v| v < 0.0).count();
    if inside == 0 || inside == n {
        let side = if inside == 0 { "outside (phi >= 0)" } else { "inside (phi < 0)" };
        return Err(Error::usage(
            format!("the initial phi has no interface: all {n} vertices lie {side}"),
            "move or resize the initial shape so that its boundary crosses the mesh",
        ));
    }
    Ok(())
}

/// All numbers of a coefficient.
fn values<const K: usize>(coefficient: &Coefficient<f64, K>) -> impl Iterator<Item = f64> + '_ {
    let rows: &[[f64; K]] = match coefficient {
        Coefficient::Uniform(value) => std::slice::from_ref(value),
        Coefficient::PerVertex(rows) => rows,
        Coefficient::Varying(_) => &[],
    };
    rows.iter().flatten().copied()
}

fn not_finite(what: &str, mut values: impl Iterator<Item = f64>) -> Result<()> {
    match values.find(|x| !x.is_finite()) {
        None => Ok(()),
        Some(x) => Err(Error::usage(format!("{what} holds {x}"), "give finite numbers")),
    }
}
