//! What kernels of rays take, laid out as in `kernels/render/`; the tests of kernels on the host take this file too.

/// Levels of a pyramid at most; the kernels state the same.
pub(crate) const LEVELS: usize = 17;

/// `struct Frame` of `kernels/render/frame.cuh`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct FrameArgument {
    pub right: [f64; 3],
    pub up: [f64; 3],
    pub toward: [f64; 3],
    pub lamp: [f64; 3],
    pub scale: f64,
    pub origin: [f64; 2],
    pub front: f64,
    pub middle: [f64; 3],
    pub distance: f64,
    pub perspective: u32,
    pub wide: u32,
    pub tall: u32,
    pub samples: u32,
}

/// `struct Solid` of `kernels/render/solid.cuh`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct SolidArgument {
    pub origin: [f64; 3],
    pub inverse: [[f64; 3]; 3],
    pub offset: f64,
    pub level: f64,
    pub slope: f64,
    pub intercept: f64,
    pub inside: u64,
    pub values: u64,
    pub stored: u32,
    pub scaled: u32,
    pub shape: [u32; 3],
    pub low: [u32; 3],
    pub high: [u32; 3],
    pub holds: u32,
}

/// `struct Guide` of `kernels/render/guide.cuh`.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct GuideArgument {
    pub distances: u64,
    pub pyramid: u64,
    pub sites: u64,
    pub n_sites: u64,
    pub starts: [u64; LEVELS],
    pub cosine: f64,
    pub sine: f64,
    pub levels: u32,
    pub all: u32,
}
