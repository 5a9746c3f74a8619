//! What the kernels take; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "edt";

    /// Voxels of a line in a thread, of lines that are near.
    pub(crate) define PIECE: usize = 64;

    /// A volume whose voxels are measured from.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct EdtArgument as Edt {
        /// Voxels.
        pub shape: [u32; 3],
        /// Of 32 voxels in a row, rounded up.
        pub words: u32,
        /// Square of the spacing of x in that of y.
        pub across: f32,
        /// Square of the spacing of y in that of z.
        pub along: f32,
        /// Of z.
        pub spacing: f64,
        /// 0 measures to voxels inside; 1 to those outside, and writes -distance inside.
        pub side: u32,
    }
}
