// Printed from src/levelset/tiled/cuda/terms.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// The kind of a coefficient: the values of VELOCITY, NORMAL and CURVATURE.
// The term does not act.
#define TERM_NONE 0
// One value everywhere.
#define TERM_UNIFORM 1
// An expression.
#define TERM_VARIES 2
// Stored with the tiles.
#define TERM_STATIONARY 3
