//! Arguments of the kernels for directed distances. They use no crate other than `zeroset_gpu`, so
//! that the kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "directed";

    /// The lattice of cubes over a cloud.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct LatticeArgument as Lattice {
        pub center: [f64; 3],
        /// Edge of a cube, in world units.
        pub cube: f64,
        /// Number of cubes along each axis.
        pub size: [u32; 3],
        /// Bits of a tile index along x and y.
        pub bits: [u32; 2],
    }

    /// Samples in the order of their cubes.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct SamplesArgument as Samples {
        /// `[n][3]`, positions in lattice units.
        pub places: u64 as "const double *",
        /// `[n]`, indices in the cloud.
        pub numbers: u64 as "const u32 *",
        /// `[n][3]`, normals in the order of the cloud.
        pub normals: u64 as "const float *",
    }

    /// Distinct keys in ascending order.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct RunsArgument as Runs {
        pub keys: u64 as "const u64 *",
        /// `[n + 1]`, the first index of each key in the full list.
        pub starts: u64 as "const u32 *",
        pub n: u64,
    }

    /// The distances of the field and the neighbors of each tile.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct DistancesArgument as Distances {
        pub values: u64 as "const float *",
        pub around: u64 as "const u32 *",
    }

    /// The surface and its vertex attributes.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct SurfaceArgument as Surface {
        /// `[n][3]`, positions in world units.
        pub places: u64 as "double *",
        /// `[3][n]`, zero if the sample has no normal.
        pub normals: u64 as "double *",
        /// `[n]`, indices of the samples in the cloud.
        pub numbers: u64 as "u32 *",
        /// `[n]`, whether the sample lies within half a cube edge.
        pub near: u64 as "u8 *",
        /// `[n]`, components of the vertices, not set until there are triangles.
        pub names: u64 as "u32 *",
        /// Becomes 1 if a normal is zero.
        pub without: u64 as "u32 *",
        pub n: u64,
    }
}
