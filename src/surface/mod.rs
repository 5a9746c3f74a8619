//! Surfaces and curves: the zero set of a level-set function, level-set functions of given surfaces
//! and curves, and closest points of a mesh ([`Locator`]).
//!
//! phi is linear on each cell. Its zero set is therefore a segment in a cut triangle, and a
//! triangle or a quadrilateral in a cut tetrahedron ([`extract`], [`Measurer`]). The inside is `phi
//! < 0`, and phi = 0 counts as outside.
//!
//! In the other direction, [`TriangleIndex`] computes the signed distance to a surface of
//! triangles, and [`PlaneCurves`] the signed distance to curves in the plane. [`sides`] determines
//! which vertices of a surface lie on which side of curves drawn on it.

mod boundary_edges;
mod boundary_loops;
mod bvh;
mod closest_point;
pub(crate) mod connected_parts;
mod contours;
mod crossings;
pub mod cubes;
mod cuda;
mod curve_distance;
mod decimation;
mod drawn_curves;
mod envelope;
mod extrusion;
mod flat_triangles;
mod holes;
mod isosurface;
mod lattice_distance;
mod measures;
mod orientation;
mod quality;
mod repaired;
mod separation;
mod shared_faces;
mod signed_distance;
mod smooth;
mod solid;
mod trim;
mod voxels;
mod winding;

pub use crate::mesh::interface::{Interface, extract};
pub(crate) use bvh::{Tree, box_of};
pub use closest_point::{Located, Locator};
#[doc(hidden)]
pub use connected_parts::cuda::DeviceParts;
pub use connected_parts::{Extent, Parts, largest_part};
pub use contours::Pixels;
#[doc(hidden)]
pub use cuda::DeviceSurface;
pub use curve_distance::PlaneCurves;
pub use decimation::{Decimation, DecimationTarget, decimate};
pub use drawn_curves::{Side, Sides, sides};
pub use envelope::Envelope;
pub use extrusion::Extrusion;
pub use flat_triangles::drop_flat;
pub use holes::{FilledHoles, HoleSize, fill_holes};
#[doc(hidden)]
pub use isosurface::cuda::{
    DeviceIsosurface, DeviceNumber, SurfaceArgument, Totals as SurfaceTotals,
    cases as surface_cases, isosurface_between, isosurface_on,
};
pub use isosurface::{Options as IsosurfaceOptions, isosurface};
pub use lattice_distance::{Filled, LatticeDistance};
#[doc(hidden)]
pub use measures::cuda::{DeviceMeasurer, counted};
pub use measures::{Measurer, Measures};
pub(crate) use measures::{share, share_gradient};
pub use orientation::{Orientation, Outward, orient, orient_outward};
#[doc(hidden)]
pub use quality::cuda::gaps_on;
pub use quality::{Gaps, Hole, Topology};
pub use repaired::{Repaired, repaired};
pub use separation::{Pieces, Separation};
use shared_faces::shared_faces;
pub use signed_distance::{Closest, SignedDistances, TriangleIndex, UNDECIDED};
#[doc(hidden)]
pub use signed_distance::{DeviceResults, DeviceTriangleIndex};
pub use smooth::smooth;
pub use solid::{Solid, doubts};
pub use trim::{Trimmed, trim};
pub use voxels::Voxels;
