//! Kernels on the host: what runs on a device, without one (kernels/README.md).
//!
//! `cargo test --features kernel-host-tests --test kernels`; needs a C++ compiler.
// It takes raw borrows, which are pointers, for borrows.
#![allow(clippy::needless_borrows_for_generic_args)]

mod discriminators;
mod eikonal;
mod evolution;
mod exact_sum;
mod expressions;
mod flow;
mod formulas;
mod galerkin;
mod gaps;
mod histopyramid;
mod implicit;
mod isosurface;
mod layouts;
mod library;
mod lists;
mod measures;
mod nearest;
mod parts;
mod patches;
mod point_distance;
mod points;
mod potential;
mod primitives;
mod random;
mod raster;
mod reconstruct;
mod render;
mod shim;
mod tiles;
mod trees;
mod varying;
