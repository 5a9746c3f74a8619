// Generated from src/levelset/tiled/steady_state.rs. Edit that file, then run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1 to update this header.
#pragma once
#include "common/types.cuh"

// The number of voxels that the interface may move in an old tile.
#define STILL 0.02
