// Generated from src/patches/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "common/real.cuh"

// The patches of a mesh.
struct Patches {
    u32 n_patches;
    u32 n_vertices;
    // The starts of each patch, `[n_patches + 1]`.
    const struct Start *starts;
    // The halo vertices in patch order.
    const u32 *halo;
    // The corners of the cells of all patches.
    const struct Corners *corners;
    // For each patch, the positions at which the columns of a vertex begin, `[n_owned + 1]`,
    // relative to the start of the patch, followed by the columns: 4 * cell + corner,
    // ascending for each vertex.
    const struct Columns *columns;
    // The coordinates: those of patch p begin at 3 * local offset, with coordinate c of vertex
    // v at c * n_local + v.
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
