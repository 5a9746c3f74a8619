//! What the kernels of directed distances take; the tests of kernels on the host take this file too.

/// `struct Lattice` of `kernels/reconstruct/directed/lattice.cuh`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct LatticeArgument {
    pub center: [f64; 3],
    pub cube: f64,
    pub size: [u32; 3],
    pub bits: [u32; 2],
}

/// `struct Samples` of `kernels/reconstruct/directed/lattice.cuh`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct SamplesArgument {
    pub places: u64,
    pub numbers: u64,
    pub normals: u64,
}

/// `struct Runs` of `kernels/reconstruct/directed/lattice.cuh`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct RunsArgument {
    pub keys: u64,
    pub starts: u64,
    pub n: u64,
}

/// `struct Distances` of `kernels/reconstruct/directed/surface.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct DistancesArgument {
    pub values: u64,
    pub around: u64,
}

/// `struct Surface` of `kernels/reconstruct/directed/surface.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct SurfaceArgument {
    pub places: u64,
    pub normals: u64,
    pub numbers: u64,
    pub near: u64,
    pub names: u64,
    pub without: u64,
    pub n: u64,
}
