//! Distances on simplex meshes: `|grad u| = f`, u = 0 on a source, solved by nbFIM.
//!
//! nbFIM is the narrow-band fast iterative method on patches of Fu et al. (section 3.2, Algorithm
//! 2), with the corrections of docs/distances.md, sections 5 and 6. The unknown is the arrival time
//! `u`, linear on each cell. Lengths are in mesh units. If the slowness `f = 1 / speed` is 1
//! everywhere, `u` is the distance in mesh units. Otherwise, it is in the unit of time of the
//! speed. A vertex takes the smallest of its current value and the values that its cells offer
//! ([`formulas`]). The fixed point of this iteration exists, is unique, and is reached in any order
//! of updates.
//!
//! **Round rule.** Rounding makes the last bits depend on the order of updates. Every value read
//! from another patch is therefore the one written in an earlier round. Results then depend neither
//! on the number of threads nor on the order in which patches are visited.
//!
//! - [`EikonalState`] holds the arrays. [`EikonalState::fix`] and [`EikonalState::seed`] set the
//!   source, and [`source`] finds initial values around vertices, points and groups.
//! - [`solve`] performs rounds over active patches until none is left.
//! - [`nearest`] solves for several sources and finds the source nearest to each vertex.
//! - [`gradient`] and [`path`] give the direction of the front and the path back to its source.
//! - [`adjoint`] computes derivatives of functions of arrival times by speeds and sources.
//! - [`exact`] computes exact distances on triangles instead, by the propagation of windows.
//! - [`skinny`] counts values that are doubtful because of the shape of triangles.
//! - [`Metric`] describes cells in which the speed depends on the direction.
//! - [`reinitialize`] turns a level-set function into the signed distance to its zero set.
//!
//! This example computes the distance from one vertex of a sphere:
//!
//! ```
//! use std::sync::Arc;
//! use zeroset::levelset::eikonal::{EikonalState, Slowness, solve, source};
//! use zeroset::mesh::generate::{Generate, Sphere, generate};
//! use zeroset::patches::{Coordinates, PATCH_SIZE, Partition, Patches};
//!
//! let (mesh, _) = zeroset::mesh::clean(generate(&Generate::Sphere(Sphere::default()))?)?;
//! let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, PATCH_SIZE)?);
//! let coordinates = Arc::new(Coordinates::new(&mesh, &patches));
//! let mut state = EikonalState::<f64>::new(patches, coordinates, Slowness::Uniform(1.0));
//! state.seed(&source::around_simplices(&mesh, &[0], 1, 0.0, &Slowness::Uniform(1.0)));
//! solve(&zeroset::Cpu::new(0)?, &mut state, None)?;
//!
//! let farthest = state.u_in_mesh_order().into_iter().fold(0.0, f64::max);
//! assert!((farthest - std::f64::consts::PI).abs() < 0.07); // half a great circle
//! # Ok::<(), zeroset::Error>(())
//! ```

pub mod adjoint;
mod cpu;
#[doc(hidden)]
pub mod cuda;
pub mod exact;
pub mod formulas;
mod gradient;
mod isochrones;
mod metric;
mod nearest;
pub mod path;
mod problem;
#[doc(hidden)]
pub mod quadratic;
mod reinitialize;
pub mod skinny;
pub mod source;
#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use cpu::solve;
pub use gradient::{Gradient, gradient, velocity};
pub use isochrones::{Isochrones, MOST_ISOCHRONES, isochrones};
pub use metric::Metric;
pub use nearest::{NO_SOURCE, Nearest, nearest};
pub(crate) use problem::Problem;
pub use reinitialize::{Fit, Width, reinitialize};
pub(crate) use reinitialize::{is_cut, reinitialize_beyond};

use crate::Cpu;
use crate::error::{Error, Result};
use crate::geometry::Real;
use crate::patches::{Coordinates, Patches};

/// The default number of repetitions inside a patch before its neighbors are notified: about the
/// diameter of a patch in cells.
const INNER_REPETITIONS: usize = 8;

/// The slowness (time per mesh unit) of each cell.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Slowness<R: Real> {
    /// One positive value for all cells.
    Uniform(R),
    /// One positive value per mesh cell, `[n_cells]`.
    PerCell(Vec<R>),
    /// One metric per mesh cell, `[n_cells]`, for fronts that are faster in some directions than in
    /// others.
    Tensor(Vec<Metric<R>>),
}

impl<R: Real> Slowness<R> {
    /// Returns the slowness of a cell in the coordinates of [`Slowness::in_cell`].
    #[inline]
    fn of(&self, cell: u32) -> R {
        match self {
            Slowness::Uniform(f) => *f,
            Slowness::PerCell(f) => f[cell as usize],
            Slowness::Tensor(_) => R::one(),
        }
    }
}

/// The shape of the front inside a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Front {
    /// Straight: the arrival time is linear along edges. Valid for every source and speed.
    #[default]
    Plane,
    /// A circle around a point source, unrolled over the last edge (docs/distances.md, section
    /// 5.5). Requires triangles, a uniform speed, and one point with initial value 0 per solve.
    /// Exact in the plane.
    Circular,
}

/// Statistics of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// The number of rounds until no patch was active.
    pub rounds: usize,
    /// The number of patch updates in all rounds.
    pub patch_updates: usize,
    /// The number of patches that were updated at least once.
    pub visited_patches: usize,
}

