//! Kernel argument for a mesh in patches. It uses no crate other than `zeroset_gpu`, so that the
//! kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "patches", include "common/real.cuh";

    /// The patches of a mesh.
    #[derive(Clone, Copy, Debug)]
    pub struct PatchesArgument as Patches {
        pub(crate) n_patches: u32,
        pub(crate) n_vertices: u32,
        /// The starts of each patch, `[n_patches + 1]`.
        pub(crate) starts: u64 as "const struct Start *",
        /// The halo vertices in patch order.
        pub(crate) halo: u64 as "const u32 *",
        /// The corners of the cells of all patches.
        pub(crate) corners: u64 as "const struct Corners *",
        /// For each patch, the positions at which the columns of a vertex begin, `[n_owned + 1]`,
        /// relative to the start of the patch, followed by the columns: 4 * cell + corner,
        /// ascending for each vertex.
        pub(crate) columns: u64 as "const struct Columns *",
        /// The coordinates: those of patch p begin at 3 * local offset, with coordinate c of vertex
        /// v at c * n_local + v.
        pub(crate) x: u64 as "const real *",
    }
}
