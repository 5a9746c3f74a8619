//! What one cell contributes to each term of the evolution (numerics 2 and 3).
//!
//! `phi` are the vertex values, `s` measure and basis gradients of the cell, `g` its gradient of
//! phi. N is the number of vertices, d = N - 1.

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
