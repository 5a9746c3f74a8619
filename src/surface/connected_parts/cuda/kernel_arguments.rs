//! What the kernels of parts take; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "parts";

    /// What is known of a part; all zero at the start.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub(crate) struct Part {
        /// Largest coordinates as words in the order of numbers.
        pub high: [u64; 3],
        /// Smallest coordinates likewise; their bits are turned.
        pub low: [u64; 3],
        /// Six times the volume inside, signed, as a whole number: its order changes no sum.
        pub volume: i64 as "u64",
        /// Twice the area, likewise.
        pub area: u64,
        pub triangles: u64,
    }
}
