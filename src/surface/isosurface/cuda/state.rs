//! What kernels are told of a volume and its surface.

zeroset_gpu::cuda_header! {
    "isosurface";

    /// What the program looks at; zero at the start.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Totals {
        /// Vertices of the surface.
        pub vertices: u64,
        /// Triangles of the surface.
        pub triangles: u64,
        /// Whether a value is not finite.
        pub has_missing: u32,
        /// Tiles of rows, in the pass under way.
        pub taken: u32,
    }

    /// A dense volume and its surface.
    #[derive(Clone, Copy, Debug, Default)]
    pub struct SurfaceArgument as Surface {
        /// Address of the stored numbers, `[shape[2]][shape[1]][shape[0]]`.
        pub values: u64,
        /// Bits of the least and the largest number that is inside.
        pub range: [u64; 2],
        /// `[rows][words]` voxels that are inside.
        pub inside: u64 as "u32 *",
        /// The same of voxels without a finite value; null where all numbers are finite.
        pub missing: u64 as "u32 *",
        /// `[rows]`
        pub first_vertex: u64 as "u32 *",
        /// `[rows]`
        pub first_triangle: u64 as "u32 *",
        /// `[rows][2]` crossings along x, and along x and y.
        pub along: u64 as "u32 *",
        /// `[2][tiles]` what tiles of rows tell each other, zero at the start.
        pub told: u64 as "u64 *",
        /// One, zero at the start.
        pub totals: u64 as "Totals *",
        /// `[n][3]`
        pub vertices: u64 as "double *",
        /// `[n][3]`
        pub normals: u64 as "double *",
        /// `[n][3]`
        pub triangles: u64 as "u32 *",
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
        /// Lanes of a warp that share a row: a power of two.
        pub lanes: u32,
        /// Whether there is a slope or an intercept.
        pub is_scaled: u32,
    }
}
