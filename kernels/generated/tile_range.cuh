// Generated from src/levelset/tiled/cuda/range.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "common/real.cuh"

// The range of phi over all tiles, in voxels.
struct Range {
    // The smallest value, or infinity if there are no tiles.
    real low;
    // The largest value, or minus infinity if there are no tiles.
    real high;
    // The number of voxels in the band.
    u64 active;
};
static_assert(sizeof(Range) == (sizeof(real) == 8 ? 24 : 16), "size of Range");
ASSERT_OFFSET(Range, low, 0);
ASSERT_OFFSET(Range, high, (sizeof(real) == 8 ? 8 : 4));
ASSERT_OFFSET(Range, active, (sizeof(real) == 8 ? 16 : 8));
