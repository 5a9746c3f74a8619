//! What the kernels take; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "potential";

    /// Samples that a block sums up.
    pub(crate) const SUMMED: usize = 2048;

    /// The cube of a cloud.
    #[derive(Clone, Copy)]
    pub(crate) struct FrameArgument as Frame {
        pub middle: [f64; 3],
        pub voxel: f64,
        /// Cells of half the cube.
        pub half: f64,
        /// Largest number of a cell along an axis.
        pub most: u32,
        pub depth: u32,
    }

    /// Cells of the finest level with samples in them.
    #[derive(Clone, Copy)]
    pub(crate) struct CellsArgument as Cells {
        /// Of samples.
        pub keys: u64 as "const u64 *",
        /// `[n]` first sample of each.
        pub starts: u64 as "const u32 *",
        pub n: u32,
        pub depth: u32,
        pub samples: u32,
        pub padding: u32,
    }

    /// The tree and what is taken of it.
    #[derive(Clone, Copy)]
    pub(crate) struct FieldArgument as Field {
        pub centers: u64 as "const struct Center *",
        pub links: u64 as "const struct Link *",
        pub nodes: u32,
        pub level: u32,
        /// Voxels of the level to a finest voxel.
        pub scale: f32,
        pub theta: f32,
        /// Of the softening, voxels of the level.
        pub square: f32,
        /// (p - 1) / (p + 1)
        pub share: f32,
        /// How far samples seem where a hull rests.
        pub stop: f32,
        pub padding: u32,
    }
}
