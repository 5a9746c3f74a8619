// Printed from src/levelset/tiled/steady_state.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// The number of voxels that the interface may move in an old tile.
#define STILL 0.02
