//! What the kernels take; the tests of kernels on the host take this file too.

/// `struct Edt` of `kernels/point_distance/edt.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct EdtArgument {
    pub shape: [u32; 3],
    pub words: u32,
    pub across: f32,
    pub along: f32,
    pub spacing: f64,
    pub side: u32,
}
