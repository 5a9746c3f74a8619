// Generated from crates/gpu/src/primitives/histopyramid/kernel_arguments.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"
#include "primitives/grid_axes.cuh"

// The largest number of levels above the words of a pyramid, and of a tree.
enum { MOST_LEVELS = 32 };

// All levels of a pyramid, the lowest first. The last level has one record.
struct Pyramid {
    // The words of the base, `[records[0]][FAN]`.
    const u64 *words;
    // The sums of each level, `[records][FAN]`.
    const u32 *sums[32];
    // The number of records in each level along each axis.
    Shape records[32];
    // The shape of the grid.
    Shape shape;
    u32 n_levels;
};
static_assert(sizeof(Pyramid) == 664, "size of Pyramid");
ASSERT_OFFSET(Pyramid, words, 0);
ASSERT_OFFSET(Pyramid, sums, 8);
ASSERT_OFFSET(Pyramid, records, 264);
ASSERT_OFFSET(Pyramid, shape, 648);
ASSERT_OFFSET(Pyramid, n_levels, 660);

// All levels of a tree, starting with level 1. The last level has one cell, the first slot of
// its record.
struct Tree {
    // The counts of each level, `[records][FAN]`. Level k + 1 is at index k.
    const u32 *counts[32];
    // The number of records in each level along each axis.
    Shape records[32];
    // The number of cells in the grid along each axis.
    Shape base;
    u32 n_levels;
};
static_assert(sizeof(Tree) == 656, "size of Tree");
ASSERT_OFFSET(Tree, counts, 0);
ASSERT_OFFSET(Tree, records, 256);
ASSERT_OFFSET(Tree, base, 640);
ASSERT_OFFSET(Tree, n_levels, 652);
