//! What kernels take of a mesh in patches; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "patches", include "common/real.cuh";

    /// Patches of a mesh.
    #[derive(Clone, Copy, Debug)]
    pub struct PatchesArgument as Patches {
        pub(crate) n_patches: u32,
        pub(crate) n_vertices: u32,
        /// `[n_patches + 1]`
        pub(crate) starts: u64 as "const struct Start *",
        /// Vertices in patch order.
        pub(crate) halo: u64 as "const u32 *",
        /// Of the cells of all patches.
        pub(crate) corners: u64 as "const struct Corners *",
        /// Of each patch `[n_owned + 1]` where the columns of a vertex begin, counted from here, and then those: 4 * t + k,
        /// ascending for each vertex.
        pub(crate) columns: u64 as "const struct Columns *",
        /// Of patch p from 3 * local offset on, coordinate c of vertex v at c * n_local + v.
        pub(crate) x: u64 as "const real *",
    }
}
