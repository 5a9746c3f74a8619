//! Arguments of the kernels that extract the surface of tiles.

zeroset_gpu::cuda_header! {
    "cubes", include "tiles/storage.cuh";

    /// Counts that the host reads, zero at the start.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Found {
        /// Vertices of the surface.
        pub vertices: u64,
        /// Triangles of the surface.
        pub triangles: u64,
        /// Whether phi changes sign between two missing tiles.
        pub is_cut_off: u32,
        /// Zero.
        pub padding: u32,
    }

    /// The surface of tiles.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct TileSurfaceArgument as TileSurface {
        /// phi by tile id, in voxels, `[capacity][E^3]`.
        pub phi: u64 as "const stored *",
        /// Record of the crossings of each tile, `[tiles][RECORD]`.
        pub records: u64 as "u32 *",
        /// Number of vertices in each tile, `[tiles]`.
        pub vertices_of: u64 as "u32 *",
        /// Number of triangles in each tile, `[tiles]`.
        pub triangles_of: u64 as "u32 *",
        /// Index of the first vertex of each tile, then their number, `[tiles + 1]`.
        pub first_vertex: u64 as "u32 *",
        /// Index of the first triangle of each tile, then their number, `[tiles + 1]`.
        pub first_triangle: u64 as "u32 *",
        /// One element, zero at the start.
        pub found: u64 as "Found *",
        /// Vertex positions in world units, `[n][3]`.
        pub vertices: u64 as "double *",
        /// Normalized gradients of phi at the vertices, `[n][3]`, or null.
        pub normals: u64 as "double *",
        /// Vertices of each triangle, `[n][3]`.
        pub triangles: u64 as "u32 *",
        /// The value to which phi is clamped.
        pub gamma: f64,
        /// Distance between voxels.
        pub spacing: f64,
        /// Position of voxel (0, 0, 0).
        pub origin: [f64; 3],
    }
}

/// Returns the number of words that record the crossings of a tile of `edge^3` voxels: one bit per
/// voxel and axis, one count per 32 voxels, one bit per voxel of three faces, and one more count.
pub const fn record_words(edge: usize) -> usize {
    4 * (edge * edge * edge / 32) + 3 * (edge * edge).div_ceil(32) + 1
}
