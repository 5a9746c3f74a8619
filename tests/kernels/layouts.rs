//! What the kernels take: the structs of the program itself, of which the headers of the kernels are printed.

// Tests take some of what is there.
#![allow(dead_code)]

#[path = "../../src/reconstruct/directed/cuda/layout.rs"]
pub mod directed;
#[path = "../../crates/gpu/src/primitives/discriminator/layout.rs"]
pub mod discriminator;
#[path = "../../crates/cloud/src/point_distance/edt/cuda/layout.rs"]
pub mod edt;
#[path = "../../src/levelset/eikonal/cuda/layout.rs"]
pub mod eikonal;
#[path = "../../src/levelset/evolution/cuda/layout.rs"]
pub mod evolution;
#[path = "../../src/surface/quality/cuda/layout.rs"]
pub mod gaps;
#[path = "../../crates/gpu/src/primitives/histopyramid/layout.rs"]
pub mod histopyramid;
#[path = "../../src/surface/measures/cuda/layout.rs"]
pub mod measures;
#[path = "../../src/surface/parts/cuda/layout.rs"]
pub mod parts;
#[path = "../../src/patches/cuda/layout.rs"]
pub mod patches;
#[path = "../../crates/view/src/picture/cuda/layout.rs"]
pub mod picture;
#[path = "../../crates/cloud/src/point_distance/cuda/layout.rs"]
pub mod point_distance;
#[path = "../../crates/gpu/src/points/layout.rs"]
pub mod points;
#[path = "../../src/reconstruct/potential/cuda/layout.rs"]
pub mod potential;
#[path = "../../crates/view/src/render/cuda/layout.rs"]
pub mod render;
