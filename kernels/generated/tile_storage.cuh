// Printed from src/grid/cuda/pool.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// The storage format of a value of phi.
// Floating point.
#define STORAGE_REAL 0
// 16-bit fixed point.
#define STORAGE_FIXED16 16
