//! What the kernels take: the structs of the program itself, of which the headers of the kernels are printed.

// Tests take some of what is there.
#![allow(dead_code)]

#[path = "../../src/levelset/eikonal/cuda/layout.rs"]
pub mod eikonal;
#[path = "../../src/levelset/evolution/cuda/layout.rs"]
pub mod evolution;
#[path = "../../src/surface/measures/cuda/layout.rs"]
pub mod measures;
#[path = "../../src/patches/cuda/layout.rs"]
pub mod patches;
#[path = "../../crates/view/src/picture/cuda/layout.rs"]
pub mod picture;
#[path = "../../src/reconstruct/potential/cuda/layout.rs"]
pub mod potential;
#[path = "../../crates/view/src/render/cuda/layout.rs"]
pub mod render;
