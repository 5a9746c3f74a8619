//! What kernels are told of discriminators; the tests of kernels on the host take this file too.
//!
//! Each is `struct Discriminator` of `kernels/primitives/discriminator.cuh` in one of its variants, which
//! `DISCRIMINATOR` chooses there: addresses, and cells along x, y and z.

/// Bytes of `low` or more.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct BytesArgument {
    pub values: u64,
    pub shape: [u32; 3],
    pub low: u32,
}

impl BytesArgument {
    pub const DISCRIMINATOR: u32 = 0;
}

/// Values between two.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct WithinArgument {
    pub values: u64,
    pub shape: [u32; 3],
    pub low: f64,
    pub high: f64,
}

impl WithinArgument {
    pub const DISCRIMINATOR: u32 = 1;
}

/// A gradient of this size or more.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct EdgeArgument {
    pub values: u64,
    pub shape: [u32; 3],
    pub low: f64,
    pub spacing: [f64; 3],
}

impl EdgeArgument {
    pub const DISCRIMINATOR: u32 = 2;
}

/// Few differences from a template.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct TemplateArgument {
    pub values: u64,
    pub shape: [u32; 3],
    pub wanted: u64,
    pub size: [u32; 3],
    pub most: f64,
}

impl TemplateArgument {
    pub const DISCRIMINATOR: u32 = 3;
}

/// Bits that are set.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct BitsArgument {
    pub words: u64,
    pub shape: [u32; 3],
}

impl BitsArgument {
    pub const DISCRIMINATOR: u32 = 5;
}
