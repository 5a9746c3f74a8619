//! What kernels are told of a volume and its surface: `kernels/surface/rows.cuh`.

use zeroset_core::Plain;

use crate::gpu::Argument;

/// `struct Surface` of the kernels.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct SurfaceArgument {
    /// Address of the stored numbers, x fastest.
    pub values: u64,
    /// Bits of the least and the largest number that is inside.
    pub range: [u64; 2],
    /// `[rows][words]` u32: voxels that are inside.
    pub inside: u64,
    /// The same of voxels without a finite value; 0 where all numbers are finite.
    pub missing: u64,
    /// `[rows]` u32.
    pub first_vertex: u64,
    /// `[rows]` u32.
    pub first_triangle: u64,
    /// `[rows][2]` u32: crossings along x, and along x and y.
    pub along: u64,
    /// `[2][tiles]` u64, zero at the start.
    pub told: u64,
    /// One [`Totals`], zero at the start.
    pub totals: u64,
    /// `[3 n]` f64.
    pub vertices: u64,
    /// `[3 n]` f64.
    pub normals: u64,
    /// `[3 n]` u32.
    pub triangles: u64,
    /// Vertices and triangles there is room for.
    pub room: [u64; 2],
    /// The value that the surface has.
    pub level: f64,
    /// Values are `slope * stored + intercept`.
    pub slope: f64,
    /// See `slope`.
    pub intercept: f64,
    /// Where voxel (0, 0, 0) of the layers lies.
    pub origin: [f64; 3],
    /// From voxel to voxel.
    pub steps: [[f64; 3]; 3],
    /// Change of the index with world coordinates.
    pub inverse: [[f64; 3]; 3],
    /// Voxels with values.
    pub shape: [u32; 3],
    /// Voxels with the layers round them.
    pub size: [u32; 3],
    /// Layers: 0 or 1.
    pub layers: u32,
    /// Words of a row.
    pub words: u32,
    /// Lanes of a warp that share a row.
    pub lanes: u32,
    /// Whether there is a slope or an intercept.
    pub is_scaled: u32,
}

// SAFETY: laid out as in C, and compared with the size the kernels know.
unsafe impl Argument for SurfaceArgument {}

/// `struct Totals` of the kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Totals {
    /// Vertices of the surface.
    pub vertices: u64,
    /// Triangles of the surface.
    pub triangles: u64,
    /// Whether a value is not finite.
    pub has_missing: u32,
    /// Of the pass under way.
    pub taken: u32,
}

// SAFETY: numbers only, laid out as in C.
unsafe impl Plain for Totals {}
