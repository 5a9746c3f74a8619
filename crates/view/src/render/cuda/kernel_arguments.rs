//! What kernels of rays take; the tests of kernels on the host take this file too.

zeroset_gpu::cuda_header! {
    "render", include "render/vector.cuh";

    /// Rays along x of a block: a block has those of a rectangle, its warps those of smaller ones, as their ways are alike.
    pub(crate) define RAYS_WIDE: u32 = 16;
    /// Rays along y.
    pub(crate) define RAYS_TALL: u32 = 8;
    /// Levels of a pyramid at most, above the cubes.
    pub(crate) define PYRAMID_LEVELS: usize = 17;

    /// How far a ray may go without looking.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) define enum Way as RULE {
        /// To the next cube.
        Walk = 0,
        /// By the distance transform.
        Isotropic = 1,
        /// By the nearest cube in the ray's way, found through a pyramid.
        Directional = 2,
        /// By the nearest of all or of those in the ray's way, found by a look at each.
        All = 3,
    }

    /// From the places of a picture to rays.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct FrameArgument as Frame {
        pub right: [f64; 3] = "Triple",
        pub up: [f64; 3] = "Triple",
        pub toward: [f64; 3] = "Triple",
        /// Direction to the lamp along these.
        pub lamp: [f64; 3] = "Triple",
        pub scale: f64,
        pub origin: [f64; 2],
        pub front: f64,
        /// Looked at, in perspective.
        pub middle: [f64; 3] = "Triple",
        /// Of the eye from there.
        pub distance: f64,
        pub perspective: u32,
        /// Rays along x.
        pub wide: u32,
        /// Rays along y.
        pub tall: u32,
        /// Along each side of a pixel.
        pub samples: u32,
    }

    /// What rays look for in a volume.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct SolidArgument as Solid {
        /// Of the first voxel in the world.
        pub origin: [f64; 3] = "Triple",
        /// Change of each index with world coordinates.
        pub inverse: [[f64; 3]; 3] = "Triple",
        /// Index of the voxel volume of what has cube coordinate 0.
        pub offset: f64,
        pub level: f64,
        /// Values are `slope * stored + intercept`.
        pub slope: f64,
        /// See `slope`.
        pub intercept: f64,
        /// Of each cube, x fastest.
        pub inside: u64 as "const u8 *",
        /// Of each voxel; those of voxels as cubes are not needed.
        pub values: u64 as "const void *",
        /// Their type, a number of `Stored`.
        pub stored: u32,
        /// Whether there is a slope or an intercept.
        pub scaled: u32,
        /// Cubes.
        pub shape: [u32; 3],
        /// Box of the cubes that hold something, from here ...
        pub low: [u32; 3],
        /// ... to here.
        pub high: [u32; 3],
        /// Whether a cube does.
        pub holds: u32,
    }

    /// What tells how far a ray may go.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct GuideArgument as SpaceSkipping {
        /// From the middle of each cube to the nearest that holds something.
        pub distances: u64 as "const float *",
        /// Levels one after the other: whether 2 x 2 x 2 fields below hold something.
        pub pyramid: u64 as "const u8 *",
        /// `[n_sites][3]` cubes that hold something.
        pub sites: u64 as "const u32 *",
        pub n_sites: u64,
        /// Of the levels in the pyramid.
        pub starts: [u64; PYRAMID_LEVELS],
        /// Of the cone.
        pub cosine: f64,
        /// Of the cone.
        pub sine: f64,
        pub levels: u32,
        /// Every cube counts.
        pub all: u32,
    }
}
