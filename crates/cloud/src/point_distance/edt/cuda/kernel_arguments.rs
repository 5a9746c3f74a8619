//! Arguments of the kernels of the distance transform. They use no crate other than `zeroset_gpu`,
//! so that the kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "edt";

    /// The number of voxels per thread in lines that are searched outward.
    pub(crate) define PIECE: usize = 64;

    /// A volume to transform.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct EdtArgument as Edt {
        /// The numbers of voxels along the axes.
        pub shape: [u32; 3],
        /// The number of 32-voxel words per row, rounded up.
        pub words: u32,
        /// The squared ratio of the spacing along x to that along y.
        pub across: f32,
        /// The squared ratio of the spacing along y to that along z.
        pub along: f32,
        /// The spacing along z.
        pub spacing: f64,
        /// The side: 0 measures the distance to voxels inside. 1 measures the distance to voxels
        /// outside, and writes -distance inside.
        pub side: u32,
        /// 1 if the voxels marked 0 count as inside.
        pub to_zeros: u32,
    }

    /// A volume whose distances are measured to the faces between its two sides.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct FacesArgument as Faces {
        /// The numbers of voxels along the axes.
        pub shape: [u32; 3],
        /// The side whose faces are marked: 0 for voxels outside, 1 for voxels inside. The other
        /// side receives the distances.
        pub side: u32,
        /// Whether the distances are negative.
        pub negative: u32,
    }
}
