//! Kernels on the host: what runs on a device, without one (kernels/README.md).
//!
//! `cargo test --features kernel-host-tests --test kernels`; needs a C++ compiler.

mod eikonal;
mod evolution;
mod exact_sum;
mod expressions;
mod flow;
mod formulas;
mod galerkin;
mod implicit;
mod library;
mod measures;
mod patches;
mod primitives;
mod random;
mod shim;
mod varying;
