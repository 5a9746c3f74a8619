//! Arguments of the kernels that compare queries with sites. They use no crate other than
//! `zeroset_gpu`, so that the kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "sites", include "common/real.cuh";

    /// The number of threads per block.
    pub(crate) define THREADS: u32 = 128;
    /// The number of sites per tile.
    pub(crate) define TILE: u32 = 256;

    /// The arguments of every comparison of queries with sites. Coordinates have the type `stored`.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct SitesArgument as Sites {
        /// The coordinates of the sites, at most `[n_sites * every]` per axis.
        pub axes: [u64; 3] as "const stored *",
        /// The coordinates of the queries, `[n_queries][3]`.
        pub queries: u64 as "const stored *",
        /// The results: the bitwise complement of key << 32 | site, `[n_queries]`, initially zero.
        /// For 64-bit keys, the complements of key and site of each slice,
        /// `[slices][n_queries][2]`.
        pub found: u64 as "u64 *",
        /// The number of sites that are compared: sites 0, every, 2 every, ...
        pub n_sites: u32,
        pub n_queries: u32,
        /// The number of sites per block, a multiple of TILE.
        pub slice: u32,
        /// The number of blocks that share a slice.
        pub groups: u32,
        pub every: u32,
        /// The index of the first site.
        pub first: u32,
    }

    /// The arguments of a comparison of all pairs. `C` has the size of `stored`.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct BruteArgument<C> as Brute {
        pub sites: SitesArgument,
        /// The origin of the coordinates, which keeps them small, for KEY_F32_ON_LATTICE.
        pub corner: [C; 3] as "stored",
        /// An upper bound on |q|^2 for all queries, for KEY_F32_ON_LATTICE. It makes keys positive,
        /// so that they compare as integers.
        pub shift: f32,
    }

    /// The arguments of a comparison in cones, or in a norm of any order.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct SelectiveArgument as Selective {
        pub sites: SitesArgument,
        /// The unit directions, `[n_directions][3]`.
        pub directions: u64 as "const double *",
        /// The number of directions: one per query, or one for all.
        pub n_directions: u32,
        pub has_cylinder: u32,
        pub order: f64,
        pub cosine: f64,
        pub radius: f64,
    }
}
