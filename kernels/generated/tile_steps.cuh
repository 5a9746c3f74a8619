// Printed from src/levelset/tiled/motion.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// The number of steps between removals of tiles that are not needed.
enum { TIDY_EVERY = 64 };

// The factor by which the speed at the end of a step may exceed the speed that bounded it.
#define GROWTH 1.25
