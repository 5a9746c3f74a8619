// Generated from src/levelset/tiled/cuda/terms.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
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
