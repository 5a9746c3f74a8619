//! Arguments of the kernels for measures. They use no crate other than `zeroset_gpu`, so that the
//! kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "measures", include "common/real.cuh";

    /// The function and the arrays of its measures.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct MeasuringArgument as Measuring {
        /// `[n_vertices]`
        pub phi: u64 as "const real *",
        /// For each cell of each patch, the parts that the patch counts, as bits.
        pub counted: u64 as "const u16 *",
        /// `[n_vertices]`
        pub names: u64 as "u32 *",
        /// `[n_sums]`
        pub sums: u64 as "struct Sums *",
        pub result: u64 as "struct Sums *",
        /// Number of blocks of measures_patches and measures_join.
        pub n_sums: u32,
        pub largest_local: u32,
        pub largest_owned: u32,
    }
}
