//! Chooses the length of the next step.

use super::breakdown::{Flaw, What};
use super::limits::Limits;
use super::problem::Problem;
use super::step_search::StepSearch;
use super::step_target::up_to;
use crate::expression::{Sampling, TimeSpan};
use crate::geometry::Real;
use crate::parallel::*;
use crate::patches::Patches;
use crate::primitives::SparseSet;

/// The largest CFL factor of the first-order limit in combination with a semi-implicit curvature
/// term.
pub(super) const LARGEST_CFL: f64 = 2.0;

/// The next step.
pub(super) struct Chosen {
    /// The length of the step.
    pub dt: f64,
    /// The time at which the coefficients limit the step to this length.
    pub limited_at: f64,
}

/// The contribution of one patch to the band.
#[derive(Clone, Copy)]
pub(super) struct Part<R> {
    pub n_cells: usize,
    pub n_moving: usize,
    pub limits: Limits<R>,
}

/// The patches that limit the length of a step.
pub(super) struct Window<R> {
    /// The patches with a moving vertex, in ascending order.
    pub active: Vec<u32>,
    /// The patches whose coefficients are read, in ascending order: the active patches, the patches
    /// of a boundary with given inflow, and the neighbors of both. Empty if no coefficient depends
    /// on time.
    reading: SparseSet,
    /// The limits that the cells put on the time step.
    pub limits: Limits<R>,
    /// Scratch memory for the contributions of the patches.
    pub parts: Vec<Part<R>>,
}

impl<R: Real> Window<R> {
    /// Creates a window of the active patches. Its limits are not known yet.
    pub fn new(active: Vec<u32>, patches: &Patches) -> Self {
        Window {
            active,
            reading: SparseSet::new(patches.len()),
            limits: Limits::none(),
            parts: Vec::with_capacity(patches.len()),
        }
    }

    /// Lists the patches whose coefficients a step reads, if any coefficient varies: the active
    /// patches, the boundary patches if inflow values are given, and the neighbors of both.
    pub fn read(&mut self, problem: &Problem<R>) {
        self.reading.clear();
        if !problem.motion.varies() {
            return;
        }
        for &p in self.active.iter().chain(problem.inflow.boundary_patches()) {
            self.reading.extend([p]);
            self.reading.extend(problem.patches.neighbors(p as usize).iter().copied());
        }
        self.reading.sort();
    }

    /// Returns the length of the next step, and evaluates the coefficients for it: at its midpoint,
    /// or as means over the step where they change noticeably.
    ///
    /// The cells with a vertex that is `inside` (patch order) limit the step.
    ///
    /// # Errors
    /// Returns a [`Flaw`] if a coefficient has an invalid value.
    pub fn choose_step(
        &mut self,
        problem: &mut Problem<R>,
        inside: &(impl Fn(usize) -> bool + Sync),
        time: f64,
        max_dt: f64,
    ) -> Result<Chosen, Flaw> {
        if !problem.motion.varies() {
            return Ok(Chosen { dt: self.largest_step(problem).min(max_dt), limited_at: time });
        }
        // No step can be longer than the one that the coefficients at its start allow.
        self.refresh(problem, inside, Sampling::At(time))?;
        let most = up_to(problem.options.max_step, max_dt);
        let longest = most.min(self.largest_step(problem));
        if !longest.is_finite() {
            return Ok(Chosen { dt: longest, limited_at: time });
        }
        let span = |dt: f64| TimeSpan { start: time, end: time + dt };
        let mut search = StepSearch::new(longest);
        let dt = loop {
            self.refresh(problem, inside, Sampling::Bound(span(search.trial())))?;
            if let Some(dt) = search.learn(self.largest_step(problem)) {
                break dt;
            }
        };
        let middle = time + 0.5 * dt;
        self.refresh(problem, inside, Sampling::Mean(span(dt), middle))?;
        problem.follow_velocity(self.reading.list());
        // If a coefficient jumps, its value after the jump limits the step.
        Ok(Chosen { dt, limited_at: time + search.too_long() })
    }

    /// Returns the failure for a step that is too short to advance time. Its vertex belongs to the
    /// cell that limits the step most with the coefficients at time `limited_at`. If a coefficient
    /// is invalid at that time, returns the failure for this coefficient instead.
    pub fn lost_step(
        &mut self,
        problem: &mut Problem<R>,
        inside: &(impl Fn(usize) -> bool + Sync),
        limited_at: f64,
        dt: f64,
    ) -> Flaw {
        if problem.motion.varies()
            && let Err(flaw) = self.refresh(problem, inside, Sampling::At(limited_at))
        {
            return flaw;
        }
        let vertex = problem.narrowest(&self.active).unwrap_or(0);
        Flaw { what: What::NoProgress, vertex, time: limited_at, dt }
    }

    /// Returns the time step from docs/narrow-band.md, equation (4), including the CFL factor.
    fn largest_step(&self, problem: &Problem<R>) -> f64 {
        let limits = &self.limits;
        let cfl = problem.options.cfl;
        if !problem.implicit {
            return cfl * limits.first_order.min(limits.curvature).to_f64();
        }
        let first_order = cfl.min(LARGEST_CFL) * limits.first_order.to_f64();
        first_order.min(cfl * limits.curvature.to_f64())
    }

    /// Evaluates, bounds or averages the coefficients in all patches of `reading`, as `sampling`
    /// specifies, and updates the limits on the step.
    fn refresh(
        &mut self,
        problem: &mut Problem<R>,
        inside: &(impl Fn(usize) -> bool + Sync),
        sampling: Sampling,
    ) -> Result<(), Flaw> {
        problem.refresh(self.reading.list(), sampling)?;
        let problem = &*problem;
        let part = |&p: &u32| {
            let limits = problem.limits_of_patch(p as usize, inside);
            Part { n_cells: 0, n_moving: 0, limits }
        };
        let Window { active, parts, .. } = self;
        problem.cpu.run(|| active.par_iter().map(part).collect_into_vec(parts));
        self.limits = match self.active.is_empty() {
            true => problem.limits_at_inflow(),
            false => self.parts.iter().fold(Limits::none(), |all, part| all.and(part.limits)),
        };
        Ok(())
    }
}
