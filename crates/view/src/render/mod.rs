//! Rays through volumes: what each place of a picture shows, found by marching from the eye until
//! something is hit.
//!
//! A [`Solid`] is a set of unit cubes, in units of voxels: the voxels for which a condition holds, or
//! the cubes between eight voxels that the surface at a level passes through. A ray visits cubes
//! in the order it crosses them. What it may leave out is told by a [`SpaceSkipping`], after papers 002,
//! section 5, made safe as numerics 10 says: with `T` the distance from a point to the nearest
//! center of a set of cubes that has all that the ray can meet, nothing is met nearer than
//! `T - sqrt(3)/2`. Where that is less than the way to the border of the cube at hand, the step
//! ends there instead. So **no cube is left out, and every rule finds the same**.
//!
//! - [`Rule::Walk`]: from cube to cube;
//! - [`Rule::Isotropic`]: `T` by the distance transform, from the center of the cube at hand;
//! - [`Rule::Directional`]: `T` of those cubes only that lie in the ray's way, or in a cone around
//!   it, found through a pyramid of the cubes;
//! - [`Rule::PointWise`]: `T` by a look at every cube, as the definition has it.
//!
//! [`Camera`] and [`View`] say where a picture is seen from, a [`Frame`] makes rays of its pixels.
//! All numbers are `f64`, added up in a fixed order: the same bits for any number of threads.

mod camera;
pub mod cuda;
mod frame;
mod grid_traversal;
mod level;
mod light;
mod march;
mod occupancy_pyramid;
mod solid;
mod space_skipping;
#[cfg(test)]
mod tests;
pub(crate) mod vector;

pub(crate) use camera::{Axes, CORNER};
pub use camera::{Camera, View};
pub(crate) use frame::{Extent, Eye};
pub use frame::{Frame, Ray};
pub(crate) use light::Shade;
pub(crate) use march::place;
pub use march::{Counts, Hit, march, shoot};
pub use solid::Solid;
pub use space_skipping::{Rule, SpaceSkipping};
