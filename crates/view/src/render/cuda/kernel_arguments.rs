//! Arguments of the kernels that follow rays. They use no crate other than `zeroset_gpu`, so that
//! the kernel tests on the host can include this file.

zeroset_gpu::cuda_header! {
    "render", include "render/vector.cuh";

    /// The number of rays of a block along x. A block follows a rectangle of rays, and each warp
    /// follows a smaller rectangle, because neighboring rays have similar paths.
    pub(crate) define RAYS_WIDE: u32 = 16;
    /// The number of rays of a block along y.
    pub(crate) define RAYS_TALL: u32 = 8;
    /// The largest number of levels of a pyramid above the cubes.
    pub(crate) define PYRAMID_LEVELS: usize = 17;

    /// The rule for the length of steps.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) define enum Way as RULE {
        /// Steps to the next cube.
        Walk = 0,
        /// Steps as far as the distance transform allows.
        Isotropic = 1,
        /// Steps up to the nearest cube in the path of the ray, found with a pyramid.
        Directional = 2,
        /// Steps up to the nearest of all cubes, or of those in the path of the ray, found by
        /// examining each cube.
        All = 3,
    }

    /// The map from positions in a picture to rays.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct FrameArgument as Frame {
        pub right: [f64; 3] = "Triple",
        pub up: [f64; 3] = "Triple",
        pub toward: [f64; 3] = "Triple",
        /// The direction to the lamp in these axes.
        pub lamp: [f64; 3] = "Triple",
        pub scale: f64,
        pub origin: [f64; 2],
        pub front: f64,
        /// The point that a perspective view looks at.
        pub middle: [f64; 3] = "Triple",
        /// The distance of the eye from `middle`.
        pub distance: f64,
        pub perspective: u32,
        /// The number of rays along x.
        pub wide: u32,
        /// The number of rays along y.
        pub tall: u32,
        /// The number of rays along each side of a pixel.
        pub samples: u32,
    }

    /// The solid in a volume that rays can hit.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct SolidArgument as Solid {
        /// The world coordinates of the first voxel.
        pub origin: [f64; 3] = "Triple",
        /// The derivative of the indices with respect to world coordinates.
        pub inverse: [[f64; 3]; 3] = "Triple",
        /// The voxel index at cube coordinate 0.
        pub offset: f64,
        pub level: f64,
        /// The slope of the scaling: values are `slope * stored + intercept`.
        pub slope: f64,
        /// The intercept of the scaling.
        pub intercept: f64,
        /// Whether each cube is occupied, x fastest.
        pub inside: u64 as "const u8 *",
        /// The value of each voxel. Not needed if voxels themselves are the cubes.
        pub values: u64 as "const void *",
        /// The number type of the values, a value of `Stored`.
        pub stored: u32,
        /// Whether a slope or an intercept is set.
        pub scaled: u32,
        /// The number of cubes along each axis.
        pub shape: [u32; 3],
        /// The first corner of the box of occupied cubes.
        pub low: [u32; 3],
        /// The last corner of the box of occupied cubes.
        pub high: [u32; 3],
        /// Whether any cube is occupied.
        pub holds: u32,
    }

    /// The data that determine how far a ray may step.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct SpaceSkippingArgument as SpaceSkipping {
        /// The distance from the center of each cube to that of the nearest occupied cube.
        pub distances: u64 as "const float *",
        /// For each level in turn: whether any of the 2 x 2 x 2 nodes below each node is occupied.
        pub pyramid: u64 as "const u8 *",
        /// The occupied cubes, `[n_sites][3]`.
        pub sites: u64 as "const u32 *",
        pub n_sites: u64,
        /// The start of each level in the pyramid.
        pub starts: [u64; PYRAMID_LEVELS],
        /// The cosine of the cone angle.
        pub cosine: f64,
        /// The sine of the cone angle.
        pub sine: f64,
        pub levels: u32,
        /// Whether every cube is a candidate.
        pub all: u32,
    }
}
