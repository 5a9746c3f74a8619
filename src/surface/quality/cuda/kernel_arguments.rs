//! Arguments of the kernels for distances. They use no crate other than `zeroset_gpu`, so that the
//! kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "gaps";

    /// Triangles per leaf.
    pub(crate) const LEAF: u32 = 4;

    /// The triangles and their boxes, in tree order.
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
