//! One step on the CPU, and the reinitialization after it.
//!
//! A step computes the following in this order: the second-order increments of advection
//! ([`increments`](super::increments)), all explicit terms ([`explicit`](super::explicit)), the
//! semi-implicit curvature ([`implicit`](super::implicit)) and the inflow values
//! ([`inflow`](super::inflow)). Finally, it checks the result
//! ([`step_result`](super::step_result)).

use std::time::Instant;

use super::breakdown::{Flaw, What, at_rest_forever};
use super::cell_passes::{Pass, Scratch};
use super::compiled::methods;
use super::cpu::Evolution;
use super::step_result::Outcome;
use super::time_step::Chosen;
use super::{Advance, Rule, StepInfo, StepTarget};
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::geometry::Real;
use crate::levelset::eikonal::{self, Fit, Width};

/// The difference of the mean slope of phi near the interface from 1 at which phi is reinitialized.
const LARGEST_DRIFT: f64 = 0.3;

/// The values of phi that have to be reinitialized.
#[derive(Clone, Copy, PartialEq)]
enum Due<R> {
    Nothing,
    Everything,
    /// Only values of at least this one.
    Outside(R),
}

impl<R: Real> Evolution<R> {
    /// Advances by one step of at most `max_dt`, in the unit of time of the case, and reinitializes
    /// if that is due.
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] with the vertex, the cell and the likely cause (see
    /// [`Evolution::breakdown`]) if a value or coefficient is not finite, phi grows too large, the
    /// curvature coefficient is negative, the step is too short to advance time, or the
    /// semi-implicit step does not converge. Returns [`Error::Numerical`] without a vertex if
    /// nothing moves and `max_dt` is infinite. After an error, phi is still the result of the
    /// previous step.
    pub fn step(&mut self, max_dt: f64) -> Result<StepInfo> {
        (methods().step)(self, max_dt)
    }

    pub(super) fn make_step(&mut self, max_dt: f64) -> Result<StepInfo> {
        let start = Instant::now();
        let before = self.progress.time;
        let chosen = self.band.choose_step(&mut self.problem, before, max_dt);
        let Chosen { dt, limited_at } = self.noted(chosen)?;
        if !dt.is_finite() {
            return Err(at_rest_forever(self.progress.step + 1));
        }
        let time = before + dt;
        if time == before && dt < max_dt {
            let flaw = self.band.lost_step(&mut self.problem, limited_at, dt);
            return self.noted(Err(flaw));
        }
        let made = self.make_next(dt, time);
        let (cut, outcome) = self.noted(made)?;
        self.follow_volume(dt);
        self.accept(dt, cut, &outcome);
        // Without an interface, phi does not change. This is not a steady state if an interface may
        // still enter.
        let waits = !cut && self.problem.may_enter();
        self.progress.totals.evolve_seconds += start.elapsed().as_secs_f64();
        let due = self.due();
        let reinitialized = due != Due::Nothing;
        match due {
            Due::Nothing => {}
            Due::Everything => self.reinitialize_all(),
            Due::Outside(kept) => self.reinitialize_beyond(kept),
        }
        let rate = match (waits, dt > 0.0) {
            (true, _) => f64::INFINITY,
            (_, true) => outcome.change_near.to_f64() / dt,
            (_, false) => 0.0,
        };
        Ok(StepInfo { step: self.progress.step, time, dt, rate, reinitialized })
    }

    /// Advances by one step toward the target, and corrects the volume if the step reaches it. On
    /// the CPU, the caller regains control after each step.
    ///
    /// # Errors
    /// Returns the errors of [`Evolution::step`].
    pub fn advance(&mut self, until: &StepTarget) -> Result<Advance> {
        (methods().advance)(self, until)
    }

    pub(super) fn make_advance(&mut self, until: &StepTarget) -> Result<Advance> {
        let step = self.make_step(until.largest_step())?;
        let done = until.after(step.dt, step.rate);
        if done.landed && !step.reinitialized {
            self.correct_volume();
        }
        Ok(done)
    }

    /// Computes `next` from phi by a step of length `dt` that ends at `time`. Returns whether the
    /// interface cuts a cell at the start of the step, and the effect of the step.
    fn make_next(&mut self, dt: f64, time: f64) -> std::result::Result<(bool, Outcome<R>), Flaw> {
        let Evolution { problem, phi, next, band, scratch, progress, .. } = self;
        let Scratch { cut, outcomes, threads } = scratch;
        let pass = Pass { problem, band, phi, threads };
        let narrow = R::of(dt);
        if let (Some(map), Some(mesh)) = (&mut self.map, &problem.triangulation) {
            let is_cut = problem.cpu.run(|| mesh.is_cut(phi));
            map.advance(problem, mesh, progress.time, dt, next)?;
            return finished(&pass, next, progress.reach, outcomes, (time, dt), is_cut);
        }
        if let (Some(increments), Some(galerkin)) = (&mut self.increments, &problem.galerkin) {
            increments.advance(&pass, galerkin, narrow);
        }
        let is_cut = pass.explicit(self.increments.as_ref(), narrow, next, cut);
        if let Some(implicit) = &mut self.implicit {
            // The eikonal solver does not need this memory between two reinitializations.
            let mut product = self.eikonal.lend();
            let solved = match &mut self.extrapolation {
                Some(extrapolation) => {
                    extrapolation.solve(implicit, &pass, next, &mut product, narrow)
                }
                None => implicit.solve(&pass, next, &mut product, narrow),
            };
            self.eikonal.take_back(product);
            solved.map_err(|(left, vertex)| {
                let dt = narrow.to_f64();
                Flaw { what: What::NoConvergence(left), vertex, time: progress.time + dt, dt }
            })?;
        }
        problem.apply_inflow(time, next, &mut progress.reach)?;
        finished(&pass, next, progress.reach, outcomes, (time, dt), is_cut)
    }

    /// Accepts `next` as phi after a step of length `dt`.
    fn accept(&mut self, dt: f64, cut: bool, outcome: &Outcome<R>) {
        let Evolution { problem, phi, next, band, progress, .. } = self;
        progress.enters = problem.keep_inflow(&band.moving, phi, next);
        std::mem::swap(phi, next);
        if let (Some(map), Some(mesh)) = (&mut self.map, &problem.triangulation) {
            map.accept();
            let begins_again = problem.cpu.run(|| map.follow_resolution(mesh, phi));
            progress.totals.map_restarts += u64::from(begins_again);
        }
        progress.gone = !cut;
        progress.time += dt;
        progress.step += 1;
        progress.steps_since += 1;
        progress.displacement += match problem.motion.curvature {
            // The speed of curvature motion is not known in advance, so the measured change is
            // used.
            Some(_) => {
                outcome.change_near.to_f64().max(problem.spread(band.window.limits.beta) * dt)
            }
            None => dt * band.window.limits.speed.to_f64(),
        };
        progress.totals.cell_updates += band.n_cells as u64;
    }

    /// Returns which values have to be reinitialized.
    fn due(&self) -> Due<R> {
        let (options, progress) = (&self.problem.options, &self.progress);
        // Whether the interface may have moved by half of the half width; never true without a
        // band.
        let has_crossed_half = options.half_width.is_some_and(|w| progress.displacement >= 0.5 * w);
        let is_due = match options.rule {
            Rule::Never => false,
            // The band must follow an interface that enters.
            _ if progress.enters => true,
            Rule::Every(n) if progress.steps_since >= n.max(1) as u64 => true,
            // Even if the number of steps is given, the interface must not reach the edge of the
            // band.
            Rule::Every(_) | Rule::Displacement => {
                let motion = &self.problem.motion;
                let is_carried = motion.normal_speed.is_none() && motion.curvature.is_none();
                let fits = options.fit == Fit::Quadratic;
                if fits && self.has_drifted() {
                    true
                } else if fits && is_carried && has_crossed_half {
                    // A velocity carries phi without changing its zero set, so the values next to
                    // the interface are better than new ones.
                    return Due::Outside(R::of(0.5 * options.half_width.unwrap_or(0.0)));
                } else {
                    has_crossed_half
                }
            }
            Rule::Published => options.half_width.is_some_and(|w| {
                let inradius = self.band.window.limits.inradius.to_f64();
                let n = (w / (4.0 * inradius)).floor().max(1.0);
                progress.steps_since as f64 >= n
            }),
        };
        if is_due { Due::Everything } else { Due::Nothing }
    }

    /// Returns whether the mean slope of phi near the interface differs from 1 by too much. This is
    /// first examined when the interface may have moved by an eighth of the half width.
    fn has_drifted(&self) -> bool {
        let Evolution { problem, band, phi, scratch, progress, .. } = self;
        let Some(w) = problem.options.half_width else { return false };
        if progress.displacement < 0.125 * w {
            return false;
        }
        let pass = Pass { problem, band, phi, threads: &scratch.threads };
        pass.mean_slope(R::of(0.5 * w)).is_some_and(|slope| (slope - 1.0).abs() > LARGEST_DRIFT)
    }

    /// Reinitializes phi and updates the band around the interface.
    ///
    /// Without a band, phi becomes a signed distance function at all vertices that a front from the
    /// interface reaches.
    pub fn reinitialize(&mut self) {
        (methods().reinitialize)(self);
    }

    pub(super) fn reinitialize_all(&mut self) {
        self.reinitialize_beyond(R::zero());
    }

    /// Reinitializes phi where it is at least `kept`.
    fn reinitialize_beyond(&mut self, kept: R) {
        let start = Instant::now();
        let width = match self.problem.options.half_width {
            Some(_) => Width::Band(self.problem.half_width()),
            None => Width::Whole,
        };
        self.before_reinitialization();
        let near = self.band.near(self.problem.inflow.patches(), &[]);
        let (cpu, state) = (&*self.problem.cpu, &mut self.eikonal);
        let phi = &mut self.phi;
        let done = eikonal::reinitialize_beyond(cpu, cpu, state, phi, near.list(), width, kept);
        debug_assert!(done.is_ok(), "reinitialization on the CPU cannot fail");
        self.band.give_back(near);
        self.after_reinitialization();
        self.progress.reach = self.problem.reach(&self.phi);
        self.update_band();
        let progress = &mut self.progress;
        progress.enters = false;
        progress.displacement = 0.0;
        progress.steps_since = 0;
        progress.totals.reinitialize_seconds += start.elapsed().as_secs_f64();
        progress.totals.reinitializations += 1;
    }

    /// Updates the band in the patches of the old band, of the inflow and of the last
    /// reinitialization.
    pub(super) fn update_band(&mut self) {
        let Evolution { problem, phi, next, band, eikonal, .. } = self;
        band.update(problem, phi, next, eikonal.visited());
        self.forget_what_rests();
    }

    /// Clears the increments and directions in all patches that the band update examined, because
    /// patches in the band still read those of neighbors that have left it.
    fn forget_what_rests(&mut self) {
        for &p in self.band.looked_at() {
            let owned = self.problem.patches.patch(p as usize).owned();
            if let Some(increments) = &mut self.increments {
                increments.forget(owned.clone());
            }
            if let Some(implicit) = &mut self.implicit {
                implicit.forget(owned);
            }
        }
    }
}

/// Checks the result of a step of length `dt` that ends at `time`. Returns whether the interface
/// cut a cell at its start, and its effect.
fn finished<R: Real>(
    pass: &Pass<'_, R>,
    next: &[R],
    reach: R,
    outcomes: &mut Vec<Outcome<R>>,
    (time, dt): (f64, f64),
    is_cut: bool,
) -> std::result::Result<(bool, Outcome<R>), Flaw> {
    let outcome = pass.outcome(next, reach, outcomes);
    match outcome.broken {
        None => Ok((is_cut, outcome)),
        Some(vertex) => Err(Flaw { what: What::Phi(next[vertex].to_f64()), vertex, time, dt }),
    }
}
