//! Distances on simplex meshes: `|grad u| = f`, u = 0 on a source, by nbFIM.
//!
//! The narrow-band fast iterative method on patches of Fu et al. (section 3.2, Algorithm 2), as
//! corrected in numerics 5 and 6. The unknown is the arrival time `u` (the distance where the
//! slowness `f = 1 / speed` is 1), linear on each cell. A vertex takes the smallest of its values
//! and those its cells offer ([`formulas`]); the fixed point of this exists, is unique, and is
//! reached in any order of updates.
//!
//! **Round rule.** Rounding makes the last bits depend on the order after all, so every value read
//! from another patch is the one written in an earlier round: results depend neither on threads
//! nor on the order in which patches are visited.
//!
//! - [`EikonalState`] holds the arrays; [`EikonalState::fix`] and [`EikonalState::seed`] set the source,
//!   [`source`] finds start values around vertices, points and groups.
//! - [`solve`] runs rounds over active patches until none is left.
//! - [`nearest`] solves for several sources and says which one is nearest to each vertex.
//! - [`gradient`] and [`path`] give the direction of the front and the way back to its source.
//! - [`reinitialize`] turns a level-set function into the signed distance to its zero set.

mod cpu;
pub mod cuda;
pub mod formulas;
mod gradient;
mod nearest;
pub mod path;
mod problem;
mod reinitialize;
pub mod source;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use cpu::solve;
pub use gradient::{Gradient, gradient};
pub use nearest::{NO_SOURCE, Nearest, nearest};
pub(crate) use problem::Problem;
pub(crate) use reinitialize::is_cut;
pub use reinitialize::{Width, reinitialize};

use crate::Cpu;
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::patches::{Coordinates, Patches};

/// Default repetitions inside a patch before its neighbours are told: about its diameter in cells.
const INNER_REPETITIONS: usize = 8;

/// Time per length of each cell.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Slowness<R: Real> {
    /// One positive value.
    Uniform(R),
    /// One positive value per mesh cell.
    PerCell(Vec<R>),
}

impl<R: Real> Slowness<R> {
    #[inline]
    fn of(&self, cell: u32) -> R {
        match self {
            Slowness::Uniform(f) => *f,
            Slowness::PerCell(f) => f[cell as usize],
        }
    }
}

/// Shape of the front inside a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Front {
    /// Straight: the arrival time is linear along edges. Right for every source and speed.
    #[default]
    Plane,
    /// A circle round a point source, unrolled over the last edge (numerics 5.5): triangles, one
    /// speed, one point with start value 0 per solve. Exact in the plane.
    Circular,
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Rounds until no patch was active.
    pub rounds: usize,
    /// Patch updates over all rounds.
    pub patch_updates: usize,
    /// Patches that were updated at least once.
    pub visited_patches: usize,
}

/// Arrival times on the patches of a mesh, with what the CPU needs to compute them.
pub struct EikonalState<R: Real> {
    problem: Problem<R>,
    /// Repetitions inside a patch before its neighbours are told.
    inner_repetitions: usize,
    /// Arrival times in patch order; infinite where no front has been.
    u: Vec<R>,
    /// Vertices whose value is given, in patch order.
    fixed: Vec<bool>,
    /// Times beyond which a vertex in patch order takes no value; empty for no such limit.
    caps: Vec<R>,
    /// Patches that hold a given value, in any order, perhaps repeated.
    seeded: Vec<u32>,
    /// Patches updated in the last solve, ascending.
    visited: Vec<u32>,
    scratch: cpu::Scratch<R>,
    /// The solver on a GPU, once one was asked for.
    device: Option<cuda::Solver<R>>,
}

/// What lets fronts run: the CPU, or a GPU.
pub trait EikonalSolver {
    /// [`solve`] there.
    ///
    /// # Errors
    /// [`Error::Device`] if a GPU has too little memory or fails.
    fn solve<R: Real>(&self, state: &mut EikonalState<R>, width: Option<R>) -> Result<Stats>;
}

impl EikonalSolver for Cpu {
    fn solve<R: Real>(&self, state: &mut EikonalState<R>, width: Option<R>) -> Result<Stats> {
        Ok(solve(self, state, width))
    }
}

