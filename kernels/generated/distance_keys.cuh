// Printed from crates/cloud/src/point_distance/cuda/keys.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// What is compared.
// Real coordinates in single precision, by direct differences.
#define KEY_F32 0
// Whole ones whose values all stay below 2^24, in single precision and expanded, |s|^2 - 2 s.q + |q|^2.
#define KEY_F32_ON_LATTICE 1
// Whole ones in u32; expanded modulo 2^32 where all are compared.
#define KEY_U32 2
// Real ones in double precision.
#define KEY_F64 3

// The norm of a difference.
// The sum of the sizes.
#define NORM_L1 1
// The root of the sum of squares.
#define NORM_L2 2
// The largest size.
#define NORM_LARGEST 3
// Of the order that is given.
#define NORM_ORDER 4
