// Printed from src/surface/connected_parts/cuda/kernel_arguments.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// What is known of a part; all zero at the start.
struct Part {
    // Largest coordinates as words in the order of numbers.
    u64 high[3];
    // Smallest coordinates likewise; their bits are turned.
    u64 low[3];
    // Six times the volume inside, signed, as a whole number: its order changes no sum.
    u64 volume;
    // Twice the area, likewise.
    u64 area;
    u64 triangles;
};
static_assert(sizeof(Part) == 72, "size of Part");
ASSERT_OFFSET(Part, high, 0);
ASSERT_OFFSET(Part, low, 24);
ASSERT_OFFSET(Part, volume, 48);
ASSERT_OFFSET(Part, area, 56);
ASSERT_OFFSET(Part, triangles, 64);
