//! Kernels on the host: what runs on a device, without one (kernels/README.md).
//!
//! `cargo test --features kernel-host-tests --test kernels`; needs a C++ compiler.
// It takes raw borrows, which are pointers, for borrows.
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
mod random;
mod raster;
mod render;
mod shim;
mod tiles;
mod varying;
