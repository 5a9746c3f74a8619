// Generated from crates/gpu/src/blocks.rs.
// To update this header, edit that file and run its test
// `cuda_header::is_current` with ZEROSET_BLESS=1.
#pragma once
#include "common/types.cuh"

// The number of threads per warp.
enum { WARP = 32 };

// The number of threads per block, unless a kernel states a different number.
#define DEFAULT_BLOCK 256u

// The number of values that a block of the scan sums.
enum { SCAN_TILE = 8192 };

// The number of bytes of values that a block of a reduction combines.
enum { REDUCE_BYTES = 32768 };

// The number of items that a block searches for runs of equal items.
enum { UNIQUE_ITEMS = 2048 };

// The number of byte flags that a block compacts per round.
enum { COMPACT_ROUND = 8192 };

// The number of compaction rounds per batch.
enum { COMPACT_BATCH = 4 };

// The number of 32-bit words of flags that a block compacts.
enum { COMPACT_WORDS = 8192 };

// The number of threads per block of the sort.
#define SORT_BLOCK 512u

// The number of 32-bit keys that a block sorts.
enum { SORT_TILE_U32 = 7168 };

// The number of 64-bit keys that a block sorts.
enum { SORT_TILE_U64 = 4096 };
