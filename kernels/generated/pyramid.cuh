// Printed from crates/gpu/src/primitives/histopyramid/kernel_arguments.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"
#include "primitives/shape.cuh"

// Most levels above the words of a pyramid, and of a tree.
enum { MOST_LEVELS = 32 };

// All levels of a pyramid, the lowest first; the last has one record.
struct Pyramid {
    // `[records[0]][FAN]`
    const u64 *words;
    // `[records][FAN]` of each level.
    const u32 *sums[32];
    // Along each axis.
    Shape records[32];
    // Of the grid.
    Shape shape;
    u32 n_levels;
};
static_assert(sizeof(Pyramid) == 664, "size of Pyramid");
ASSERT_OFFSET(Pyramid, words, 0);
ASSERT_OFFSET(Pyramid, sums, 8);
ASSERT_OFFSET(Pyramid, records, 264);
ASSERT_OFFSET(Pyramid, shape, 648);
ASSERT_OFFSET(Pyramid, n_levels, 660);

// All levels of a tree from 1 on; the last has one cell, the first slot of its record.
struct Tree {
    // `[records][FAN]`, level k + 1 at place k.
    const u32 *counts[32];
    // Along each axis.
    Shape records[32];
    // Cells of the grid.
    Shape base;
    u32 n_levels;
};
static_assert(sizeof(Tree) == 656, "size of Tree");
ASSERT_OFFSET(Tree, counts, 0);
ASSERT_OFFSET(Tree, records, 256);
ASSERT_OFFSET(Tree, base, 640);
ASSERT_OFFSET(Tree, n_levels, 652);
