//! What the kernels take; the tests of kernels on the host take this file too.

/// `struct Drawing` of `kernels/render/raster.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct DrawingArgument {
    pub points: u64,
    pub triangles: u64,
    pub values: u64,
    pub normals: u64,
    pub map: u64,
    pub screen: u64,
    pub low: f64,
    pub high: f64,
    pub solid: [f32; 3],
    pub no_value: [f32; 3],
    pub n_points: u32,
    pub n_triangles: u32,
    pub n_colored: u32,
    pub open: u32,
    pub transparent: u32,
    pub padding: u32,
}
