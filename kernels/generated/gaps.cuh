// Generated from src/surface/quality/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// Triangles per leaf.
enum : u32 { LEAF = 4u };

// The triangles and their boxes, in tree order.
struct Facets {
    // `[n_vertices][3]`
    const double *vertices;
    // `[n][3]`
    const u32 *corners;
    // `[2 n_leaves]`
    const struct Box *boxes;
    u32 n;
    u32 n_leaves;
};
static_assert(sizeof(Facets) == 32, "size of Facets");
ASSERT_OFFSET(Facets, vertices, 0);
ASSERT_OFFSET(Facets, corners, 8);
ASSERT_OFFSET(Facets, boxes, 16);
ASSERT_OFFSET(Facets, n, 24);
ASSERT_OFFSET(Facets, n_leaves, 28);
