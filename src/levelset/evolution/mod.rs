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
//! A problem (mesh, terms, options, and what was chosen by the look of the mesh) is the same on
//! every device; [`Evolution`] moves it on the CPU, [`cuda::DeviceEvolution`] on a GPU.
//!
//! Each step reads phi^n and writes phi^(n+1), every vertex sums its cells in mesh order, and
//! reductions are minima and maxima, or sums in the order of patches: bits do not depend on threads.

mod band;
mod breakdown;
mod check;
mod coefficients;
mod cpu;
pub mod cuda;
mod diagnosis;
mod explicit;
pub mod formulas;
mod galerkin;
mod implicit;
mod increments;
mod inflow;
mod limits;
mod options;
mod outcome;
mod pass;
mod problem;
mod slivers;
mod snapshot;
mod step;
mod step_target;
mod terms;
mod time_step;

pub(crate) use breakdown::at_rest_forever;
pub use breakdown::{Breakdown, Cause, What};
pub use cpu::Evolution;
pub use options::{
    Advection, CurvatureStep, LEAST_QUALITY, NormalMotion, Options, Rule, SLIVER_STEPS,
};
pub use slivers::Slivers;
pub use snapshot::Snapshot;
pub(crate) use step_target::up_to;
pub use step_target::{Advance, StepTarget};
pub use terms::{Coefficient, Terms};

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
    /// Seconds in reinitialization and band updates.
    pub reinitialize_seconds: f64,
    /// Cell updates of all steps; cells shared by patches count once per patch.
    pub cell_updates: u64,
    /// Reinitializations.
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
