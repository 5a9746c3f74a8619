//! What kernels are told of the surface of tiles: `kernels/surface/cubes.cu`.

use zeroset_core::Plain;

use crate::gpu::Argument;

/// `struct TileSurface` of the kernels.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct TileSurfaceArgument {
    /// Address of phi by ids.
    pub phi: u64,
    /// `[tiles][record_words(E)]` u32.
    pub records: u64,
    /// `[tiles]` u32.
    pub vertices_of: u64,
    /// `[tiles]` u32.
    pub triangles_of: u64,
    /// `[tiles + 1]` u32.
    pub first_vertex: u64,
    /// `[tiles + 1]` u32.
    pub first_triangle: u64,
    /// One [`Found`], zero at the start.
    pub found: u64,
    /// `[3 n]` f64.
    pub vertices: u64,
    /// `[3 n]` f64, or 0.
    pub normals: u64,
    /// `[3 n]` u32.
    pub triangles: u64,
    /// What phi is clamped to.
    pub gamma: f64,
    /// Distance of voxels.
    pub spacing: f64,
    /// Where voxel (0, 0, 0) lies.
    pub origin: [f64; 3],
}

// SAFETY: laid out as in C, and compared with the size the kernels know.
unsafe impl Argument for TileSurfaceArgument {}

/// `struct Found` of the kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Found {
    /// Vertices of the surface.
    pub vertices: u64,
    /// Triangles of the surface.
    pub triangles: u64,
    /// Whether phi changes its sign between two missing tiles.
    pub is_cut_off: u32,
    /// Zero.
    pub padding: u32,
}

// SAFETY: numbers only, laid out as in C.
unsafe impl Plain for Found {}

/// Words that are kept of the crossings of a tile of `edge^3` voxels: a bit for each axis of a voxel and a count
/// for each 32 of them, a bit for each voxel of three faces, and a count.
pub const fn record_words(edge: usize) -> usize {
    4 * (edge * edge * edge / 32) + 3 * (edge * edge).div_ceil(32) + 1
}
