// Generated from src/levelset/tiled/motion.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The number of steps between removals of tiles that are not needed.
enum { TIDY_EVERY = 64 };
