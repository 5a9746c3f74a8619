//! What the kernels of parts take; the tests of kernels on the host take this file too.

/// `struct Part` of `kernels/surface/parts.cu`: corners of the box as words in the order of numbers, volume and area as whole
/// numbers, and triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub(crate) struct Part {
    pub high: [u64; 3],
    pub low: [u64; 3],
    pub volume: i64,
    pub area: u64,
    pub triangles: u64,
}
