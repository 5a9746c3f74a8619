//! Arguments of the kernels for connected components. They use no crate other than `zeroset_gpu`,
//! so that the kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "parts";

    /// The extent of a component, zero at the start.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub(crate) struct Part {
        /// Largest coordinates, as words that sort like numbers.
        pub high: [u64; 3],
        /// Smallest coordinates, as inverted words that sort like numbers.
        pub low: [u64; 3],
        /// Six times the signed volume as an integer, so that the order of sums does not matter.
        pub volume: i64 as "u64",
        /// Twice the area as an integer.
        pub area: u64,
        pub triangles: u64,
    }
}
