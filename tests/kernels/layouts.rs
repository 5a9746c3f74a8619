//! What the kernels take: the structs of the program itself, whose sizes the kernels compare with theirs.

#[path = "../../src/primitives/cuda/discriminator/layout.rs"]
pub mod discriminator;
#[path = "../../src/point_distance/edt/cuda/layout.rs"]
pub mod edt;
#[path = "../../src/levelset/eikonal/cuda/layout.rs"]
pub mod eikonal;
#[path = "../../src/levelset/evolution/cuda/layout.rs"]
pub mod evolution;
#[path = "../../src/primitives/cuda/histopyramid/layout.rs"]
pub mod histopyramid;
#[path = "../../src/surface/parts/cuda/layout.rs"]
pub mod parts;
#[path = "../../src/picture/cuda/layout.rs"]
pub mod picture;
#[path = "../../src/point_distance/cuda/layout.rs"]
pub mod point_distance;
#[path = "../../src/points/cuda/layout.rs"]
pub mod points;
#[path = "../../src/reconstruct/potential/cuda/layout.rs"]
pub mod potential;
#[path = "../../src/render/cuda/layout.rs"]
pub mod render;
