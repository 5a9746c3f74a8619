// Generated from src/grid/cuda/pool.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The storage format of a value of phi.
// Floating point.
#define STORAGE_REAL 0
// 16-bit fixed point.
#define STORAGE_FIXED16 16
