//! What kernels take of a mesh in patches; the tests of kernels on the host take this file too.

/// `struct Patches` of `kernels/common/patches.cuh`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PatchesArgument {
    pub(crate) n_patches: u32,
    pub(crate) n_vertices: u32,
    pub(crate) starts: u64,
    pub(crate) halo: u64,
    pub(crate) corners: u64,
    pub(crate) columns: u64,
    pub(crate) x: u64,
}
