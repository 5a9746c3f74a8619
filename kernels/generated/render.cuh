// Generated from crates/view/src/render/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "render/vector.cuh"

// The number of rays of a block along x. A block follows a rectangle of rays, and each warp
// follows a smaller rectangle, because neighboring rays have similar paths.
#define RAYS_WIDE 16u

// The number of rays of a block along y.
#define RAYS_TALL 8u

// The largest number of levels of a pyramid above the cubes.
#define PYRAMID_LEVELS 17

// The rule for the length of steps.
// Steps to the next cube.
#define RULE_WALK 0
// Steps as far as the distance transform allows.
#define RULE_ISOTROPIC 1
// Steps up to the nearest cube in the path of the ray, found with a pyramid.
#define RULE_DIRECTIONAL 2
// Steps up to the nearest of all cubes, or of those in the path of the ray, found by
// examining each cube.
#define RULE_ALL 3

// The map from positions in a picture to rays.
struct Frame {
    Triple right;
    Triple up;
    Triple toward;
    // The direction to the lamp in these axes.
    Triple lamp;
    double scale;
    double origin[2];
    double front;
    // The point that a perspective view looks at.
    Triple middle;
    // The distance of the eye from `middle`.
    double distance;
    u32 perspective;
    // The number of rays along x.
    u32 wide;
    // The number of rays along y.
    u32 tall;
    // The number of rays along each side of a pixel.
    u32 samples;
};
static_assert(sizeof(Frame) == 176, "size of Frame");
ASSERT_OFFSET(Frame, right, 0);
ASSERT_OFFSET(Frame, up, 24);
ASSERT_OFFSET(Frame, toward, 48);
ASSERT_OFFSET(Frame, lamp, 72);
ASSERT_OFFSET(Frame, scale, 96);
ASSERT_OFFSET(Frame, origin, 104);
ASSERT_OFFSET(Frame, front, 120);
ASSERT_OFFSET(Frame, middle, 128);
ASSERT_OFFSET(Frame, distance, 152);
ASSERT_OFFSET(Frame, perspective, 160);
ASSERT_OFFSET(Frame, wide, 164);
ASSERT_OFFSET(Frame, tall, 168);
ASSERT_OFFSET(Frame, samples, 172);

// The solid in a volume that rays can hit.
struct Solid {
    // The world coordinates of the first voxel.
    Triple origin;
    // The derivative of the indices with respect to world coordinates.
    Triple inverse[3];
    // The voxel index at cube coordinate 0.
    double offset;
    double level;
    // The slope of the scaling: values are `slope * stored + intercept`.
    double slope;
    // The intercept of the scaling.
    double intercept;
    // Whether each cube is occupied, x fastest.
    const u8 *inside;
    // The value of each voxel. Not needed if voxels themselves are the cubes.
    const void *values;
    // The number type of the values, a value of `Stored`.
    u32 stored;
    // Whether a slope or an intercept is set.
    u32 scaled;
    // The number of cubes along each axis.
    u32 shape[3];
    // The first corner of the box of occupied cubes.
    u32 low[3];
    // The last corner of the box of occupied cubes.
    u32 high[3];
    // Whether any cube is occupied.
    u32 holds;
};
static_assert(sizeof(Solid) == 192, "size of Solid");
ASSERT_OFFSET(Solid, origin, 0);
ASSERT_OFFSET(Solid, inverse, 24);
ASSERT_OFFSET(Solid, offset, 96);
ASSERT_OFFSET(Solid, level, 104);
ASSERT_OFFSET(Solid, slope, 112);
ASSERT_OFFSET(Solid, intercept, 120);
ASSERT_OFFSET(Solid, inside, 128);
ASSERT_OFFSET(Solid, values, 136);
ASSERT_OFFSET(Solid, stored, 144);
ASSERT_OFFSET(Solid, scaled, 148);
ASSERT_OFFSET(Solid, shape, 152);
ASSERT_OFFSET(Solid, low, 164);
ASSERT_OFFSET(Solid, high, 176);
ASSERT_OFFSET(Solid, holds, 188);

// The data that determine how far a ray may step.
struct SpaceSkipping {
    // The distance from the center of each cube to that of the nearest occupied cube.
    const float *distances;
    // For each level in turn: whether any of the 2 x 2 x 2 nodes below each node is occupied.
    const u8 *pyramid;
    // The occupied cubes, `[n_sites][3]`.
    const u32 *sites;
    u64 n_sites;
    // The start of each level in the pyramid.
    u64 starts[17];
    // The cosine of the cone angle.
    double cosine;
    // The sine of the cone angle.
    double sine;
    u32 levels;
    // Whether every cube is a candidate.
    u32 all;
};
static_assert(sizeof(SpaceSkipping) == 192, "size of SpaceSkipping");
ASSERT_OFFSET(SpaceSkipping, distances, 0);
ASSERT_OFFSET(SpaceSkipping, pyramid, 8);
ASSERT_OFFSET(SpaceSkipping, sites, 16);
ASSERT_OFFSET(SpaceSkipping, n_sites, 24);
ASSERT_OFFSET(SpaceSkipping, starts, 32);
ASSERT_OFFSET(SpaceSkipping, cosine, 168);
ASSERT_OFFSET(SpaceSkipping, sine, 176);
ASSERT_OFFSET(SpaceSkipping, levels, 184);
ASSERT_OFFSET(SpaceSkipping, all, 188);
