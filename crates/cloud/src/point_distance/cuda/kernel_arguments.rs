//! What kernels that compare queries with sites take; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "sites", include "common/real.cuh";

    /// Threads of a block that compares.
    pub(crate) define THREADS: u32 = 128;
    /// Sites of a tile.
    pub(crate) define TILE: u32 = 256;

    /// What every comparison of queries with sites takes; coordinates are of the type `stored`.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct SitesArgument as Sites {
        /// `[n_sites every]`
        pub axes: [u64; 3] as "const stored *",
        /// `[n_queries][3]`
        pub queries: u64 as "const stored *",
        /// `[n_queries]` all bits of key << 32 | site turned round; zero before. Of keys of 64 bits
        /// `[slices][n_queries][2]`, key and site of each slice, turned round.
        pub found: u64 as "u64 *",
        /// Sites are 0, every, 2 every, ...
        pub n_sites: u32,
        pub n_queries: u32,
        /// Sites of a block, a multiple of TILE.
        pub slice: u32,
        /// Blocks that share a slice.
        pub groups: u32,
        pub every: u32,
        /// Number of site 0.
        pub first: u32,
    }

    /// What a comparison of all takes; `C` has the bytes of `stored`.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct BruteArgument<C> as Brute {
        pub sites: SitesArgument,
        /// KEY_F32_ON_LATTICE: what coordinates are taken from, so that they are small.
        pub corner: [C; 3] as "stored",
        /// KEY_F32_ON_LATTICE: at least |q|^2 of any query; positive keys compare as whole numbers.
        pub shift: f32,
    }

    /// What a comparison in cones, or in a norm of any order, takes.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct SelectiveArgument as Selective {
        pub sites: SitesArgument,
        /// `[n_directions][3]` of length 1.
        pub directions: u64 as "const double *",
        /// One for each query, or one for all.
        pub n_directions: u32,
        pub has_cylinder: u32,
        pub order: f64,
        pub cosine: f64,
        pub radius: f64,
    }
}
