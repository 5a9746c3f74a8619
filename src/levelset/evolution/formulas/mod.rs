//! Contributions of one cell to each term of the evolution (docs/level-set.md, sections 2 and 3).
//!
//! `phi` are the vertex values, `s` holds the measure and the basis gradients of the cell, and `g`
//! is the gradient of phi in the cell. N is the number of vertices, and d = N - 1.
//!
//! phi and all lengths are in mesh units, so gradients have no unit. Measures are in mesh units to
//! the power d, speeds in mesh units per time, and curvature coefficients in mesh units squared per
//! time. Arrays of N values have one value for each vertex of the cell.

mod curvature;
mod galerkin;
mod monotone;
mod step;
mod upwind;

pub use curvature::{curvature, stiffness};
pub use galerkin::{mass_product, residual};
pub use monotone::{cone, hopf_lax};
pub use step::{largest_diffusive_step, largest_step};
pub use upwind::{Shares, advection, flux, normal_speed};
