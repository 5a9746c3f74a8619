// Generated from src/levelset/tiled/cuda/steady_state.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "tiles/storage.cuh"

// The tiles of the previous check.
struct Before {
    // `[n]` keys in ascending order.
    u64 *keys;
    // The values in the order of the keys.
    stored *values;
    u32 n;
    u32 padding;
};
static_assert(sizeof(Before) == 24, "size of Before");
ASSERT_OFFSET(Before, keys, 0);
ASSERT_OFFSET(Before, values, 8);
ASSERT_OFFSET(Before, n, 16);
ASSERT_OFFSET(Before, padding, 20);
