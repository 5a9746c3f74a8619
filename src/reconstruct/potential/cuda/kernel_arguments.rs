//! Arguments of the kernels for the potential. They use no crate other than `zeroset_gpu`, so that
//! the kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "potential";

    /// Number of samples that a block sums.
    pub(crate) const SUMMED: usize = 2048;

    /// The cube around a cloud.
    #[derive(Clone, Copy)]
    pub(crate) struct FrameArgument as Frame {
        pub middle: [f64; 3],
        pub voxel: f64,
        /// Half the number of cells along an axis.
        pub half: f64,
        /// Largest index of a cell along an axis.
        pub most: u32,
        pub depth: u32,
    }

    /// Cells of the finest level that contain samples.
    #[derive(Clone, Copy)]
    pub(crate) struct CellsArgument as Cells {
        /// Ascending keys of the samples, `[samples]`.
        pub keys: u64 as "const u64 *",
        /// First sample of each cell, `[n]`.
        pub starts: u64 as "const u32 *",
        pub n: u32,
        pub depth: u32,
        pub samples: u32,
        pub padding: u32,
    }

    /// The octree and the parameters of the sums.
    #[derive(Clone, Copy)]
    pub(crate) struct FieldArgument as Field {
        pub centers: u64 as "const struct Center *",
        pub links: u64 as "const struct Link *",
        pub nodes: u32,
        pub level: u32,
        /// Voxels of the level per finest voxel.
        pub scale: f32,
        pub theta: f32,
        /// Square of the softening, in voxels of the level.
        pub square: f32,
        /// (p - 1) / (p + 1)
        pub share: f32,
        /// Apparent distance of the samples at which a hull stops.
        pub stop: f32,
        pub padding: u32,
    }
}
