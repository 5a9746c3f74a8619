//! What kernels are told of a condition; the tests of kernels on the host take this file too.

/// `struct Discriminator` of `kernels/primitives/discriminator.cuh` for an expression over a volume.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct ConditionArgument {
    pub values: u64,
    pub shape: [u32; 3],
    pub origin: [f64; 3],
    pub steps: [[f64; 3]; 3],
    pub slope: f64,
    pub intercept: f64,
}

impl ConditionArgument {
    pub const DISCRIMINATOR: u32 = 4;
}
