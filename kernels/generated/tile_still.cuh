// Generated from src/levelset/tiled/steady_state.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The largest distance, in voxels, by which the interface has moved in an old tile.
#define STILL 0.02
