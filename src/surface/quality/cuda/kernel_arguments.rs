//! What the kernels of gaps take; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "gaps";

    /// Triangles of a leaf.
    pub(crate) const LEAF: u32 = 4;

    /// Triangles made ready, in the order of the tree.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct FacetsArgument as Facets {
        /// `[n_vertices][3]`
        pub vertices: u64 as "const double *",
        /// `[n][3]`
        pub corners: u64 as "const u32 *",
        /// `[2 n_leaves]`
        pub boxes: u64 as "const struct Box *",
        pub n: u32,
        pub n_leaves: u32,
    }
}
