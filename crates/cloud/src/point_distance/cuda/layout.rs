//! What kernels that compare queries with sites take; the tests of kernels on the host take this file too.

/// `struct Sites` of `kernels/point_distance/sites.cuh`: what both take.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct SitesArgument {
    pub axes: [u64; 3],
    pub queries: u64,
    pub found: u64,
    pub n_sites: u32,
    pub n_queries: u32,
    pub slice: u32,
    pub groups: u32,
    pub every: u32,
    pub first: u32,
}

/// `struct Selective` of `kernels/point_distance/selective.cu`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct SelectiveArgument {
    pub sites: SitesArgument,
    pub directions: u64,
    pub n_directions: u32,
    pub has_cylinder: u32,
    pub order: f64,
    pub cosine: f64,
    pub radius: f64,
}
