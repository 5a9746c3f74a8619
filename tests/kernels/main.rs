//! Kernels on the host: what runs on a device, without one (kernels/README.md).
//!
//! `cargo test --features kernel-host-tests --test kernels`; needs a C++ compiler.

mod eikonal;
mod flow;
mod formulas;
mod library;
mod measures;
mod patches;
mod random;
mod shim;
