//! The argument structs of the program, from which the headers of the kernels are generated.

// The tests use only some of the structs.
#![allow(dead_code)]

#[path = "../../src/levelset/eikonal/cuda/kernel_arguments.rs"]
pub mod eikonal;
#[path = "../../src/levelset/evolution/cuda/kernel_arguments.rs"]
pub mod evolution;
#[path = "../../src/surface/measures/cuda/kernel_arguments.rs"]
pub mod measures;
#[path = "../../src/patches/cuda/kernel_arguments.rs"]
pub mod patches;
#[path = "../../crates/view/src/picture/cuda/kernel_arguments.rs"]
pub mod picture;
#[path = "../../src/reconstruct/potential/cuda/kernel_arguments.rs"]
pub mod potential;
#[path = "../../crates/view/src/render/cuda/kernel_arguments.rs"]
pub mod render;