/// Arrival times on the patches of a mesh, with the memory that the CPU needs to compute them.
pub struct EikonalState<R: Real> {
    problem: Problem<R>,
    /// The number of repetitions inside a patch before its neighbors are notified.
    inner_repetitions: usize,
    /// The arrival times in patch order; infinite where no front has arrived.
    u: Vec<R>,
    /// Whether the value of each vertex is fixed, in patch order.
    fixed: Vec<bool>,
    /// Upper limits of the arrival times in patch order; empty without limits.
    caps: Vec<R>,
    /// The patches with a given value, in any order, possibly repeated.
    seeded: Vec<u32>,
    /// The patches updated in the last solve, in ascending order.
    visited: Vec<u32>,
    scratch: cpu::Scratch<R>,
    /// The arrays for [`Fit::Quadratic`].
    quadratic: Option<Box<quadratic::Quadratic<R>>>,
    /// The solver on a GPU, if one has been used.
    device: Option<cuda::Solver<R>>,
}

/// A device that propagates fronts: the CPU or a GPU.
pub trait EikonalSolver {
    /// Propagates fronts on this device, up to the arrival time `width`; see [`solve`].
    ///
    /// # Errors
    /// Returns [`Error::Numerical`] if values still change after 10,000 rounds plus four per
    /// vertex, and [`Error::Device`] if a GPU has too little memory or fails.
    fn solve<R: Real>(&self, state: &mut EikonalState<R>, width: Option<R>) -> Result<Stats>;
}

impl EikonalSolver for Cpu {
    fn solve<R: Real>(&self, state: &mut EikonalState<R>, width: Option<R>) -> Result<Stats> {
        solve(self, state, width)
    }
}

impl<R: Real> EikonalState<R> {
    /// Creates a state without sources.
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
            quadratic: None,
            device: None,
        }
    }

    /// Sets the number of repetitions inside a patch before its neighbors are notified; at least 1.
    ///
    /// It affects the values of plane fronts only by rounding errors. A good choice for speed is
    /// about the diameter of a patch in cells.
    pub fn with_inner_repetitions(mut self, n: usize) -> Self {
        self.inner_repetitions = n.max(1);
        self
    }

    /// Sets the shape of the front.
    ///
    /// Where circular fronts meet, the order of updates affects their values by more than rounding
    /// errors. The round rule fixes that order, so these values are also bitwise identical in every
    /// run.
    ///
    /// # Errors
    /// Returns [`Error::Case`] for a circular front on tetrahedra or with a slowness per cell or a
    /// tensor.
    pub fn with_front(mut self, front: Front) -> Result<Self> {
        if front == Front::Circular {
            let wrong = match (self.problem.patches.arity(), &self.problem.slowness) {
                (3, Slowness::Uniform(_)) => None,
                (3, Slowness::PerCell(_)) => Some("the speed differs between cells"),
                (3, Slowness::Tensor(_)) => Some("the speed depends on the direction"),
                _ => Some("its formula is for triangles, but the mesh has tetrahedra"),
            };
            if let Some(wrong) = wrong {
                let what = format!("the front cannot be circular: {wrong}");
                return Err(Error::usage(what, "use front = \"plane\""));
            }
        }
        self.problem.front = front;
        Ok(self)
    }

    /// Sets how [`reinitialize`] computes distances from an interface. The slowness must be 1.
    pub(crate) fn with_fit(mut self, fit: Fit) -> Self {
        let patches = &self.problem.patches;
        self.quadratic =
            (fit == Fit::Quadratic).then(|| Box::new(quadratic::Quadratic::new(patches)));
        self
    }

    /// Returns the patches on which the state is defined.
    pub fn patches(&self) -> &Patches {
        &self.problem.patches
    }

    /// Returns the arrival times in patch order, `[n_vertices]`; infinite where no front has
    /// arrived.
    pub fn u(&self) -> &[R] {
        &self.u
    }

    /// Returns the arrival times in mesh order, `[n_vertices]`.
    pub fn u_in_mesh_order(&self) -> Vec<f64> {
        self.problem.patches.to_mesh_order(&self.u, Real::to_f64)
    }

    /// Returns the patches updated in the last solve, in ascending order.
    pub fn visited(&self) -> &[u32] {
        &self.visited
    }

    /// Sets upper bounds on arrival times, given as pairs of a vertex (mesh order) and a time.
    /// Fronts from elsewhere may lower them.
    pub fn seed(&mut self, values: &[(u32, f64)]) {
        self.set(values, false);
    }

    /// Fixes arrival times, given as pairs of a vertex (mesh order) and a time. If several values
    /// are given for a vertex, the smallest counts.
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

    /// Lends a buffer of one number per vertex, with unspecified contents. This state needs the
    /// buffer only during a solve, so it must be returned before the next solve.
    pub(crate) fn lend(&mut self) -> Vec<R> {
        std::mem::take(&mut self.scratch.fresh)
    }

    /// Takes back the buffer from [`Self::lend`].
    pub(crate) fn take_back(&mut self, memory: Vec<R>) {
        self.scratch.fresh = memory;
    }

    /// Removes sources and values; touches only patches that had sources or values.
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
