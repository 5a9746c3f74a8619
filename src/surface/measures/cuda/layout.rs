//! What the kernels of measures take; the tests of kernels on the host take this file too.

/// `struct Measuring` of `kernels/measures.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct MeasuringArgument {
    pub phi: u64,
    pub counted: u64,
    pub names: u64,
    pub sums: u64,
    pub result: u64,
    pub n_sums: u32,
    pub largest_local: u32,
    pub largest_owned: u32,
}
