//! Arguments of the kernels that extract the surface of a volume.

zeroset_gpu::cuda_header! {
    "isosurface";

    /// Counts that the host reads, zero at the start.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Totals {
        /// Vertices of the surface.
        pub vertices: u64,
        /// Triangles of the surface.
        pub triangles: u64,
        /// Whether a value is not finite.
        pub has_missing: u32,
        /// Number of tiles of rows that have been started.
        pub taken: u32,
    }

    /// A dense volume and its surface.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct SurfaceArgument as Surface {
        /// Address of the stored numbers, `[shape[2]][shape[1]][shape[0]]`.
        pub values: u64,
        /// Bits of the smallest and the largest number that is inside.
        pub range: [u64; 2],
        /// One bit per voxel, set if it is inside, `[rows][words]`.
        pub inside: u64 as "u32 *",
        /// One bit per voxel, set if its value is not finite, `[rows][words]`, or null.
        pub missing: u64 as "u32 *",
        /// Index of the first vertex of each row of voxels, `[rows]`.
        pub first_vertex: u64 as "u32 *",
        /// Index of the first triangle of each row of voxels, `[rows]`.
        pub first_triangle: u64 as "u32 *",
        /// Number of crossings in each row along x, and along x or y, `[rows][2]`.
        pub along: u64 as "u32 *",
        /// Vertex and triangle sums that tiles of rows share, `[2][tiles]`, zero at the start.
        pub told: u64 as "u64 *",
        /// One element, zero at the start.
        pub totals: u64 as "Totals *",
        /// Vertex positions in world units, `[n][3]`.
        pub vertices: u64 as "double *",
        /// Normalized gradients of phi at the vertices, `[n][3]`, or null.
        pub normals: u64 as "double *",
        /// Vertices of each triangle, `[n][3]`.
        pub triangles: u64 as "u32 *",
        /// Capacity in vertices and triangles.
        pub room: [u64; 2],
        /// The level of the surface.
        pub level: f64,
        /// Values are `slope * stored + intercept`.
        pub slope: f64,
        /// See `slope`.
        pub intercept: f64,
        /// Position of voxel (0, 0, 0), counted with the layers.
        pub origin: [f64; 3],
        /// Steps from voxel to voxel.
        pub steps: [[f64; 3]; 3],
        /// Derivatives of the index with respect to world coordinates.
        pub inverse: [[f64; 3]; 3],
        /// Number of voxels with values.
        pub shape: [u32; 3],
        /// Number of voxels including the layers around them.
        pub size: [u32; 3],
        /// Number of layers: 0 or 1.
        pub layers: u32,
        /// Words per row.
        pub words: u32,
        /// Lanes of a warp that share a row, a power of two.
        pub lanes: u32,
        /// Whether a slope or an intercept applies.
        pub is_scaled: u32,
    }
}
