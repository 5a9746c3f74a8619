// Generated from src/surface/connected_parts/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The extent of a component, zero at the start.
struct Part {
    // Largest coordinates, as words that sort like numbers.
    u64 high[3];
    // Smallest coordinates, as inverted words that sort like numbers.
    u64 low[3];
    // Six times the signed volume as an integer, so that the order of sums does not matter.
    u64 volume;
    // Twice the area as an integer.
    u64 area;
    u64 triangles;
};
static_assert(sizeof(Part) == 72, "size of Part");
ASSERT_OFFSET(Part, high, 0);
ASSERT_OFFSET(Part, low, 24);
ASSERT_OFFSET(Part, volume, 48);
ASSERT_OFFSET(Part, area, 56);
ASSERT_OFFSET(Part, triangles, 64);
