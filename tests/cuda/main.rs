//! Compares results computed on a GPU with those computed on the CPU (docs/verification-cuda.md,
//! V43).
//!
//! Without a GPU, every test prints that it was not run and passes, unless `ZEROSET_REQUIRE_CUDA`
//! is 1.
mod discriminators;
mod eikonal;
mod evolution;
mod exchange;
mod expressions;
mod galerkin;
mod implicit;
mod isosurface;
mod large;
mod lists;
mod masked_runs;
mod measures;
mod parity;
mod patch_sizes;
mod point_distance;
mod points;
mod potential;
mod primitives;
mod quadratic;
mod reconstruct;
mod render;
mod run_pictures;
mod signed_distance;
mod support;
mod surface_checks;
mod tiled_files;
mod tiled_runs;
mod tiles;
mod tiles_surface;
mod tiles_volumes;
mod translation;
mod varying;
mod volume;
