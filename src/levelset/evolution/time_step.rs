//! How long the next step is.

use rayon::prelude::*;

use super::breakdown::{Flaw, What};
use super::limits::Limits;
use super::problem::Problem;
use crate::geometry::Real;
use crate::patches::Patches;
use crate::primitives::SparseSet;

/// Largest factor C of the first-order part of the time step beside a semi-implicit curvature term.
pub(super) const LARGEST_CFL: f64 = 2.0;

/// The next step.
pub(super) struct Chosen {
    /// Its length.
    pub dt: f64,
    /// Time at which coefficients allow no longer one.
    pub limited_at: f64,
}

/// What one patch contributes to the band.
#[derive(Clone, Copy)]
pub(super) struct Part<R> {
    pub n_cells: usize,
    pub n_moving: usize,
    pub limits: Limits<R>,
}

/// The patches that bound the length of a step.
pub(super) struct Window<R> {
    /// Patches with a moving vertex, ascending.
    pub active: Vec<u32>,
    /// Active patches, those of a boundary with given inflow, and the neighbors of both, ascending:
    /// those whose coefficients are read.
    reading: SparseSet,
    /// What the cells say about the time step.
    pub limits: Limits<R>,
    /// Memory for a number of each patch.
    pub parts: Vec<Part<R>>,
}

impl<R: Real> Window<R> {
    /// The active patches, with limits still to be found.
    pub fn new(active: Vec<u32>, patches: &Patches) -> Self {
        Window {
            active,
            reading: SparseSet::new(patches.len()),
            limits: Limits::none(),
            parts: Vec::with_capacity(patches.len()),
        }
    }

    /// Lists the patches whose coefficients a step reads, if any varies: the active ones, those of
    /// the inflow, and their neighbors.
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

    /// Length of the next step among the cells with a vertex `inside` (patch order), with
    /// coefficients brought to its middle.
    ///
    /// # Errors
    /// A coefficient with a value it must not have.
    pub fn choose_step(
        &mut self,
        problem: &mut Problem<R>,
        inside: &(impl Fn(usize) -> bool + Sync),
        time: f64,
        max_dt: f64,
    ) -> Result<Chosen, Flaw> {
        let mut limited_at = time;
        if !problem.motion.varies() {
            return Ok(Chosen { dt: self.largest_step(problem).min(max_dt), limited_at });
        }
        self.refresh(problem, inside, time)?;
        let mut dt = self.largest_step(problem).min(max_dt);
        let mut speed = self.limits.speed;
        // What is slow or at rest now may be fast later in a long step: a step must be allowed by
        // what is looked at inside it, its middle last, where coefficients are taken.
        let mut settled = !dt.is_finite();
        while !settled {
            let whole = dt;
            for share in [1.0, 0.382, 0.5] {
                let t = time + share * whole;
                self.refresh(problem, inside, t)?;
                speed = speed.max(self.limits.speed);
                let largest = self.largest_step(problem);
                if largest < dt {
                    (dt, limited_at) = (largest, t);
                }
            }
            // Rounding must not make the search endless.
            settled = dt >= 0.999 * whole;
            if settled {
                dt = whole;
            }
        }
        self.limits.speed = speed;
        problem.follow_inflow();
        Ok(Chosen { dt, limited_at })
    }

    /// Why a step is so short that it changes nothing: what is fastest at the time that made it so.
    pub fn lost_step(
        &mut self,
        problem: &mut Problem<R>,
        inside: &(impl Fn(usize) -> bool + Sync),
        limited_at: f64,
        dt: f64,
    ) -> Flaw {
        if problem.motion.varies()
            && let Err(flaw) = self.refresh(problem, inside, limited_at)
        {
            return flaw;
        }
        let vertex = problem.narrowest(&self.active).unwrap_or(0);
        Flaw { what: What::NoProgress, vertex, time: limited_at, dt }
    }

    /// The step of equation (4), with the factor C.
    fn largest_step(&self, problem: &Problem<R>) -> f64 {
        let limits = &self.limits;
        let cfl = problem.options.cfl;
        if !problem.implicit {
            return cfl * limits.first_order.min(limits.curvature).to_f64();
        }
        let first_order = cfl.min(LARGEST_CFL) * limits.first_order.to_f64();
        first_order.min(cfl * limits.curvature.to_f64())
    }

    /// Brings all coefficients that are read to time `t`, and the limits of the step with them.
    fn refresh(
        &mut self,
        problem: &mut Problem<R>,
        inside: &(impl Fn(usize) -> bool + Sync),
        t: f64,
    ) -> Result<(), Flaw> {
        problem.refresh(self.reading.list(), t)?;
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
