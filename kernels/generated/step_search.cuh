// Generated from src/levelset/evolution/step_search.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// A step within this factor of the longest possible one is long enough.
#define ENOUGH 1.1

// The largest number of steps that are examined.
enum : u32 { MOST_TRIALS = 40u };
