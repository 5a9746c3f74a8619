//! What the kernel takes; the tests of kernels on the host take this file too.

/// `struct Volume` of `kernels/primitives/predicate.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct VolumeArgument {
    pub samples: u64,
    pub shape: [u32; 2],
    pub n: u64,
    pub origin: [f64; 3],
    pub steps: [[f64; 3]; 3],
    pub slope: f64,
    pub intercept: f64,
}
