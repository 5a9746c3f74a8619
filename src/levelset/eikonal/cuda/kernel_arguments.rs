//! Arguments of the nbFIM kernels. They use no crate other than `zeroset_gpu`, so that the kernel
//! tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "eikonal_solve", include "common/patches.cuh";

    /// The data of a solve.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct EikonalArgument<R> as Eikonal {
        pub n_patches: u32,
        pub n_vertices: u32,
        pub largest_local: u32,
        pub largest_owned: u32,
        /// Number of repetitions of an update, for triangles.
        pub repetitions: u32,
        /// Number of rounds, or of updates by one block of the queue, after which a solve fails.
        pub most_rounds: u32,
        pub ring_mask: u32,
        /// Number of clock cycles that a block waits for work before it reports a broken queue.
        pub patience: i64,
        /// Width of the band. Values beyond it are not needed. Infinite without a band.
        pub width: R,
        /// A patch waits if its pending value is later than the earliest one by more than this.
        pub near: R,
        /// Slowness if `slowness_of_cells` is null.
        pub slowness: R,
        /// Slowness per cell of a patch, in patch order.
        pub slowness_of_cells: u64 as "const real *",
        /// Metric per cell of a patch, in patch order: six numbers, each `[n_cells]`. Null without
        /// a tensor.
        pub metrics: u64 as "const real *",
        /// Upper limit of the value of each vertex, or null.
        pub caps: u64 as "const real *",
        /// `[n_patches]` longest time along an edge near a patch.
        pub reach: u64 as "const real *",
        /// Shape data per cell of a patch, in patch order.
        pub shapes: u64 as "CellShapes *",
        /// Tetrahedra: values when a patch was last updated, laid out like its coordinates.
        pub seen: u64 as "real *",
        /// `[n_patches + 1]`
        pub wake_offsets: u64 as "const u32 *",
        /// Local index of an owned vertex that another patch reads.
        pub wake_vertices: u64 as "const local_index *",
        /// The patch that reads the vertex.
        pub wake_readers: u64 as "const u32 *",
        /// Two buffers of `[n_vertices]`; the queue uses the first.
        pub u: u64 as "real *",
        /// Two buffers of `[n_patches]`: smallest unprocessed value of each patch.
        pub news: u64 as "real_bits *",
        /// `[n_patches]` round of the list that each patch was last put on.
        pub listed: u64 as "u32 *",
        /// Two buffers of `[n_patches]`.
        pub lists: u64 as "u32 *",
        /// `[3]` number of patches on the list of a round.
        pub counts: u64 as "u32 *",
        /// `[3]` smallest pending value of a round.
        pub first_news: u64 as "real_bits *",
        /// Counter of the grid barrier.
        pub arrived: u64 as "u32 *",
        /// `[n_patches]` state of each patch in the queue.
        pub states: u64 as "u32 *",
        /// `[ring_mask + 1]`
        pub ring: u64 as "u32 *",
        pub queue: u64 as "struct Queue *",
        /// `[n_patches]` list of the patches that were updated.
        pub visited: u64 as "u32 *",
        /// `[n_patches]` number of updates of each patch in this solve.
        pub n_updates: u64 as "u32 *",
        pub stats: u64 as "struct Stats *",
        /// The solve is skipped if this is 0. If null, it is never skipped.
        pub due: u64 as "const u32 *",
        /// `FAILED_*` if the solve failed, else 0.
        pub error: u64 as "u32 *",
    }
}