impl<R: Real> EikonalState<R> {
    /// State without sources.
    pub fn new(
        patches: Arc<Patches>,
        coordinates: Arc<Coordinates<R>>,
        slowness: Slowness<R>,
    ) -> Self {
        let (n, n_patches) = (patches.n_vertices(), patches.len());
        let scratch = cpu::Scratch::new(&patches);
        EikonalState {
            problem: Problem::new(patches, coordinates, slowness),
            inner_repetitions: INNER_REPETITIONS,
            u: vec![R::INFINITY; n],
            fixed: vec![false; n],
            caps: Vec::new(),
            seeded: Vec::with_capacity(n_patches),
            visited: Vec::with_capacity(n_patches),
            scratch,
            device: None,
        }
    }

    /// Sets how often a patch is repeated before its neighbours are told; at least once. Values
    /// depend on it by rounding only, times by about the diameter of a patch in cells.
    pub fn with_inner_repetitions(mut self, n: usize) -> Self {
        self.inner_repetitions = n.max(1);
        self
    }

    /// Sets the shape of the front.
    ///
    /// Values of circular fronts depend on the order of updates by more than rounding where fronts
    /// meet; the round rule fixes that order, so they too have the same bits in every run.
    ///
    /// # Errors
    /// [`Error::Case`] for a circular front on tetrahedra or with a slowness per cell.
    pub fn with_front(mut self, front: Front) -> Result<Self> {
        if front == Front::Circular {
            let wrong = match (self.problem.patches.arity(), &self.problem.slowness) {
                (3, Slowness::Uniform(_)) => None,
                (3, Slowness::PerCell(_)) => Some("the speed differs between cells"),
                _ => Some("its formula is one of triangles, and the mesh has tetrahedra"),
            };
            if let Some(wrong) = wrong {
                let what = format!("the front cannot be circular: {wrong}");
                return Err(Error::usage(what, "take front = \"plane\""));
            }
        }
        self.problem.front = front;
        Ok(self)
    }

    /// The patches this state lives on.
    pub fn patches(&self) -> &Patches {
        &self.problem.patches
    }

    /// Arrival times in patch order; infinite where no front has been.
    pub fn u(&self) -> &[R] {
        &self.u
    }

    /// Arrival times in mesh order.
    pub fn u_in_mesh_order(&self) -> Vec<f64> {
        self.problem.patches.to_mesh_order(&self.u, Real::to_f64)
    }

    /// Patches updated in the last solve, ascending.
    pub fn visited(&self) -> &[u32] {
        &self.visited
    }

    /// Gives the vertices in mesh order a largest arrival time; fronts from elsewhere may lower it.
    pub fn seed(&mut self, values: &[(u32, f64)]) {
        self.set(values, false);
    }

    /// Fixes the arrival times of vertices in mesh order; of several for one vertex the smallest.
    pub fn fix(&mut self, values: &[(u32, f64)]) {
        self.set(values, true);
    }

    fn set(&mut self, values: &[(u32, f64)], fixed: bool) {
        let mut given: Vec<(u32, f64)> = values.to_vec();
        given.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        given.dedup_by_key(|g| g.0);
        let order = self.problem.patches.mesh_vertices();
        for p in 0..self.problem.patches.len() {
            let mut found = false;
            for v in self.problem.patches.patch(p).owned() {
                if let Ok(k) = given.binary_search_by_key(&order[v], |g| g.0) {
                    self.u[v] = self.u[v].min(R::of(given[k].1));
                    self.fixed[v] |= fixed;
                    found = true;
                }
            }
            if found {
                self.seeded.push(p as u32);
            }
        }
    }

    /// Memory for one number per vertex, of any content, that this state needs in a solve only; it
    /// must be given back before the next one.
    pub(crate) fn lend(&mut self) -> Vec<R> {
        std::mem::take(&mut self.scratch.fresh)
    }

    /// Takes back what was lent.
    pub(crate) fn take_back(&mut self, memory: Vec<R>) {
        self.scratch.fresh = memory;
    }

    /// Forgets sources and values; touches only patches that had any.
    pub fn clear(&mut self) {
        for &p in self.visited.iter().chain(&self.seeded) {
            let owned = self.problem.patches.patch(p as usize).owned();
            self.u[owned.clone()].fill(R::INFINITY);
            self.fixed[owned].fill(false);
        }
        self.scratch.forget(&self.problem.patches, &self.visited);
        self.visited.clear();
        self.seeded.clear();
    }
}
