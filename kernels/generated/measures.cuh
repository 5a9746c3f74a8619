// Generated from src/surface/measures/cuda/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "common/real.cuh"

// The function and the arrays of its measures.
struct Measuring {
    // `[n_vertices]`
    const real *phi;
    // For each cell of each patch, the parts that the patch counts, as bits.
    const u16 *counted;
    // `[n_vertices]`
    u32 *names;
    // `[n_sums]`
    struct Sums *sums;
    struct Sums *result;
    // Number of blocks of measures_patches and measures_join.
    u32 n_sums;
    u32 largest_local;
    u32 largest_owned;
};
static_assert(sizeof(Measuring) == 56, "size of Measuring");
ASSERT_OFFSET(Measuring, phi, 0);
ASSERT_OFFSET(Measuring, counted, 8);
ASSERT_OFFSET(Measuring, names, 16);
ASSERT_OFFSET(Measuring, sums, 24);
ASSERT_OFFSET(Measuring, result, 32);
ASSERT_OFFSET(Measuring, n_sums, 40);
ASSERT_OFFSET(Measuring, largest_local, 44);
ASSERT_OFFSET(Measuring, largest_owned, 48);
