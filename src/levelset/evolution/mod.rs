//! Evolution of an interface on a mesh by velocity, normal speed and curvature.
//!
//! The equation is `phi_t + a . grad phi + eps |grad phi| = beta kappa |grad phi|`. In weighted
//! curvature flow, the right-hand side is `|grad phi| div(w grad phi / |grad phi|)` instead. The
//! interface is the zero set of phi. The inside is `phi < 0`, and phi = 0 counts as outside
//! (docs/level-set.md, section 1).
//!
//! - Advection uses a second-order Taylor-Galerkin step (section 2.5 there), or a characteristic
//!   map (section 2.8).
//! - Normal motion uses the positive-coefficient scheme of Barth and Sethian with the corrections
//!   of section 2.2. [`Options`] selects other forms of both.
//! - Curvature uses the finite-element form of section 3, explicit or semi-implicit.
//!
//! All explicit terms start from the same phi^n and are added once. A semi-implicit curvature step
//! starts from the result of the other terms. The time step follows docs/narrow-band.md, equation
//! (4); see also Fu et al., sections 2.3, 3.3 and 3.4.
//!
//! The computation is restricted to a narrow band on patches (patchNB). Cells with a vertex closer
//! to the interface than the half width are active. A vertex without an active cell is frozen, and
//! a patch without moving vertices costs nothing. [`Rule`] determines when phi is reinitialized and
//! the band follows the interface.
//!
//! At the boundary of the mesh, no condition is imposed on normal motion and curvature. For
//! curvature, this is the natural condition: the interface meets the boundary at a right angle.
//! Where the velocity points inward, advection leaves phi unchanged, or [`Terms::with_inflow`]
//! gives the value of phi (docs/level-set.md, section 2.7).
//!
//! A problem consists of a mesh, terms, options and the choices that depend on the mesh. It is the
//! same on every device. [`Evolution`] advances it on the CPU, and its counterpart on a GPU.
//!
//! This example shrinks a circle by its curvature. Its area falls by 2 pi per unit of time:
//!
//! ```
//! use std::sync::Arc;
//! use zeroset::levelset::evolution::{Coefficient, Evolution, Options, Terms};
//! use zeroset::mesh::generate::{Generate, Square, generate};
//! use zeroset::patches::{PATCH_SIZE, Partition, Patches};
//! use zeroset::surface::Measurer;
//!
//! let mut square = Square::default();
//! (square.cells, square.min, square.max) = ([32, 32], [-1.0, -1.0], [1.0, 1.0]);
//! let (mesh, _) = zeroset::mesh::clean(generate(&Generate::Square(square))?)?;
//! let patches = Arc::new(Patches::new(&mesh, Partition::Bisection, PATCH_SIZE)?);
//! let phi: Vec<f64> = mesh.vertices.iter().map(|x| x[0].hypot(x[1]) - 0.6).collect();
//! let terms = Terms::default().with_curvature(Coefficient::Uniform([1.0]));
//! let (cpu, options) = (Arc::new(zeroset::Cpu::new(0)?), Options::new(None));
//! let mut motion = Evolution::<f64>::new(cpu, &mesh, patches, &phi, &terms, options)?;
//! while motion.time() < 0.05 {
//!     motion.step(0.05 - motion.time())?;
//! }
//! let area = Measurer::new(&mesh).measure(&mesh, &motion.phi()).enclosed;
//! assert!((area - std::f64::consts::PI * (0.36 - 0.1)).abs() < 0.02);
//! # Ok::<(), zeroset::Error>(())
//! ```
//!
//! Results do not depend on the number of threads. Each step reads phi^n and writes phi^(n+1),
//! every vertex sums the contributions of its cells in mesh order, and reductions are minima,
//! maxima or sums in patch order.

mod band;
mod breakdown;
mod cell_passes;
mod check;
mod coefficients;
mod compiled;
mod cpu;
#[doc(hidden)]
pub mod cuda;
mod diagnosis;
mod explicit;
mod extrapolation;
pub mod formulas;
mod galerkin;
mod implicit;
mod increments;
mod inflow;
mod limits;
mod map;
mod options;
mod problem;
mod sites;
mod slivers;
mod slope;
mod snapshot;
mod step;
mod step_result;
mod step_search;
mod step_target;
mod terms;
mod time_step;
mod volume;

pub(crate) use breakdown::at_rest_forever;
pub use breakdown::{Breakdown, Cause, What};
pub use cpu::Evolution;
pub use map::MapState;
pub use options::{
    Advection, CurvatureStep, HALO_EDGES, LEAST_SLOPE, NormalMotion, Options, Rule, SLIVER_STEPS,
};
pub use slivers::Slivers;
pub use snapshot::Snapshot;
pub(crate) use step_search::StepSearch;
pub(crate) use step_target::up_to;
pub use step_target::{Advance, StepTarget};
pub use terms::{Coefficient, Terms};

/// The result of one step. Times are in the unit of the case.
#[derive(Clone, Copy, Debug)]
pub struct StepInfo {
    /// The number of steps so far.
    pub step: u64,
    /// The time reached.
    pub time: f64,
    /// The length of this step.
    pub dt: f64,
    /// The largest change in phi per unit of time in the half of the band next to the interface, or
    /// anywhere without a band, in mesh units per time; infinite if there is no interface but one
    /// may still enter.
    pub rate: f64,
    /// Whether phi was reinitialized at the end of the step.
    pub reinitialized: bool,
}

/// The time spent and the work done so far, for the report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// The time spent in steps, in seconds.
    pub evolve_seconds: f64,
    /// The time spent in reinitialization and band updates, in seconds.
    pub reinitialize_seconds: f64,
    /// The number of cell updates in all steps. A cell shared by several patches counts once per
    /// patch.
    pub cell_updates: u64,
    /// The number of reinitializations.
    pub reinitializations: u64,
    /// The number of iterations of the semi-implicit curvature steps.
    pub iterations: u64,
    /// The number of times that the characteristic map began again, because the cells no longer
    /// resolved it.
    pub map_restarts: u64,
}

/// Choices of an evolution that depend on the mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Choices {
    /// The number of cells whose quality is too poor for the Taylor-Galerkin step. Their vertices
    /// use the positive-coefficient scheme.
    pub poor_cells: usize,
    /// Whether the curvature step is semi-implicit.
    pub implicit: bool,
    /// The slivers that made [`CurvatureStep::Auto`] choose a semi-implicit step, if it did.
    pub slivers: Option<Slivers>,
    /// The cell that makes the steps of velocity and normal speed short, if there is one.
    pub slow: Option<Slivers>,
    /// The sizes of the cells, if a large share of them is thin, so that no single cell determines
    /// the time step.
    pub many_thin: Option<Slivers>,
}
