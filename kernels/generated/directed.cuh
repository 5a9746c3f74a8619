// Printed from src/reconstruct/directed/cuda/kernel_arguments.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// Cubes over a cloud.
struct Lattice {
    double center[3];
    // Edge of a cube.
    double cube;
    // Cubes along each axis.
    u32 size[3];
    // Bits of the number of a tile along x and y.
    u32 bits[2];
};
static_assert(sizeof(Lattice) == 56, "size of Lattice");
ASSERT_OFFSET(Lattice, center, 0);
ASSERT_OFFSET(Lattice, cube, 24);
ASSERT_OFFSET(Lattice, size, 32);
ASSERT_OFFSET(Lattice, bits, 44);

// Samples in the order of their cubes.
struct Samples {
    // `[n][3]` in lattice units.
    const double *places;
    // In the cloud.
    const u32 *numbers;
    // `[n][3]` by these.
    const float *normals;
};
static_assert(sizeof(Samples) == 24, "size of Samples");
ASSERT_OFFSET(Samples, places, 0);
ASSERT_OFFSET(Samples, numbers, 8);
ASSERT_OFFSET(Samples, normals, 16);

// Keys in ascending order, each once.
struct Runs {
    const u64 *keys;
    // `[n + 1]` where each begins in the list it was taken from.
    const u32 *starts;
    u64 n;
};
static_assert(sizeof(Runs) == 24, "size of Runs");
ASSERT_OFFSET(Runs, keys, 0);
ASSERT_OFFSET(Runs, starts, 8);
ASSERT_OFFSET(Runs, n, 16);

// What is there of a tile.
struct Distances {
    const float *values;
    const u32 *around;
};
static_assert(sizeof(Distances) == 16, "size of Distances");
ASSERT_OFFSET(Distances, values, 0);
ASSERT_OFFSET(Distances, around, 8);

// What a surface takes over.
struct Surface {
    // `[n][3]` in world units.
    double *places;
    // `[3][n]` zero where the sample has none.
    double *normals;
    // `[n]` of the samples in the cloud.
    u32 *numbers;
    // `[n]` whether the sample lies within half the edge of a cube.
    u8 *near;
    // `[n]` of the pieces; no piece until there are triangles.
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
