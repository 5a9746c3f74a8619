// Generated from crates/cloud/src/point_distance/edt/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The number of voxels per thread in lines that are searched outward.
#define PIECE 64

// A volume to transform.
struct Edt {
    // The numbers of voxels along the axes.
    u32 shape[3];
    // The number of 32-voxel words per row, rounded up.
    u32 words;
    // The squared ratio of the spacing along x to that along y.
    float across;
    // The squared ratio of the spacing along y to that along z.
    float along;
    // The spacing along z.
    double spacing;
    // The side: 0 measures the distance to voxels inside. 1 measures the distance to voxels
    // outside, and writes -distance inside.
    u32 side;
    // 1 if the voxels marked 0 count as inside.
    u32 to_zeros;
};
static_assert(sizeof(Edt) == 40, "size of Edt");
ASSERT_OFFSET(Edt, shape, 0);
ASSERT_OFFSET(Edt, words, 12);
ASSERT_OFFSET(Edt, across, 16);
ASSERT_OFFSET(Edt, along, 20);
ASSERT_OFFSET(Edt, spacing, 24);
ASSERT_OFFSET(Edt, side, 32);
ASSERT_OFFSET(Edt, to_zeros, 36);

// A volume whose distances are measured to the faces between its two sides.
struct Faces {
    // The numbers of voxels along the axes.
    u32 shape[3];
    // The side whose faces are marked: 0 for voxels outside, 1 for voxels inside. The other
    // side receives the distances.
    u32 side;
    // Whether the distances are negative.
    u32 negative;
};
static_assert(sizeof(Faces) == 20, "size of Faces");
ASSERT_OFFSET(Faces, shape, 0);
ASSERT_OFFSET(Faces, side, 12);
ASSERT_OFFSET(Faces, negative, 16);
