//! Runs the kernels on the host, without a GPU (kernels/README.md).
//!
//! Run with `cargo test --test kernels`. A C++ compiler is required.
// The lint mistakes raw borrows, which are pointers, for needless borrows.
#![allow(clippy::needless_borrows_for_generic_args)]

mod eikonal;
mod evolution;
mod exact_sum;
mod expressions;
mod flow;
mod formulas;
mod galerkin;
mod implicit;
mod layouts;
mod library;
mod measures;
mod patches;
mod potential;
mod quadratic;
mod random;
mod raster;
mod render;
mod shim;
mod tiles;
mod varying;
