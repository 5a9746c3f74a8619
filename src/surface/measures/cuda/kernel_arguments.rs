//! What the kernels of measures take; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "measures", include "common/real.cuh";

    /// What is measured.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct MeasuringArgument as Measuring {
        /// `[n_vertices]`
        pub phi: u64 as "const real *",
        /// What of a cell is counted here, of the cells of all patches.
        pub counted: u64 as "const u16 *",
        /// `[n_vertices]`
        pub names: u64 as "u32 *",
        /// `[n_sums]`
        pub sums: u64 as "struct Sums *",
        pub result: u64 as "struct Sums *",
        /// Blocks of measures_patches and measures_join.
        pub n_sums: u32,
        pub largest_local: u32,
        pub largest_owned: u32,
    }
}
