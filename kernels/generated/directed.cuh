// Generated from src/reconstruct/directed/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The lattice of cubes over a cloud.
struct Lattice {
    double center[3];
    // Edge of a cube, in world units.
    double cube;
    // Number of cubes along each axis.
    u32 size[3];
    // Bits of a tile index along x and y.
    u32 bits[2];
};
static_assert(sizeof(Lattice) == 56, "size of Lattice");
ASSERT_OFFSET(Lattice, center, 0);
ASSERT_OFFSET(Lattice, cube, 24);
ASSERT_OFFSET(Lattice, size, 32);
ASSERT_OFFSET(Lattice, bits, 44);

// Samples in the order of their cubes.
struct Samples {
    // `[n][3]`, positions in lattice units.
    const double *places;
    // `[n]`, indices in the cloud.
    const u32 *numbers;
    // `[n][3]`, normals in the order of the cloud.
    const float *normals;
};
static_assert(sizeof(Samples) == 24, "size of Samples");
ASSERT_OFFSET(Samples, places, 0);
ASSERT_OFFSET(Samples, numbers, 8);
ASSERT_OFFSET(Samples, normals, 16);

// Distinct keys in ascending order.
struct Runs {
    const u64 *keys;
    // `[n + 1]`, the first index of each key in the full list.
    const u32 *starts;
    u64 n;
};
static_assert(sizeof(Runs) == 24, "size of Runs");
ASSERT_OFFSET(Runs, keys, 0);
ASSERT_OFFSET(Runs, starts, 8);
ASSERT_OFFSET(Runs, n, 16);

// The distances of the field and the neighbors of each tile.
struct Distances {
    const float *values;
    const u32 *around;
};
static_assert(sizeof(Distances) == 16, "size of Distances");
ASSERT_OFFSET(Distances, values, 0);
ASSERT_OFFSET(Distances, around, 8);

// The surface and its vertex attributes.
struct Surface {
    // `[n][3]`, positions in world units.
    double *places;
    // `[3][n]`, zero if the sample has no normal.
    double *normals;
    // `[n]`, indices of the samples in the cloud.
    u32 *numbers;
    // `[n]`, whether the sample lies within half a cube edge.
    u8 *near;
    // `[n]`, components of the vertices, not set until there are triangles.
    u32 *names;
    // Becomes 1 if a normal is zero.
    u32 *without;
    u64 n;
};
static_assert(sizeof(Surface) == 56, "size of Surface");
ASSERT_OFFSET(Surface, places, 0);
ASSERT_OFFSET(Surface, normals, 8);
ASSERT_OFFSET(Surface, numbers, 16);
ASSERT_OFFSET(Surface, near, 24);
ASSERT_OFFSET(Surface, names, 32);
ASSERT_OFFSET(Surface, without, 40);
ASSERT_OFFSET(Surface, n, 48);
