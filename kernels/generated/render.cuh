// Printed from crates/view/src/render/cuda/kernel_arguments.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"
#include "render/vector.cuh"

// Rays along x of a block: a block has those of a rectangle, its warps those of smaller ones, as their ways are alike.
#define RAYS_WIDE 16u

// Rays along y.
#define RAYS_TALL 8u

// Levels of a pyramid at most, above the cubes.
#define PYRAMID_LEVELS 17

// How far a ray may go without looking.
// To the next cube.
#define RULE_WALK 0
// By the distance transform.
#define RULE_ISOTROPIC 1
// By the nearest cube in the ray's way, found through a pyramid.
#define RULE_DIRECTIONAL 2
// By the nearest of all or of those in the ray's way, found by a look at each.
#define RULE_ALL 3

// From the places of a picture to rays.
struct Frame {
    Triple right;
    Triple up;
    Triple toward;
    // Direction to the lamp along these.
    Triple lamp;
    double scale;
    double origin[2];
    double front;
    // Looked at, in perspective.
    Triple middle;
    // Of the eye from there.
    double distance;
    u32 perspective;
    // Rays along x.
    u32 wide;
    // Rays along y.
    u32 tall;
    // Along each side of a pixel.
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

// What rays look for in a volume.
struct Solid {
    // Of the first voxel in the world.
    Triple origin;
    // Change of each index with world coordinates.
    Triple inverse[3];
    // Index of the voxel volume of what has cube coordinate 0.
    double offset;
    double level;
    // Values are `slope * stored + intercept`.
    double slope;
    // See `slope`.
    double intercept;
    // Of each cube, x fastest.
    const u8 *inside;
    // Of each voxel; those of voxels as cubes are not needed.
    const void *values;
    // Their type, a number of `Stored`.
    u32 stored;
    // Whether there is a slope or an intercept.
    u32 scaled;
    // Cubes.
    u32 shape[3];
    // Box of the cubes that hold something, from here ...
    u32 low[3];
    // ... to here.
    u32 high[3];
    // Whether a cube does.
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

// What tells how far a ray may go.
struct SpaceSkipping {
    // From the middle of each cube to the nearest that holds something.
    const float *distances;
    // Levels one after the other: whether 2 x 2 x 2 fields below hold something.
    const u8 *pyramid;
    // `[n_sites][3]` cubes that hold something.
    const u32 *sites;
    u64 n_sites;
    // Of the levels in the pyramid.
    u64 starts[17];
    // Of the cone.
    double cosine;
    // Of the cone.
    double sine;
    u32 levels;
    // Every cube counts.
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
