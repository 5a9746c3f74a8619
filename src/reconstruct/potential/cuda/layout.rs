//! What the kernels take; the tests of kernels on the host take this file too.

/// `struct Frame` of the kernels.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct FrameArgument {
    pub middle: [f64; 3],
    pub voxel: f64,
    pub half: f64,
    pub most: u32,
    pub depth: u32,
}

/// `struct Cells` of the kernels.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct CellsArgument {
    pub keys: u64,
    pub starts: u64,
    pub n: u32,
    pub depth: u32,
    pub samples: u32,
    pub padding: u32,
}

/// `struct Field` of the kernels.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct FieldArgument {
    pub centers: u64,
    pub links: u64,
    pub nodes: u32,
    pub level: u32,
    pub scale: f32,
    pub theta: f32,
    pub square: f32,
    pub share: f32,
    pub stop: f32,
    pub padding: u32,
}
