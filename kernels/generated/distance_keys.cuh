// Generated from crates/cloud/src/point_distance/cuda/keys.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The type of keys.
// Real coordinates in single precision, by direct differences.
#define KEY_F32 0
// Integer coordinates in single precision in the expanded form, |s|^2 - 2 s.q + |q|^2. All
// values stay below 2^24.
#define KEY_F32_ON_LATTICE 1
// Integer coordinates in u32. Comparisons of all pairs use the expanded form modulo 2^32.
#define KEY_U32 2
// Real coordinates in double precision.
#define KEY_F64 3

// The norm of a difference.
// The sum of absolute values.
#define NORM_L1 1
// The square root of the sum of squares.
#define NORM_L2 2
// The largest absolute value.
#define NORM_LARGEST 3
// The norm of the given order.
#define NORM_ORDER 4
