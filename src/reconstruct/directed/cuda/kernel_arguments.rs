//! What the kernels of directed distances take; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "directed";

    /// Cubes over a cloud.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct LatticeArgument as Lattice {
        pub center: [f64; 3],
        /// Edge of a cube.
        pub cube: f64,
        /// Cubes along each axis.
        pub size: [u32; 3],
        /// Bits of the number of a tile along x and y.
        pub bits: [u32; 2],
    }

    /// Samples in the order of their cubes.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct SamplesArgument as Samples {
        /// `[n][3]` in lattice units.
        pub places: u64 as "const double *",
        /// In the cloud.
        pub numbers: u64 as "const u32 *",
        /// `[n][3]` by these.
        pub normals: u64 as "const float *",
    }

    /// Keys in ascending order, each once.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct RunsArgument as Runs {
        pub keys: u64 as "const u64 *",
        /// `[n + 1]` where each begins in the list it was taken from.
        pub starts: u64 as "const u32 *",
        pub n: u64,
    }

    /// What is there of a tile.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct DistancesArgument as Distances {
        pub values: u64 as "const float *",
        pub around: u64 as "const u32 *",
    }

    /// What a surface takes over.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct SurfaceArgument as Surface {
        /// `[n][3]` in world units.
        pub places: u64 as "double *",
        /// `[3][n]` zero where the sample has none.
        pub normals: u64 as "double *",
        /// `[n]` of the samples in the cloud.
        pub numbers: u64 as "u32 *",
        /// `[n]` whether the sample lies within half the edge of a cube.
        pub near: u64 as "u8 *",
        /// `[n]` of the pieces; no piece until there are triangles.
        pub names: u64 as "u32 *",
        /// Becomes 1 if a normal is zero.
        pub without: u64 as "u32 *",
        pub n: u64,
    }
}
