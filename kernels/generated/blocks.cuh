// Printed from crates/gpu/src/blocks.rs, which is what to change: ZEROSET_BLESS=1 lets its test
// `cuda_header::is_current` write this file.
#pragma once
#include "common/types.cuh"

// Threads of a warp.
enum { WARP = 32 };

// Threads of a block where a kernel says no other number.
#define DEFAULT_BLOCK 256u

// Values that a block of the scan adds up.
enum { SCAN_TILE = 8192 };

// Bytes of the values that a block of a reduction joins.
enum { REDUCE_BYTES = 32768 };

// Items that a block looks at for runs of equal ones.
enum { UNIQUE_ITEMS = 2048 };

// Flags that a block compacts in a round, of bytes.
enum { COMPACT_ROUND = 8192 };

// Rounds of compaction that come at a time.
enum { COMPACT_BATCH = 4 };

// Words of bits that a block compacts.
enum { COMPACT_WORDS = 8192 };

// Threads of a block that sorts.
#define SORT_BLOCK 512u

// Keys of 32 bits that a block sorts.
enum { SORT_TILE_U32 = 7168 };

// Keys of 64 bits that a block sorts.
enum { SORT_TILE_U64 = 4096 };
