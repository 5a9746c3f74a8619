// Printed from src/grid/cuda/pool.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// How a value of phi is kept.
// As it is.
#define STORAGE_REAL 0
// In 16 bits.
#define STORAGE_FIXED16 16
