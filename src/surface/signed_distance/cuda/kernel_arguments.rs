//! Arguments of the kernels for signed distances. They use no crate other than `zeroset_gpu`, so
//! that the kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "signed_distance";

    /// A box counts as distant if its center is farther away than this multiple of its radius.
    pub(crate) const FAR: f64 = 3.0;
    /// A point is on a triangle if the terms of its solid angle are below this fraction of the
    /// product of the distances from the corners.
    pub(crate) const ON_TRIANGLE: f64 = 1e-13;
    /// The smallest absolute value of winding numbers that do not tell inside from outside.
    pub(crate) const UNDECIDED_FROM: f64 = 0.2;
    /// The end of the range of these absolute values.
    pub(crate) const UNDECIDED_TO: f64 = 0.8;

    /// A node of a tree of triangles.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct NodeArgument as TreeNode {
        pub low: [f64; 3],
        pub high: [f64; 3],
        /// The range of its triangles, in tree order.
        pub begin: u32,
        pub end: u32,
        /// The second child, or 0 for a leaf. The first child follows the node.
        pub second: u32,
        /// Unused.
        pub padding: u32,
    }

    /// The expansion that replaces the triangles of a distant node.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct DipoleArgument as NodeDipole {
        pub center: [f64; 3],
        pub normal: [f64; 3],
        /// Rows of the first moment.
        pub moment: [[f64; 3]; 3],
        pub radius: f64,
    }

    /// A surface prepared for signed distances.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct SurfaceArgument as SignedSurface {
        /// The tree of the triangles to which distances are measured.
        pub nodes: u64 as "const TreeNode *",
        /// `[n][3][3]`, in tree order
        pub corners: u64 as "const double *",
        /// Unit normals, `[n][3]`, in tree order
        pub normals: u64 as "const double *",
        /// Indices in the mesh, `[n]`, in tree order
        pub names: u64 as "const u32 *",
        /// The tree of the whole surface, which determines winding numbers.
        pub whole_nodes: u64 as "const TreeNode *",
        /// `[n_whole][3][3]`, in tree order
        pub whole_corners: u64 as "const double *",
        pub dipoles: u64 as "const NodeDipole *",
        /// The largest distance of a corner of the box from the origin.
        pub reach: f64,
        /// The distance, relative to the largest coordinate, up to which points are on the surface.
        pub rounding: f64,
        /// The distance up to which the side of a point does not matter.
        pub on: f64,
    }
}
