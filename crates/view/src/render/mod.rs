//! Ray casting through volumes: each position in a picture shows what a ray from the eye hits
//! first.
//!
//! A [`Solid`] is a set of unit cubes, in units of voxels. They are either the voxels that satisfy
//! a condition, or the cubes between eight voxels through which the surface at a level passes. A
//! ray visits cubes in the order in which it crosses them. A [`SpaceSkipping`] determines which
//! cubes the ray can skip, following N. Khan and M. Zahran, section 5. Its step rules were made
//! safe as described in docs/pictures.md, "How far rays step". Let `T` be the distance from a point
//! to the nearest center of a set of cubes that contains everything the ray can hit. Then the ray
//! hits nothing nearer than `T - sqrt(3)/2`. If that is less than the distance to the boundary of
//! the current cube, the step ends at the boundary instead. Therefore, **no cube is missed, and
//! every rule finds the same hits**.
//!
//! - [`Rule::Walk`]: from cube to cube.
//! - [`Rule::Isotropic`]: `T` from the distance transform, measured from the center of the current
//!   cube.
//! - [`Rule::Directional`]: `T` for only those cubes that lie in the path of the ray, or in a cone
//!   around it, found with a pyramid of the cubes.
//! - [`Rule::PointWise`]: `T` for all cubes or those of [`Rule::Directional`], found by examining
//!   every cube.
//!
//! [`Camera`] and [`View`] describe from where a picture is seen, and a [`Frame`] converts its
//! pixels to rays. All numbers are `f64`, added in a fixed order, so that results are bitwise
//! identical for any number of threads.

mod camera;
#[doc(hidden)]
pub mod cuda;
mod grid_traversal;
mod level_crossing;
mod light;
mod march;
mod occupancy_pyramid;
mod projection;
mod solid_cubes;
mod space_skipping;
#[cfg(test)]
mod tests;
pub(crate) mod vector;

pub(crate) use camera::{Axes, CORNER};
pub use camera::{Camera, View};
pub(crate) use light::Shade;
pub(crate) use march::place;
pub use march::{Counts, Hit, march, shoot};
pub(crate) use projection::{Extent, Eye};
pub use projection::{Frame, Ray};
pub use solid_cubes::Solid;
pub use space_skipping::{Rule, SpaceSkipping};
