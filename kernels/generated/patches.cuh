// Printed from src/patches/cuda/kernel_arguments.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"
#include "common/real.cuh"

// Patches of a mesh.
struct Patches {
    u32 n_patches;
    u32 n_vertices;
    // `[n_patches + 1]`
    const struct Start *starts;
    // Vertices in patch order.
    const u32 *halo;
    // Of the cells of all patches.
    const struct Corners *corners;
    // Of each patch `[n_owned + 1]` where the columns of a vertex begin, counted from here, and then those: 4 * t + k,
    // ascending for each vertex.
    const struct Columns *columns;
    // Of patch p from 3 * local offset on, coordinate c of vertex v at c * n_local + v.
    const real *x;
};
static_assert(sizeof(Patches) == 48, "size of Patches");
ASSERT_OFFSET(Patches, n_patches, 0);
ASSERT_OFFSET(Patches, n_vertices, 4);
ASSERT_OFFSET(Patches, starts, 8);
ASSERT_OFFSET(Patches, halo, 16);
ASSERT_OFFSET(Patches, corners, 24);
ASSERT_OFFSET(Patches, columns, 32);
ASSERT_OFFSET(Patches, x, 40);
