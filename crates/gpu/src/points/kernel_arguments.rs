//! What kernels are told of a condition; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "condition", include "primitives/shape.cuh";

    /// An expression over a volume that is neither 0 nor no number, with code printed for it (src/expression/cuda.rs).
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct ConditionArgument as Condition {
        /// Null if the expression has no value.
        pub values: u64 as "const VALUE *",
        pub shape: [u32; 3] = "Shape",
        /// Center of the first voxel.
        pub origin: [f64; 3],
        /// From one to the next along each axis.
        pub steps: [[f64; 3]; 3],
        /// Values are `slope * stored + intercept`.
        pub slope: f64,
        /// See `slope`.
        pub intercept: f64,
    }
}
