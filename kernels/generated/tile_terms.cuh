// Printed from src/levelset/tiled/cuda/terms.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// How a coefficient of a term acts: what VELOCITY, NORMAL and CURVATURE are.
// The term does not act.
#define TERM_NONE 0
// One value.
#define TERM_UNIFORM 1
// An expression.
#define TERM_VARIES 2
// What is kept with the tiles.
#define TERM_STATIONARY 3
