//! What the kernels of gaps take; the tests of kernels on the host take this file too.

/// `struct Facets` of the kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct FacetsArgument {
    pub vertices: u64,
    pub corners: u64,
    pub boxes: u64,
    pub n: u32,
    pub n_leaves: u32,
}
