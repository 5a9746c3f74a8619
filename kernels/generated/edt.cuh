// Printed from crates/cloud/src/point_distance/edt/cuda/kernel_arguments.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// Voxels of a line in a thread, of lines that are near.
#define PIECE 64

// A volume whose voxels are measured from.
struct Edt {
    // Voxels.
    u32 shape[3];
    // Of 32 voxels in a row, rounded up.
    u32 words;
    // Square of the spacing of x in that of y.
    float across;
    // Square of the spacing of y in that of z.
    float along;
    // Of z.
    double spacing;
    // 0 measures to voxels inside; 1 to those outside, and writes -distance inside.
    u32 side;
};
static_assert(sizeof(Edt) == 40, "size of Edt");
ASSERT_OFFSET(Edt, shape, 0);
ASSERT_OFFSET(Edt, words, 12);
ASSERT_OFFSET(Edt, across, 16);
ASSERT_OFFSET(Edt, along, 20);
ASSERT_OFFSET(Edt, spacing, 24);
ASSERT_OFFSET(Edt, side, 32);
